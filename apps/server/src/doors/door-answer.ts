import type { FastifyReply } from 'fastify';
import type { JsonObject } from '@switchyard/values';
import type { RateRefusal } from '../application/rate-limits.js';

/** What a door says: one status, its headers and a JSON object (or text that is already JSON). */
export interface DoorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/**
 * Codes that doors say of themselves, each with its HTTP status. What a task says of itself comes from the
 * protocol's own table.
 */
const statusOf = {
  INVALID_REQUEST: 400,
  CREDENTIAL_IN_ARGS: 400,
  VALIDATION_ERROR: 422,
  AUTH_REQUIRED: 401,
  AUTH_INVALID: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  ORIGIN_NOT_ALLOWED: 403,
  TLS_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  UNAVAILABLE: 503,
} as const;

export type DoorCode = keyof typeof statusOf;

export interface DoorFault {
  readonly code: DoorCode;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
}

/** A refusal in the shape of task errors: `errors[]` with code, message, field and suggestion. */
export function refusal(fault: DoorFault, headers?: Readonly<Record<string, string>>): DoorAnswer {
  return {
    status: statusOf[fault.code],
    ...(headers ? { headers } : {}),
    body: { errors: [faultBody(fault)] },
  };
}

/** Outside the tasks, which say the same in their own form. */
export function rateLimited({ retryAfter, limit, windowSeconds }: RateRefusal): DoorAnswer {
  const fault = {
    code: 'RATE_LIMITED',
    message: 'There were too many requests: wait before you send the next.',
    recovery: 'transient',
    retry_after: retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope: 'account' },
  };
  return {
    status: statusOf.RATE_LIMITED,
    headers: { 'retry-after': String(retryAfter) },
    body: { errors: [fault] },
  };
}

export function faultBody(fault: DoorFault): JsonObject {
  return {
    code: fault.code,
    message: fault.message,
    ...(fault.field === undefined ? {} : { field: fault.field }),
    ...(fault.suggestion === undefined ? {} : { suggestion: fault.suggestion }),
  };
}

export function sendAnswer(reply: FastifyReply, answer: DoorAnswer): void {
  void reply.status(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
  if (answer.body === undefined) {
    void reply.send();
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  void reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(text));
}
