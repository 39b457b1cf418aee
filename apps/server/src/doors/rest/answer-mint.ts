import type { FastifyReply, FastifyRequest } from 'fastify';
import { ok } from '@switchyard/values';
import type { PrincipalCaller } from '../../application/task-call.js';
import { authorizeOperation, holdsAdminSecret } from '../auth.js';
import { sendAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { readJson } from '../read-json.js';
import { asAnswer, type AdminAnswer } from './admin-answer.js';
import { readRequest, tokenSchema } from './admin-requests.js';

/** `POST /v1/tokens`: for a principal that may write principals, and for the holder of the data folder's secret. */
export async function answerMint(reply: FastifyReply, doors: DoorsContext): Promise<void> {
  const { request } = reply;
  const raw = request.raw.rawHeaders;
  if (holdsAdminSecret(raw, doors.adminSecret)) {
    return sendAnswer(reply, await asAnswer(doors, 'tokens.mint', () => mint(request, doors, 'local')));
  }
  const caller = await authorizeOperation(request, doors, 'tokens.mint');
  if (!caller.ok) return sendAnswer(reply, caller.error);
  return sendAnswer(reply, await asAnswer(doors, 'tokens.mint', () => mint(request, doors, caller.value)));
}

async function mint(
  request: FastifyRequest,
  doors: DoorsContext,
  by: PrincipalCaller | 'local',
): Promise<AdminAnswer> {
  const json = readJson(request);
  if (!json.ok) return json;
  const ask = readRequest(tokenSchema, json.value.value);
  if (!ask.ok) return ask;
  const { ttl_seconds: ttlSeconds, principal } = ask.value;
  const minted = await doors.admin.mintToken(by, {
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(principal === undefined ? {} : { principal }),
  });
  if (!minted.ok) return minted;
  const url = doors.url();
  return ok({ url, mcp_url: `${url}/mcp`, a2a_url: `${url}/a2a`, ...minted.value });
}
