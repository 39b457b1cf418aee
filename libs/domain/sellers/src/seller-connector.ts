import type { JsonObject } from '@switchyard/values';

/** One request of a connector. Address, credential, limits and the emergency stop are not its matter. */
export interface ConnectorRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the seller's address, for example `/orders/7`; empty: the address itself. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** Names in lower case. `authorization` is ours, and is refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the seller answered with a status below 500 that does not refuse our credential. */
export interface ConnectorReply {
  readonly status: number;
  /** Undefined if there was no body. */
  readonly body: JsonObject | undefined;
}

/**
 * Sends a request to the seller. Where there is no such answer, the promise is rejected, and the call fails with the reason
 * that we know: let it pass through, or call again.
 */
export type AskSeller = (request: ConnectorRequest) => Promise<ConnectorReply>;

/** A task, in the message of release 3.1 of the protocol. */
export interface ConnectorCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** The answer to the task, in the message of release 3.1. With `isError` the members are `errors`. */
export interface ConnectorAnswer {
  readonly payload: JsonObject;
  readonly isError?: true;
}

/**
 * A way to call sellers that speak neither MCP nor A2A. It translates tasks into requests of the seller and its answers back,
 * and keeps nothing: a crash between two requests is mended by a repetition of the same call, so a task that changes
 * something hands on its `idempotency_key` (docs/guides/connectors.md).
 */
export interface SellerConnector {
  readonly kind: 'seller';
  /** Its name as the protocol of a seller: `sellers add URL --protocol NAME`. */
  readonly protocol: string;
  readonly title: string;
  /** The tasks that it translates, each with the arguments that it reads. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  call(call: ConnectorCall, ask: AskSeller): Promise<ConnectorAnswer>;
}
