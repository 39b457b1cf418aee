import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { credentialIn } from '@switchyard/protocol';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { AdminCaller, Route } from '../../admin/route.js';
import { adminRoutes, type AdminDeps } from '../../admin/routes.js';
import { authorizePermission, holdsAdminSecret } from '../auth.js';
import { credentialFault } from '../beside-arguments.js';
import { sendAnswer, type DoorAnswer, type DoorFault } from '../door-answer.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { readJson } from '../read-json.js';
import { asAnswer, type AdminAnswer } from './admin-answer.js';
import { readRequest } from './admin-requests.js';

/**
 * Serves the routes of administration. Permission first, so that nobody without it learns what a request should look
 * like; then the request against its schemas; then the handler.
 */
@Injectable()
export class RouteTable implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(DOORS) private readonly doors: HttpContext,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    for (const route of adminRoutes)
      fastify.route({
        method: route.method,
        url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => this.serve(route, request, reply),
      });
  }

  private async serve(route: Route<AdminDeps>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.admit(route, request);
    if (!caller.ok) return sendAnswer(reply, caller.error);
    const answer = await asAnswer(this.doors, route.id, () => this.answer(route, request, caller.value));
    sendAnswer(reply, answer.status === 200 ? { ...answer, status: route.status ?? 200 } : answer);
  }

  private admit(
    { needs, takesAdminSecret }: Route<AdminDeps>,
    request: FastifyRequest,
  ): Promise<Result<AdminCaller, DoorAnswer>> {
    const isLocal = takesAdminSecret && holdsAdminSecret(request.raw.rawHeaders, this.doors.adminSecret);
    return isLocal ? Promise.resolve(ok('local')) : authorizePermission(request, this.doors, needs);
  }

  private async answer(
    route: Route<AdminDeps>,
    request: FastifyRequest,
    caller: AdminCaller,
  ): Promise<AdminAnswer> {
    const query = route.query ? readRequest(route.query, request.query as JsonValue) : ok(undefined);
    if (!query.ok) return query;
    const body = bodyOf(route, request);
    if (!body.ok) return body;
    const params = request.params as Record<string, string>;
    const requested = { caller, params, query: query.value, body: body.value };
    return (await this.doors.runRoute(route, requested)) as AdminAnswer;
  }
}

function bodyOf(
  { body, secretsTaken }: Route<AdminDeps>,
  request: FastifyRequest,
): Result<unknown, DoorFault> {
  if (body === undefined) return ok(undefined);
  const json = readJson(request);
  if (!json.ok) return json;
  const leaked = credentialIn(json.value.value, secretsTaken);
  return leaked === undefined ? readRequest(body, json.value.value) : err(credentialFault(leaked));
}
