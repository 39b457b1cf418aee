import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { credentialIn } from '@switchyard/protocol';
import type { OperationName } from '@switchyard/tenancy';
import { err, type JsonValue, type Result } from '@switchyard/values';
import type { z } from 'zod';
import type { PrincipalCaller } from '../../tasks/task-call.js';
import { authorizeOperation } from '../auth.js';
import { credentialFault } from '../beside-arguments.js';
import { sendAnswer, type DoorFault } from '../door-answer.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { readJson } from '../read-json.js';
import { asAnswer, type AdminAnswer } from './admin-answer.js';
import { readRequest } from './admin-requests.js';

/** What a route does once its caller is known and its request is read. The value of the answer leaves as it stands. */
type Ask<T> = (doors: HttpContext, caller: PrincipalCaller, requested: T) => Promise<AdminAnswer>;

/**
 * The one way in for what people and scripts do: permission first, so that nobody without it learns what a request
 * should look like; then the request against its schema; then the application. The request is Fastify's `reply.request`.
 */
@Injectable()
export class AdminRoutes {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  /** A route that takes nothing but its address. */
  plain(reply: FastifyReply, operation: OperationName, ask: Ask<undefined>): Promise<void> {
    return this.answer(reply, operation, (caller) => ask(this.doors, caller, undefined));
  }

  /** A route whose request is in its query. */
  query<T>(reply: FastifyReply, operation: OperationName, schema: z.ZodType<T>, ask: Ask<T>): Promise<void> {
    return this.answer(reply, operation, async (caller) => {
      const requested = readRequest(schema, reply.request.query as JsonValue);
      return requested.ok ? ask(this.doors, caller, requested.value) : requested;
    });
  }

  /** A route whose request is its body, read strictly. A credential where none is taken is refused unread. */
  body<T>(reply: FastifyReply, operation: OperationName, schema: z.ZodType<T>, ask: Ask<T>): Promise<void> {
    return this.answer(reply, operation, async (caller) => {
      const body = this.bodyOf(reply, operation);
      if (!body.ok) return body;
      const requested = readRequest(schema, body.value);
      return requested.ok ? ask(this.doors, caller, requested.value) : requested;
    });
  }

  private bodyOf(reply: FastifyReply, operation: OperationName): Result<JsonValue, DoorFault> {
    const json = readJson(reply.request);
    if (!json.ok) return json;
    const leaked = credentialIn(json.value.value, secretsTaken[operation]);
    return leaked === undefined ? { ok: true, value: json.value.value } : err(credentialFault(leaked));
  }

  private async answer(
    reply: FastifyReply,
    operation: OperationName,
    ask: (caller: PrincipalCaller) => Promise<AdminAnswer>,
  ): Promise<void> {
    const caller = await authorizeOperation(reply.request, this.doors, operation);
    if (!caller.ok) return sendAnswer(reply, caller.error);
    return sendAnswer(reply, await asAnswer(this.doors, operation, () => ask(caller.value)));
  }
}

/** Secrets and trust material that an administrator hands in: at these places exactly, and nowhere else. */
const secretsTaken: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  'sellers.add': ['jwks_uri'],
  'sellers.import': ['[].jwks_uri'],
  'credentials.rotate': ['secret'],
  'principals.add': ['jwks', 'jwks_uri'],
  'signers.add': ['jwks', 'jwks_uri'],
};
