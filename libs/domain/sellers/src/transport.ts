import type { Dialect } from '@switchyard/protocol';
import type { JsonObject, Result, Secret } from '@switchyard/values';
import type { CallSigner } from './call-signer.js';
import type { EgressFailureCode } from './egress-port.js';
import type { SellerProtocol } from './seller-protocol.js';

interface SellerCredential {
  readonly id: string;
  readonly version: number;
  /** `certificate`: the secret is a chain with its private key, as PEM, for the handshake of TLS. */
  readonly scheme: 'bearer' | 'basic' | 'certificate';
  readonly secret: Secret;
  /** Set for a token that its authorization server replaces by another one. */
  readonly renews?: true;
}

/** The seller and credential of a call. Only equal (organization, connection, credential version) share a warm session. */
export interface SellerTarget {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly agentUrl: string;
  readonly protocol: SellerProtocol;
  readonly dialect: Dialect;
  /** Its tools with the names of their arguments, where they are known. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  readonly credential?: SellerCredential & {
    /** It is new, and the seller has not taken it yet. */
    readonly isCandidate?: true;
    /** The version with which a call goes on that the seller refuses because of this one. */
    readonly instead?: SellerCredential;
    /** UUID of the client whose own login it is. */
    readonly forClient?: string;
  };
  /** Signs each POST of the call, including its session's handshake; absent: nothing is signed. */
  readonly signer?: CallSigner;
  /** Separates the session from all others, so that one principal's session is never shared. */
  readonly sessionOf?: string;
}

/** How to reach a seller with a body that another party has written and signed. */
export interface SellerLane {
  /** Exactly the URL that a signature for this seller covers. */
  readonly url: string;
  /** Our headers for each POST: accepted types, the session and the protocol version. Never a credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Call this if the seller no longer knows the session: the next lane opens a new one. */
  forgetSession(): void;
}

export interface SellerCall {
  /** The task's name in the seller's dialect. */
  readonly tool: string;
  readonly args: JsonObject;
  /** Maximum answer size in bytes, if lower than the limit of all tasks. */
  readonly maxAnswerBytes?: number;
  /**
   * Called with the number of members of a long answer before it is parsed; `false` refuses the answer as too large.
   * Callers use it to bound the answers of many sellers together.
   */
  readonly mayRead?: (members: number) => boolean;
  /** Returns the answer's text too, for callers that store it as evidence. */
  readonly wantsText?: true;
  /**
   * Only for A2A: the URL of the native push channel and the token that its posts carry. Omitted if the agent's card
   * offers no push. Over MCP the push configuration is in the arguments.
   */
  readonly a2aPush?: { readonly url: string; readonly operationId: string; readonly token: string };
  /** Only on A2A: continue or poll this native task. */
  readonly a2aTaskId?: string;
  /** Only for A2A: the context of a continued task. */
  readonly a2aContextId?: string;
}

/**
 * The answer, unchanged except for characters that no table can store. Over MCP `payload` is `structuredContent`, or
 * the JSON of the first text part.
 */
export interface SellerAnswer {
  readonly payload: JsonObject;
  readonly isError: boolean;
  /** The JSON text of the answer, without our credential: a body, or one event of a stream. Only with `wantsText`. */
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
  | 'protocol_error'
  | 'no_connector';

/** `delivered: 'no'`: the seller cannot have acted; `'maybe'`: it may have acted. */
export interface TransportFailure {
  readonly code: TransportFailureCode;
  readonly message: string;
  readonly httpStatus?: number;
  /** Seconds of the seller's `Retry-After`. */
  readonly retryAfter?: number;
  /** The egress failure, if egress failed. */
  readonly egress?: EgressFailureCode;
  readonly delivered: 'no' | 'maybe';
  /** Set if the seller's protocol answer states that it does not do this with this task. */
  readonly refusal?: 'task_not_found' | 'task_not_cancelable' | 'unsupported_operation';
}

/** The port that `adapters/transports` implements. Never throws because of a seller. */
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
  /** Closes the sessions of a connection, after a rotation or its removal. */
  forget(connectionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The port for callers that forward bytes unchanged; `adapters/transports` implements it too. */
export interface SellerLanes {
  /** Makes the protocol's handshake if there is one, and returns how to POST to the seller. Sends no task. */
  lane(target: SellerTarget, signal: AbortSignal): Promise<Result<SellerLane, TransportFailure>>;
}
