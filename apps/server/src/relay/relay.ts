import type { Buffer } from 'node:buffer';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

/** A sealed request from the HTTP layer. Its caller was authenticated by its own credential at the relay. */
export interface SealedCallIn {
  readonly caller: PrincipalCaller;
  /** Slug of the seller. */
  readonly seller: string;
  readonly protocol: 'mcp' | 'a2a';
  /** Every line of the header, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** The hash of the caller's only token: what was read about it is cached for the next request. */
  readonly tokenHash?: Buffer;
}

/** A sealed request whose caller sent one of our tokens and no other credential. */
export interface KnownCallIn extends Omit<SealedCallIn, 'caller'> {
  readonly tokenHash: Buffer;
}

/** A sealed request whose body is too large, and was not read. */
export interface OversizedCallIn extends Pick<SealedCallIn, 'caller' | 'seller' | 'protocol'> {
  /** The Content-Length; absent if there is none. */
  readonly declaredBytes?: number;
}

/** The answer to the caller. `recordId` names the record in the chain of custody, which the caller may read. */
export type RelayAnswer =
  | {
      readonly kind: 'refused';
      readonly recordId: string;
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly field?: string;
    }
  | {
      readonly kind: 'passed';
      readonly recordId: string;
      readonly status: number;
      /** The seller's headers about the answer itself. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer | ReadableStream<Uint8Array>;
    };

/** Forwards sealed requests byte for byte. Never rejects because of a caller or a seller. */
export interface Relay {
  pass(call: SealedCallIn): Promise<RelayAnswer>;
  /**
   * Forwards a request with the cached data of its token and seller, if all of it is unchanged. `undefined`: the
   * caller must be authenticated first, and nothing was written or sent.
   */
  passKnown(call: KnownCallIn): Promise<RelayAnswer | undefined>;
  /** Records a request that is too large, and refuses it. */
  tooLarge(call: OversizedCallIn): Promise<Extract<RelayAnswer, { kind: 'refused' }>>;
}
