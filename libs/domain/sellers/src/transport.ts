import type { Dialect } from '@switchyard/protocol';
import type { JsonObject, Result, Secret } from '@switchyard/values';
import type { CallSigner } from './call-signer.js';
import type { EgressFailureCode } from './egress-port.js';

/** Where one call goes, and as whom. A warm session is shared by equal (organization, connection, credential version) only. */
export interface SellerTarget {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly agentUrl: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
  readonly credential?: {
    readonly id: string;
    readonly version: number;
    readonly scheme: 'bearer' | 'basic';
    readonly secret: Secret;
  };
  /** Signs each POST of the call, the handshake of its session included; absent: nothing is signed. */
  readonly signer?: CallSigner;
  /** Keeps the session apart from all others: what one principal's requests travel in is shared by nobody else. */
  readonly sessionOf?: string;
}

/** The way to a seller for a body that somebody else has written and signed. */
export interface SellerLane {
  /** Exactly the address that a signature for this seller covers. */
  readonly url: string;
  /** Ours to add to each POST: what we accept, the session and the generation of the protocol. No credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Call it when the seller no longer knows the session: the next lane opens a new one. */
  forgetSession(): void;
}

export interface SellerCall {
  /** The task's name in the seller's dialect. */
  readonly tool: string;
  readonly args: JsonObject;
  /** Largest answer that is read, in bytes, where that is less than what any task may bring. */
  readonly maxAnswerBytes?: number;
  /** The answer brings its text as well: for callers that keep it as evidence. */
  readonly wantsText?: true;
  /**
   * Only on A2A: where the native channel should report, and the token that its posts bring. Left out where the agent's
   * card offers no push. Over MCP push configuration travels in the arguments.
   */
  readonly a2aPush?: { readonly url: string; readonly operationId: string; readonly token: string };
  /** Only on A2A: continue or poll this native task. */
  readonly a2aTaskId?: string;
  /** Only on A2A: the conversation that a continued task stands in. */
  readonly a2aContextId?: string;
}

/** What came back, untouched but for characters that no table takes. Over MCP `payload` is `structuredContent`, or the JSON of the first text part. */
export interface SellerAnswer {
  readonly payload: JsonObject;
  readonly isError: boolean;
  /** The JSON text that it was read from, without our credential: a body, or one event of a stream. Where the call wants it. */
  readonly text?: string;
  readonly a2a?: { readonly taskId?: string; readonly contextId?: string; readonly state?: string };
}

export type TransportFailureCode =
  | 'aborted'
  | 'timeout'
  | 'blocked'
  | 'stopped'
  | 'not_signed'
  | 'credential_in_args'
  | 'unreachable'
  | 'unauthorized'
  | 'http_error'
  | 'malformed'
  | 'too_large'
  | 'protocol_error';

/** `delivered: 'no'` means that the seller cannot have acted; `'maybe'` that only the seller knows. */
export interface TransportFailure {
  readonly code: TransportFailureCode;
  readonly message: string;
  readonly httpStatus?: number;
  /** Why our door out had no answer, where it was the one that failed. */
  readonly egress?: EgressFailureCode;
  readonly delivered: 'no' | 'maybe';
  /** Set where the seller answered in its protocol's own words that it does not do this with this task. */
  readonly refusal?: 'task_not_found' | 'task_not_cancelable' | 'unsupported_operation';
}

/** The port that `adapters/transports` implements. Never throws for anything a seller does. */
export interface SellerTransport {
  call(
    target: SellerTarget,
    call: SellerCall,
    signal: AbortSignal,
  ): Promise<Result<SellerAnswer, TransportFailure>>;
  /** Tools by name with their argument names (MCP), or skills (A2A, no argument names). */
  listTools(
    target: SellerTarget,
    signal: AbortSignal,
  ): Promise<Result<Readonly<Record<string, readonly string[]>>, TransportFailure>>;
  /** Closes the sessions of a connection: after a rotation, or when it is removed. */
  forget(connectionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The port for whoever forwards bytes as they are; `adapters/transports` implements it beside the other. */
export interface SellerLanes {
  /** Shakes hands where the protocol wants it, and says how a POST reaches the seller. Sends no task. */
  lane(target: SellerTarget, signal: AbortSignal): Promise<Result<SellerLane, TransportFailure>>;
}
