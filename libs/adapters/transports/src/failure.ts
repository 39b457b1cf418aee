import type {
  ConnectFault,
  EgressFailureCode,
  TransportFailure,
  TransportFailureCode,
} from '@switchyard/sellers';

const codeOfEgress: Readonly<Record<EgressFailureCode, TransportFailureCode>> = {
  blocked_url: 'blocked',
  blocked_scheme: 'blocked',
  blocked_address: 'blocked',
  unresolved: 'unreachable',
  connect_failed: 'unreachable',
  timeout: 'timeout',
  aborted: 'aborted',
  redirect_refused: 'protocol_error',
  too_large: 'too_large',
  encoding_refused: 'protocol_error',
  broken_response: 'unreachable',
};

const texts: Readonly<Record<TransportFailureCode, string>> = {
  aborted: 'The call was given up before the seller had answered.',
  timeout: 'The seller did not answer in time.',
  blocked: 'The address of the seller may not be called.',
  stopped: 'The call was not sent: an emergency stop holds it.',
  credential_in_args: 'The call was not sent: it would have carried a credential.',
  not_signed: 'The call was not sent: our signing key could not be used.',
  unreachable: 'The seller could not be reached, or the connection broke off.',
  unauthorized: 'The seller did not accept our credential.',
  http_error: 'The seller answered with an HTTP error.',
  malformed: 'The answer of the seller could not be read.',
  too_large: 'The answer of the seller has more bytes, items, members or levels than are read.',
  no_connector: 'No connector of the name of its protocol is loaded (SWITCHYARD_CONNECTORS).',
  protocol_error: 'The seller does not speak the protocol as configured.',
};

/** Why there is no answer, with a text that shows an admin what to check. */
const ofEgress: Readonly<Partial<Record<EgressFailureCode | ConnectFault, string>>> = {
  unresolved: 'The host name of the seller is unknown.',
  connect_failed: 'No connection to the seller could be made.',
  broken_response: 'The connection to the seller broke off.',
  refused: "The seller's address refuses connections.",
  certificate_expired: "The seller's TLS certificate has expired, or is not valid yet.",
  certificate_name: "The seller's TLS certificate is for another host name.",
  certificate_issuer: "The seller's TLS certificate was issued by nobody whom we trust.",
  tls: 'The TLS connection to the seller could not be made.',
  redirect_refused: 'The seller redirects to another address, and redirects are not followed.',
  encoding_refused: 'The seller compressed its answer, which it was not asked to.',
};

/** Why an answer could not be read. */
const unreadable = {
  not_json: 'The answer of the seller is not JSON.',
  no_reply: 'The seller answered, but not to this request.',
  no_object: 'The answer of the seller has no JSON object in it.',
};
export type Unreadable = keyof typeof unreadable;

/** An unreadable answer. The seller may have acted on the request. */
export function malformed(reason: Unreadable): TransportFailure {
  return { ...failureOf('malformed', 'maybe'), message: unreadable[reason] };
}

/** Texts for statuses that name the cause. */
const ofStatus: Readonly<Record<number, string>> = {
  429: 'The seller has had too many requests from us.',
  403: 'The seller forbids this call.',
  404: 'The seller has nothing at this path of its address.',
};

/** One fixed text per code: a text of the seller or of a library could contain the sent credential. */
export function failureOf(
  code: TransportFailureCode,
  delivered: TransportFailure['delivered'],
  httpStatus?: number,
): TransportFailure {
  const text = (httpStatus === undefined ? undefined : ofStatus[httpStatus]) ?? texts[code];
  const message = httpStatus === undefined ? text : `${text.slice(0, -1)} (${httpStatus}).`;
  return { code, message, delivered, ...(httpStatus === undefined ? {} : { httpStatus }) };
}

/**
 * Redirects that require the same request at another address, so nothing was done at this one (RFC 9110, sections
 * 15.4.2, 15.4.8 and 15.4.9). 302 and 303 also come after a request that was carried out.
 */
const notHere: ReadonlySet<number> = new Set([301, 307, 308]);

/** Reads a rejection of `fetchLike`. An error without a known code comes from a library: the seller may have acted. */
export function failureOfFetch(error: unknown, signal: AbortSignal): TransportFailure {
  const { code, delivered, fault, status } = (error ?? {}) as {
    readonly code?: unknown;
    readonly delivered?: unknown;
    readonly fault?: ConnectFault;
    readonly status?: number;
  };
  const sent = delivered === 'no' || notHere.has(status ?? 0) ? 'no' : 'maybe';
  if (signal.aborted) return failureOf('aborted', sent);
  if (typeof code === 'string' && Object.hasOwn(codeOfEgress, code)) {
    const egress = code as EgressFailureCode;
    const failure = failureOf(codeOfEgress[egress], sent);
    return { ...failure, message: ofEgress[fault ?? egress] ?? failure.message, egress };
  }
  return failureOf('unreachable', sent);
}

/**
 * Reads a status outside 2xx. A 4xx means that the request was refused and not acted on, with two exceptions: 408
 * (timed out, perhaps during the work) and 409 (conflict with other work).
 */
export function failureOfStatus({ status, headers }: Pick<Response, 'status' | 'headers'>): TransportFailure {
  if (status === 401) return failureOf('unauthorized', 'no', status);
  const refused = status >= 400 && status < 500 && status !== 408 && status !== 409;
  const failure = failureOf('http_error', refused ? 'no' : 'maybe', status);
  const wanted = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '');
  return wanted === null ? failure : { ...failure, retryAfter: Number(wanted[0]) };
}
