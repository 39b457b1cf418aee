import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { credentialIn } from '@switchyard/protocol';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { z } from 'zod';
import {
  WaitsForApproval,
  WrittenAnswer,
  type AdminCaller,
  type CheckedRequest,
  type AnyRoute,
} from './route.js';
import { whoCanGrant } from '../caller/permission-refusal.js';
import { authorizePermission, holdsAdminSecret } from '../http/access/auth.js';
import { credentialFault } from '../http/beside-arguments.js';
import {
  sendAnswer,
  type HttpAnswer,
  type HttpFault,
  refusal,
  unexpectedFault,
} from '../http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { requestIdOf } from '../http/raw-headers.js';
import { holdsNul, readJson } from '../http/read-json.js';
import { WrittenAnswers } from './written-answers.js';
import type { AdminFailure } from '../failure.js';

/** Nest's token of the rows that the table serves. */
export const ADMIN_ROUTES = Symbol('ADMIN_ROUTES');

/**
 * Serves the admin routes: checks the permission first, so that a caller without it learns nothing about the request's
 * form; then the request against its schemas; then runs the handler. Requests to routes that change something are
 * recorded here, so that no route can omit it.
 */
@Injectable()
export class RouteTable implements OnModuleInit {
  readonly #written: WrittenAnswers;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(ADMIN_ROUTES) private readonly routes: readonly AnyRoute[],
  ) {
    this.#written = new WrittenAnswers(http);
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    for (const route of this.routes)
      fastify.route({
        method: route.method,
        url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        ...(route.takesBytes !== undefined && { bodyLimit: route.takesBytes }),
        handler: (request, reply) => this.serve(route, request, reply),
      });
  }

  private async serve(route: AnyRoute, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.admit(route, request);
    if (!caller.ok) return sendAnswer(reply, caller.error);
    const answer = await asAnswer(this.http, route.id, () => this.answer(route, request, caller.value));
    if (answer.body instanceof WrittenAnswer) {
      const organizationId = caller.value === 'local' ? '' : caller.value.organizationId;
      return this.#written.send(reply, answer.body, { organizationId, route: route.id });
    }
    if (answer.body instanceof WaitsForApproval)
      return sendAnswer(reply, { ...answer, status: 202, body: answer.body.body() });
    sendAnswer(reply, answer.status === 200 ? { ...answer, status: route.status ?? 200 } : answer);
  }

  private admit(route: AnyRoute, request: FastifyRequest): Promise<Result<AdminCaller, HttpAnswer>> {
    const isLocal = route.takesAdminSecret && holdsAdminSecret(request.raw.rawHeaders, this.http.adminSecret);
    return isLocal ? Promise.resolve(ok('local')) : authorizePermission(request, this.http, route);
  }

  private async answer(route: AnyRoute, request: FastifyRequest, caller: AdminCaller): Promise<AdminAnswer> {
    const requested = await checked(route, request, caller);
    const run = async (): Promise<AdminAnswer> =>
      requested.ok
        ? this.namingGrantors((await this.http.runRoute(route, requested.value)) as AdminAnswer, caller)
        : requested;
    if (route.method === 'get' || route.readsOnly === true) return run();
    const params = request.params as Record<string, string>;
    const requestId = requestIdOf(request.raw.rawHeaders);
    return this.http.recordAct(
      route,
      {
        caller,
        params,
        ...(requested.ok && requested.value),
        ...(requestId !== undefined && { requestId }),
      },
      run,
    );
  }

  /** A refusal for a missing permission names who can grant it, unless its handler gives a better hint. */
  private async namingGrantors(answer: AdminAnswer, caller: AdminCaller): Promise<AdminAnswer> {
    if (answer.ok || caller === 'local') return answer;
    const { error } = answer;
    if (error.code !== 'INSUFFICIENT_PERMISSIONS' || error.suggestion !== undefined) return answer;
    return err({ ...error, suggestion: await whoCanGrant(this.http.grants, caller) });
  }
}

async function checked(
  route: AnyRoute,
  request: FastifyRequest,
  caller: AdminCaller,
): Promise<Result<CheckedRequest, HttpFault>> {
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
  const json = await readJson(request);
  if (!json.ok) return json;
  const leaked = credentialIn(json.value.value, secretsTaken);
  if (leaked !== undefined) return err(credentialFault(leaked));
  const read = readRequest(body, json.value.value);
  return read.ok ? ok({ value: read.value, exact: json.value.exact }) : read;
}

type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  url: 'an address (URL)',
  email: 'an email address',
  base64: 'text in Base64',
};

/** The problem of a member, as text after its name; undefined if the schema has its own message. */
function issueWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'in another format'}`;
    case 'unrecognized_keys':
      return 'is not a known member';
    case 'invalid_union':
      return 'matches none of the allowed formats';
    case 'too_small':
    case 'too_big':
      return sizeWords(issue);
    default:
      return undefined;
  }
}

function sizeWords(issue: Extract<Issue, { readonly code: 'too_small' | 'too_big' }>): string {
  const isSmall = issue.code === 'too_small';
  const bound = String(isSmall ? issue.minimum : issue.maximum);
  const unit = { string: ' characters', array: ' items' }[issue.origin as string];
  if (unit === undefined) return `must be ${bound} or ${isSmall ? 'more' : 'less'}`;
  if (isSmall && bound === '1') return 'is empty';
  const how = issue.exact === true ? 'exactly' : isSmall ? 'at least' : 'at most';
  return `must have ${how} ${bound}${unit}`;
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

type AdminAnswer = Result<object, AdminFailure | HttpFault>;

/** The application's result as an HTTP answer: its value unchanged, or its failure by the table of errors. */
export async function asAnswer(
  http: Pick<HttpContext, 'onUnexpected'>,
  where: string,
  query: () => Promise<AdminAnswer>,
): Promise<HttpAnswer> {
  try {
    const answer = await query();
    return answer.ok ? { status: 200, body: answer.value } : refusal(faultOf(answer.error));
  } catch (error) {
    http.onUnexpected(error, where);
    return refusal(unexpectedFault(error));
  }
}

/** The table of errors treats CONFLICT as a concurrent change. A conflict of an admin route mostly stays. */
function faultOf(failure: AdminFailure | HttpFault): HttpFault {
  return failure.code === 'CONFLICT' ? { ...failure, recovery: failure.recovery ?? 'correctable' } : failure;
}
