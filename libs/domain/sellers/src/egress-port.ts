import type { Buffer } from 'node:buffer';
import type { Result } from '@switchyard/values';

/**
 * What may be reached. `allowLoopback` also allows plain http, to loopback addresses alone: the local profile sets
 * it, nothing else does.
 */
export interface EgressPolicy {
  readonly allowLoopback: boolean;
}

/**
 * Why nothing useful came back. `blocked_*`: our own guard refused, and nothing was sent. The text shown to whoever
 * gave us the address must not say more than the code.
 */
export type EgressFailureCode =
  | 'blocked_url'
  | 'blocked_scheme'
  | 'blocked_address'
  | 'unresolved'
  | 'connect_failed'
  | 'timeout'
  | 'aborted'
  | 'redirect_refused'
  | 'too_large'
  | 'encoding_refused'
  | 'broken_response';

/** What stopped a connection from being made, beneath the code `connect_failed`. */
export type ConnectFault =
  'refused' | 'certificate_expired' | 'certificate_name' | 'certificate_issuer' | 'tls';

/** `delivered: 'no'` means that not one byte of the request left us. */
export interface EgressFailure {
  readonly code: EgressFailureCode;
  readonly message: string;
  /** Only with `connect_failed`, where it is known. */
  readonly fault?: ConnectFault;
  /** The HTTP status of the redirect, with `redirect_refused` alone. */
  readonly status?: number;
  readonly delivered: 'no' | 'maybe';
}

export interface EgressRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Largest answer body, in bytes. */
  readonly maxBytes: number;
  /** Overall deadline in milliseconds, from the call to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * A redirect is then an answer, with its status and `location`, for a caller with rules of its own: it is never
   * followed here, and the next address is judged like any other. Absent: a redirect is a failure.
   */
  readonly tellsRedirects?: true;
}

/** Header names are lower case; a header that came several times is a list. */
export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** One POST whose answer is handed on as it comes. */
export interface EgressPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The deadline is the caller's own. */
  readonly signal: AbortSignal;
}

/** Whole where it is not an event stream. A stream that is canceled breaks the call off. */
export interface EgressReply extends Omit<EgressAnswer, 'body'> {
  readonly body: Buffer | ReadableStream<Uint8Array>;
}

/** `fetch`, with a bound of the answer's bytes that is lower than `egressCaps.taskAnswer`. */
export type BoundedFetch = (
  input: string | URL | Request,
  init?: RequestInit & { readonly maxBytes?: number },
) => Promise<Response>;

/** The only door out. Never throws for anything that a peer does. */
export interface Egress {
  request(request: EgressRequest): Promise<Result<EgressAnswer, EgressFailure>>;
  /** Answers of up to `egressCaps.taskAnswer` bytes; `text/event-stream` is streamed. */
  post(post: EgressPost): Promise<Result<EgressReply, EgressFailure>>;
  /**
   * A `fetch` for client libraries that insist on one, under the same guard. It rejects with an `Error` whose `code`
   * is an `EgressFailureCode` and whose `delivered` says what `EgressFailure` says. JSON answers are buffered,
   * `text/event-stream` is streamed.
   */
  readonly fetchLike: BoundedFetch;
  /**
   * Judges an address without connecting: at registration time malformed and denied addresses are refused, names
   * that do not resolve yet are not.
   */
  checkUrl(url: string): Promise<Result<void, EgressFailure>>;
  close(): Promise<void>;
}

/**
 * The TXT records of a name, each as one text; none where the name service knows of none. Never throws for anything that
 * a name server does.
 */
export type TxtLookup = (name: string) => Promise<Result<readonly string[], EgressFailure>>;

/** Largest answers by purpose, in bytes. */
export const egressCaps = {
  /** The file by which a domain shows whose it is. */
  domainChallenge: 1024,
  jwks: 64 * 1024,
  brandJson: 256 * 1024,
  /** What an agent says of itself, for whoever looks for its keys (docs/protocol/signing.md#discovery-of-keys). */
  capabilities: 64 * 1024,
  adagents: 5 * 1024 * 1024,
  /** Of a document that a publisher's own names: networks list many publishers in it. */
  adagentsElsewhere: 8 * 1024 * 1024,
  revocations: 256 * 1024,
  taskAnswer: 8 * 1024 * 1024,
} as const;
