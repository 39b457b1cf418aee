import type { ConnectFault, EgressFailure, EgressFailureCode } from '@switchyard/sellers';

/** One text per code. It never contains the refused address or what was found there. */
const texts: Readonly<Record<EgressFailureCode, string>> = {
  blocked_url: 'the address is not one that can be called',
  blocked_scheme: 'only https can be called',
  blocked_address: 'the address is not allowed',
  unresolved: 'the host name does not resolve',
  connect_failed: 'no connection could be made',
  timeout: 'no answer in time',
  aborted: 'the call was given up',
  redirect_refused: 'the answer was a redirect, which is not followed',
  too_large: 'the answer is too large',
  encoding_refused: 'the answer is compressed, which was not requested',
  broken_response: 'the answer broke off or is not HTTP',
};

export function failureOf(
  code: EgressFailureCode,
  delivered: 'no' | 'maybe',
  about: Pick<EgressFailure, 'fault' | 'status'> = {},
): EgressFailure {
  return { code, message: texts[code], delivered, ...about };
}

/** Carries a failure, and has its members, where only errors can be passed: through `fetchLike`, and out of a DNS lookup. */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(readonly failure: EgressFailure) {
    super(failure.message);
    Object.assign(this, failure);
  }
}

const resolverCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL', 'EAI_NODATA']);
const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Codes of Node.js and OpenSSL for a failed connection. Certificate codes are grouped by the check that failed. */
const connectFaults: Readonly<Record<string, ConnectFault>> = {
  ECONNREFUSED: 'refused',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_issuer',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_issuer',
};

/** Alerts of a peer that takes no handshake without a certificate, or not with this one (RFC 8446, section 6.2). */
const certificateAlert =
  /ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|HANDSHAKE_FAILURE)$/;

function connectFault(code: string): ConnectFault | undefined {
  if (Object.hasOwn(connectFaults, code)) return connectFaults[code];
  return /^(ERR_SSL|ERR_TLS|EPROTO|CERT_)/.test(code) ? 'tls' : undefined;
}

/** Makes a failure of an error. `started`: writing of the request had begun. */
export function failureFrom(error: unknown, started: boolean): EgressFailure {
  if (error instanceof EgressError) return error.failure;
  // Errors of sockets are of Node's own realm, whose `Error` is another one inside of a test.
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  // In TLS 1.3 the alert arrives when the request is under way; a peer reads none before it has ended the handshake.
  if (certificateAlert.test(code)) return failureOf('connect_failed', 'no', { fault: 'certificate_wanted' });
  if (started) return failureOf(timeoutCodes.has(code) ? 'timeout' : 'broken_response', 'maybe');
  if (resolverCodes.has(code)) return failureOf('unresolved', 'no');
  if (timeoutCodes.has(code)) return failureOf('timeout', 'no');
  if (code === 'UND_ERR_INVALID_ARG') return failureOf('blocked_url', 'no');
  const fault = connectFault(code);
  return failureOf('connect_failed', 'no', fault === undefined ? {} : { fault });
}
