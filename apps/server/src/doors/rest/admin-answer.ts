import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationName } from '@switchyard/tenancy';
import { credentialIn } from '@switchyard/protocol';
import { err, type JsonValue, type Result } from '@switchyard/values';
import type { AdminFailure, AdminService } from '../../application/admin.js';
import type { PrincipalCaller } from '../../application/task-call.js';
import { authorizeOperation } from '../auth.js';
import { credentialFault } from '../beside-arguments.js';
import { refusal, sendAnswer, type DoorAnswer, type DoorFault } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { readJson } from '../read-json.js';

export type AdminAnswer = Result<object, AdminFailure | DoorFault>;

/** Answers a reading route: permission first, then the application, whose value leaves as it stands. */
export async function answerAdmin(
  { request, reply, doors }: { request: FastifyRequest; reply: FastifyReply; doors: DoorsContext },
  operation: OperationName,
  ask: (admin: AdminService, caller: PrincipalCaller) => Promise<AdminAnswer>,
): Promise<void> {
  const caller = await authorizeOperation(request, doors, operation);
  if (!caller.ok) return sendAnswer(reply, caller.error);
  return sendAnswer(reply, await asAnswer(doors, operation, () => ask(doors.admin, caller.value)));
}

/** The same for a route with a body, which is read strictly and only after the permission is known. */
export function answerAdminPost(
  exchange: { request: FastifyRequest; reply: FastifyReply; doors: DoorsContext },
  operation: OperationName,
  ask: (admin: AdminService, caller: PrincipalCaller, body: JsonValue) => Promise<AdminAnswer>,
): Promise<void> {
  return answerAdmin(exchange, operation, async (admin, caller) => {
    const json = readJson(exchange.request);
    if (!json.ok) return json;
    const leaked = credentialIn(json.value.value, secretsTaken[operation]);
    return leaked === undefined ? ask(admin, caller, json.value.value) : err(credentialFault(leaked));
  });
}

/** Secrets and trust material that an administrator hands in: at these places exactly, and nowhere else. */
const secretsTaken: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  'sellers.add': ['jwks_uri'],
  'sellers.import': ['[].jwks_uri'],
  'credentials.rotate': ['secret'],
  'principals.add': ['jwks', 'jwks_uri'],
  'signers.add': ['jwks', 'jwks_uri'],
};

export async function asAnswer(
  doors: DoorsContext,
  where: string,
  ask: () => Promise<AdminAnswer>,
): Promise<DoorAnswer> {
  try {
    const answer = await ask();
    return answer.ok ? { status: 200, body: answer.value } : refusal(answer.error);
  } catch (error) {
    doors.onUnexpected(error, where);
    return refusal({ code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' });
  }
}
