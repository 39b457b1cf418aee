import type { FastifyRequest } from 'fastify';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { handOver } from '../http/access/handed-over.js';
import { endTurn } from '../http/admit.js';
import { requestWithin } from '../http/inner-request.js';
import type { HttpFault } from '../http/http-answer.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { keyArgument, type Tool } from './toolsets.js';

/** The request of a route, as its arguments make it. */
interface RouteRequest {
  readonly url: string;
  readonly payload?: string;
}

/** What a route answered. */
export interface RouteAnswered {
  readonly status: number;
  readonly body: JsonObject;
}

/** Puts each argument of a tool where its route reads it. */
export function requestOf({ row, places }: Tool, args: JsonObject): Result<RouteRequest, HttpFault> {
  const query = new URLSearchParams();
  const body: Record<string, JsonValue> = {};
  let path = row.path;
  for (const [name, value] of Object.entries(args)) {
    const place = places.get(name);
    if (name === keyArgument && place === undefined) continue;
    if (place === undefined) return err(wrong(name, 'There is no such argument.'));
    if (place === 'body') body[name] = value;
    else if (typeof value === 'object') return err(wrong(name, 'must be a text'));
    else if (place === 'query') query.set(name, String(value));
    else if (value === '') return err(wrong(name, 'must not be empty'));
    else path = path.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  }
  const [, missing] = /\{(\w+)\}/.exec(path) ?? [];
  if (missing !== undefined) return err(wrong(missing, 'is required'));
  if (places.has('limit') && !query.has('limit')) query.set('limit', String(usualRows));
  const search = query.toString();
  return ok({
    url: search === '' ? path : `${path}?${search}`,
    ...(row.body !== undefined && { payload: JSON.stringify(body) }),
  });
}

/** A page that a model can read. */
const usualRows = 20;

const wrong = (name: string, message: string): HttpFault => ({
  code: 'INVALID_REQUEST',
  message: `${name}: ${message}`,
  field: name,
});

/**
 * Calls a route of this server for a caller that was identified already: the guard, the schemas, the audit, the keys and the
 * limits of the route are the same as over HTTP, because it is the same request.
 */
export async function callRoute(
  request: FastifyRequest,
  caller: PrincipalCaller,
  { row }: Tool,
  { url, payload, key }: RouteRequest & { readonly key?: string },
): Promise<RouteAnswered> {
  // The route takes a turn of its own: with both, calls could wait for each other.
  endTurn(request);
  const { authorization } = request.headers;
  const answer = await handOver(caller, (known) =>
    requestWithin(request, {
      method: row.method.toUpperCase(),
      url,
      headers: {
        ...known,
        'x-request-id': request.id,
        // Counted as its credential's, before the caller is known.
        ...(authorization !== undefined && { authorization }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
      },
      ...(payload !== undefined && { payload }),
    }),
  );
  const parsed = parseStrictJson(answer.body, answerLimits);
  const body = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  return { status: answer.status, body };
}

/** Answers are our own. */
const answerLimits = { maxBytes: 64 * 1024 * 1024, maxDepth: 100, maxMembers: 2_000_000 };
