import type { Buffer } from 'node:buffer';
import type { Result, Secret } from '@switchyard/values';

/**
 * What may be reached. `allowLoopback` also allows plain http, to loopback addresses only. Only the local profile sets
 * it.
 */
export interface EgressPolicy {
  readonly allowLoopback: boolean;
}

/**
 * Why a request failed. `blocked_*`: our own guard refused it, and nothing was sent. The text shown to whoever supplied
 * the URL must not reveal more than the code.
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

/** Why a connection failed, in addition to the code `connect_failed`. */
export type ConnectFault =
  | 'refused'
  | 'certificate_expired'
  | 'certificate_name'
  | 'certificate_issuer'
  /** The peer wants a certificate of ours, or not this one. */
  | 'certificate_wanted'
  | 'tls';

/** A certificate of ours with its key, which is shown to one peer alone. */
export interface ClientCertificate {
  /** Names one version of one credential: equal ids have equal secrets. */
  readonly id: string;
  /** The chain and the private key, as PEM. */
  readonly pem: Secret;
}

/** `delivered: 'no'`: no byte of the request was sent. */
export interface EgressFailure {
  readonly code: EgressFailureCode;
  readonly message: string;
  /** Only with `connect_failed`, if known. */
  readonly fault?: ConnectFault;
  /** The HTTP status of the redirect; only with `redirect_refused`. */
  readonly status?: number;
  readonly delivered: 'no' | 'maybe';
}

export interface EgressRequest {
  /** The last three are of WebDAV (RFC 4918). */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PROPFIND' | 'MKCOL' | 'MOVE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Maximum size of the answer body in bytes. */
  readonly maxBytes: number;
  /** Overall deadline in milliseconds, from the call to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly certificate?: ClientCertificate;
  /**
   * Returns a redirect as an answer, with its status and `location`, for a caller with its own rules. It is never
   * followed here, and the next URL is checked like any other. Absent: a redirect is a failure.
   */
  readonly returnsRedirects?: true;
}

/** Header names are lower case; a repeated header is a list. */
export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** One POST whose answer is passed on while it arrives. */
interface EgressPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The caller sets the deadline. */
  readonly signal: AbortSignal;
  readonly certificate?: ClientCertificate;
}

/** The body is complete unless it is streamed. Canceling the stream aborts the call. */
interface EgressReply extends Omit<EgressAnswer, 'body'> {
  readonly body: Buffer | ReadableStream<Uint8Array>;
}

/** `fetch`, with a maximum answer size that may be lower than `egressCaps.taskAnswer`, and a certificate of ours. */
export type BoundedFetch = (
  input: string | URL | Request,
  init?: RequestInit & { readonly maxBytes?: number; readonly certificate?: ClientCertificate },
) => Promise<Response>;

/** The only way to send outbound requests. Never throws because of a peer. */
export interface Egress {
  request(request: EgressRequest): Promise<Result<EgressAnswer, EgressFailure>>;
  /** The same, but a successful answer is passed on while it arrives, under the deadline of the request. */
  open(request: EgressRequest): Promise<Result<EgressReply, EgressFailure>>;
  /** Answers of up to `egressCaps.taskAnswer` bytes; `text/event-stream` is streamed. */
  post(post: EgressPost): Promise<Result<EgressReply, EgressFailure>>;
  /**
   * A `fetch` for client libraries that need one, under the same guard. It rejects with an `Error` that has the `code`
   * and `delivered` of an `EgressFailure`. JSON answers are buffered, `text/event-stream` is streamed.
   */
  readonly fetchLike: BoundedFetch;
  /**
   * Checks a URL without connecting: at registration, malformed and denied addresses are refused, but names that do not
   * resolve yet are accepted.
   */
  checkUrl(url: string): Promise<Result<void, EgressFailure>>;
  close(): Promise<void>;
}

/**
 * Returns the TXT records of a name, each as one text; an empty list if there are none. Never throws because of a name
 * server.
 */
export type TxtLookup = (name: string) => Promise<Result<readonly string[], EgressFailure>>;

/** Maximum answer sizes by purpose, in bytes. */
export const egressCaps = {
  /** The file that proves the ownership of a domain. */
  domainChallenge: 1024,
  jwks: 64 * 1024,
  brandJson: 256 * 1024,
  /** An agent's capabilities, for the discovery of its keys (docs/protocol/signing.md#discovery-of-keys). */
  capabilities: 64 * 1024,
  adagents: 5 * 1024 * 1024,
  /** For a document that a publisher's own points to: networks list many publishers in it. */
  adagentsElsewhere: 20 * 1024 * 1024,
  revocations: 256 * 1024,
  taskAnswer: 8 * 1024 * 1024,
} as const;
