import type { JsonObject } from '@switchyard/values';
import { canonicalCode } from './error-codes.js';
import { dialects } from './dialect.js';
import type { TaskError } from './model.js';
import type { Dialect, Form } from './voice.js';

/** Names of the service description where they differ from the public ones (ruling 1). */
const adsNames: Readonly<Record<string, string>> = {
  AUTH_MISSING: 'AUTH_REQUIRED',
  PERMISSION_DENIED: 'INSUFFICIENT_PERMISSIONS',
  SIGNAL_NOT_FOUND: 'SIGNAL_AGENT_SEGMENT_NOT_FOUND',
};
/** The public vocabulary has no word of its own for these. */
const adcpNames: Readonly<Record<string, string>> = {
  DEPLOYMENT_UNAUTHORIZED: 'PERMISSION_DENIED',
  INVALID_RESPONSE: 'SERVICE_UNAVAILABLE',
};
/** Codes that release 3.0 and earlier do not have, each with the nearest that they do. */
const olderNames: Readonly<Record<string, string>> = {
  AUTH_MISSING: 'AUTH_REQUIRED',
  AUTH_INVALID: 'AUTH_REQUIRED',
};

const authCodes: ReadonlySet<string> = new Set(['AUTH_MISSING', 'AUTH_INVALID']);

/** A code as a caller of this dialect knows it. With a form older than 3.1, codes that it lacks get their older name. */
export function codeIn(code: string, dialect: Dialect, form?: Form): string {
  const canonical = canonicalCode(code);
  if (dialect === 'ads') return adsNames[canonical] ?? canonical;
  if (form === '3.0' || form === '2.5') return olderNames[canonical] ?? adcpNames[canonical] ?? canonical;
  return adcpNames[canonical] ?? canonical;
}

/** One item of `errors[]`. */
export function projectError(error: TaskError, dialect: Dialect, form?: Form): JsonObject {
  const { code, message, field, suggestion, recovery, retryAfter, details } = error;
  return {
    code: codeIn(code, dialect, form),
    message,
    ...(field === undefined ? {} : { field }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfter === undefined ? {} : { retry_after: Math.min(Math.max(Math.ceil(retryAfter), 1), 3600) }),
    ...(recovery === undefined ? {} : { recovery }),
    ...(details === undefined ? {} : { details: structuredClone(details) }),
  };
}

/**
 * The members of a failed answer: `errors[]` always; `adcp_error` with the first of them in that dialect; in the
 * `ads` dialect an `error` object where authentication failed, as its description shows.
 */
export function projectErrors(errors: readonly TaskError[], dialect: Dialect, form?: Form): JsonObject {
  const items = errors.map((error) => projectError(error, dialect, form));
  const [first] = items;
  if (first === undefined) return { errors: items };
  if (dialect === 'adcp') return { errors: items, [dialects.adcp.fatalErrorMember]: first };
  const isAuth = errors.some((error) => authCodes.has(canonicalCode(error.code)));
  if (!isAuth) return { errors: items };
  return {
    errors: items,
    [dialects.ads.fatalErrorMember]: { code: first['code'] ?? '', message: first['message'] ?? '' },
  };
}
