import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeIn, errorRule, httpStatusOf, type Dialect, type Recovery } from '@switchyard/protocol';
import { isDatabaseUnavailable } from '@switchyard/store';
import { type JsonObject, isJsonObject } from '@switchyard/values';
import type { RateRefusal } from '../caller/rate-limits.js';
import { requestIdOf } from './raw-headers.js';

/** An HTTP answer: one status, its headers and a JSON object (or text that is already JSON). */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** Error codes of the HTTP layer itself. Status and recovery come from the table of the protocol. */
export const httpErrorCodes = [
  'INVALID_REQUEST',
  'CREDENTIAL_IN_ARGS',
  'VALIDATION_ERROR',
  'AUTH_REQUIRED',
  'AUTH_INVALID',
  'INSUFFICIENT_PERMISSIONS',
  'PERSON_REQUIRED',
  'ACCOUNT_SUSPENDED',
  'ORIGIN_NOT_ALLOWED',
  'HOST_NOT_ALLOWED',
  'TLS_REQUIRED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'CONFLICT',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_FLIGHT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'CREDENTIAL_REQUIRED',
  'DOMAIN_NOT_PROVED',
  'RECENT_SIGN_IN_REQUIRED',
  'SECOND_FACTOR_REQUIRED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'UNAVAILABLE',
] as const;

export type HttpErrorCode = (typeof httpErrorCodes)[number];

export interface HttpFault {
  readonly code: HttpErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
  /** What the caller can do, if it differs from the table's value for the code. */
  readonly recovery?: Recovery;
  /** The time until a retry, in whole seconds. */
  readonly retryAfter?: number;
  /** The HTTP status, if it differs from the table's for the code. */
  readonly status?: number;
}

/**
 * A refusal in the shape of task errors: `errors[]` with code, message, field and suggestion. Admin routes send it as
 * problem details.
 */
export function refusal(fault: HttpFault, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return {
    status: fault.status ?? httpStatusOf(fault.code),
    ...(headers || fault.retryAfter !== undefined ? { headers: { ...retryHeader(fault), ...headers } } : {}),
    body: { errors: [faultBody(fault)] },
  };
}

export function retryHeader({ retryAfter }: HttpFault): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

/**
 * The fault for a thrown error: the database does not answer, which is temporary, or it is our fault. The outcome of a
 * change is unknown in both cases, so its sender repeats it with the same idempotency key.
 */
export function unexpectedFault(error: unknown): HttpFault {
  return isDatabaseUnavailable(error)
    ? {
        code: 'SERVICE_UNAVAILABLE',
        message:
          'The database did not answer. Send the same request again, a change with the same idempotency key.',
        retryAfter: 5,
      }
    : { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' };
}

/** For routes other than tasks, which answer the same in their own form. */
export function rateLimited({ retryAfter, limit, windowSeconds }: RateRefusal): HttpAnswer {
  const fault = {
    code: 'RATE_LIMITED',
    message: 'Too many requests: wait before you send the next.',
    recovery: 'transient',
    retry_after: retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope: 'account' },
  };
  return {
    status: httpStatusOf('RATE_LIMITED'),
    headers: { 'retry-after': String(retryAfter) },
    body: { errors: [fault] },
  };
}

/** One item of `errors[]`, with the name of the code in the dialect. */
export function faultBody(fault: HttpFault, dialect: Dialect = 'ads'): JsonObject {
  return {
    code: dialect === 'ads' ? fault.code : codeIn(fault.code, dialect),
    message: fault.message,
    recovery: fault.recovery ?? errorRule(fault.code).recovery,
    ...(fault.field === undefined ? {} : { field: fault.field }),
    ...(fault.suggestion === undefined ? {} : { suggestion: fault.suggestion }),
    ...(fault.retryAfter === undefined ? {} : { retry_after: fault.retryAfter }),
  };
}

export function sendAnswer(reply: FastifyReply, answer: HttpAnswer): void {
  void reply.status(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
  if (answer.body === undefined) {
    void reply.send();
    return;
  }
  const problem = problemOf(reply.request, answer);
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(problem ?? answer.body);
  const type = problem === undefined ? 'application/json' : problemType;
  void reply.header('content-type', `${type}; charset=utf-8`).send(Buffer.from(text));
}

/** The admin routes: everything under `/v1` except tasks, which answer in the form of the protocol. */
const administration = /^\/v1\/(?!tasks(?:[/?]|$))/;

export const problemType = 'application/problem+json';

/**
 * A refusal of an admin route as problem details (RFC 9457), or `undefined` for every other answer. `code` and `error`
 * hold the first fault, `errors` all. `instance` is present if the caller named its request: a path in it would tell
 * the refusal of a foreign object from that of a missing one.
 */
function problemOf(
  { url, raw }: FastifyRequest,
  { status, body }: { readonly status: number; readonly body?: object | string },
): JsonObject | undefined {
  if (status < 400 || !administration.test(url) || !isJsonObject(body)) return undefined;
  const reported = body['errors'];
  const [error] = Array.isArray(reported) ? reported : [body['error']];
  if (!isJsonObject(error) || typeof error['code'] !== 'string') return undefined;
  const { code, message } = error;
  const requestId = requestIdOf(raw.rawHeaders);
  const words = code.toLowerCase().replaceAll('_', ' ');
  return {
    type: `urn:switchyard:problem:${words.replaceAll(' ', '-')}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status,
    detail: message ?? '',
    ...(requestId !== undefined && { instance: `urn:switchyard:request:${requestId}` }),
    code,
    error,
    errors: Array.isArray(reported) ? reported : [error],
  };
}
