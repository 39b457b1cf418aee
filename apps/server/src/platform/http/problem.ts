import type { FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { requestIdOf } from './raw-headers.js';

/** The admin routes: everything under `/v1` except tasks, which answer in the form of the protocol. */
const administration = /^\/v1\/(?!tasks(?:[/?]|$))/;

export const problemType = 'application/problem+json';

/**
 * A refusal of an admin route as problem details (RFC 9457), or `undefined` for every other answer. `code` and `error`
 * hold the first fault, `errors` all. `instance` is present if the caller named its request: a path in it would tell
 * the refusal of a foreign object from that of a missing one.
 */
export function problemOf(
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
