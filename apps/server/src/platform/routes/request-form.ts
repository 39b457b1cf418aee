import type { FastifyRequest } from 'fastify';
import { credentialIn, requirementOf } from '@switchyard/protocol';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { z } from 'zod';
import type { AdminCaller, AnyRoute, CheckedRequest } from './route.js';
import { credentialFault } from '../http/beside-arguments.js';
import type { HttpFault } from '../http/http-answer.js';
import { holdsNul, readJson } from '../http/read-json.js';

/** The fault of a request that does not fit the schemas of its row, or the request as they read it. */
export type RequestForm = Result<CheckedRequest, HttpFault>;

/** What the stage knows of a request. It stands on the request itself, which a map beside it would only shadow. */
export interface Admitted {
  readonly caller: AdminCaller;
  form?: Promise<RequestForm>;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted?: Admitted;
  }
}

/** Reads an admitted request against the schemas of its row, once for all who ask. */
export function formOf(route: AnyRoute, request: FastifyRequest): Promise<RequestForm> {
  const admitted = admittedOf(request);
  return (admitted.form ??= checked(route, request, admitted.caller));
}

export function admittedOf({ admitted }: FastifyRequest): Admitted {
  if (admitted === undefined) throw new Error('The request has passed no guard.');
  return admitted;
}

async function checked(route: AnyRoute, request: FastifyRequest, caller: AdminCaller): Promise<RequestForm> {
  // U+0000 has only this spelling in an address. No name or id contains it.
  const [path = '', search = ''] = request.url.split('?');
  if (path.includes('%00')) return err({ code: 'NOT_FOUND', message: 'There is no task with that name.' });
  if (search.includes('%00')) return err(holdsNul());
  const query = route.query ? readRequest(route.query, request.query as JsonValue) : ok(undefined);
  if (!query.ok) return query;
  const body = await bodyOf(route, request);
  if (!body.ok) return body;
  const params = request.params as Record<string, string>;
  const { body: bytes } = request;
  return ok({
    caller,
    params,
    query: query.value,
    body: body.value.value,
    ...(body.value.exact && { exact: body.value.exact }),
    ...(route.takesBytes !== undefined && Buffer.isBuffer(bytes) && { bytes }),
  });
}

async function bodyOf(
  { body, secretsTaken }: AnyRoute,
  request: FastifyRequest,
): Promise<Result<{ readonly value: unknown; readonly exact?: CheckedRequest['exact'] }, HttpFault>> {
  if (body === undefined) return ok({ value: undefined });
  if (hasNoBody(request) && body.safeParse({}).success) return ok({ value: {} });
  const json = await readJson(request);
  if (!json.ok) return json;
  const leaked = credentialIn(json.value.value, secretsTaken);
  if (leaked !== undefined) return err(credentialFault(leaked));
  const read = readRequest(body, json.value.value);
  return read.ok ? ok({ value: read.value, exact: json.value.exact }) : read;
}

/** Nothing was sent, also no type: the same as an object without members where all members may be left out. */
function hasNoBody({ headers, body }: FastifyRequest): boolean {
  return headers['content-type'] === undefined && (!Buffer.isBuffer(body) || body.length === 0);
}

type Issue = z.core.$ZodRawIssue;

/** The problem of a member, as text after its name; undefined if the schema has its own message. */
function issueWords(issue: Issue): string | undefined {
  if (issue.code === 'custom') return undefined;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  if (issue.code === 'unrecognized_keys') return 'is not a known member';
  if (issue.code === 'too_small' && issue.minimum === 1 && issue.origin !== 'number') return 'is empty';
  return `must be ${requirementOf(issue)}`;
}

/** Checks a body against a schema; the failure names the first fault by its path. */
export function readRequest<T>(schema: z.ZodType<T>, body: JsonValue): Result<T, HttpFault> {
  const read = schema.safeParse(body, { error: issueWords });
  if (read.success) return ok(read.data);
  const issue = read.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const field = path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step),
    '',
  );
  return err({
    code: 'VALIDATION_ERROR',
    message: issue?.message ?? 'The request does not match the schema.',
    ...(field ? { field } : {}),
    suggestion: 'The schemas of all requests are in /openapi.json.',
  });
}
