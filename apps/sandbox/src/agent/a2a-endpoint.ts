import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendUnauthorized, type Door } from './admit.js';
import { a2aHandler, type RunSkill } from './a2a-handler.js';
import { cardJson, cardOf } from './a2a-card.js';
import type { Agent } from './agent.js';
import { isObject } from '../json.js';
import { receiveCall } from './receive-call.js';
import type { Tool } from './tool.js';

/** Thrown through the SDK for results that its protocol cannot express. */
class NoAnswer extends Error {
  constructor(readonly kind: 'fail' | 'hang' | 'lose') {
    super(kind);
  }
}

/** `/a2a`: JSON-RPC of release 1.0, and of 0.3 for callers that send no version. The card names both. */
export function openA2aEndpoint(
  app: FastifyInstance,
  agent: Agent,
  tools: readonly Tool[],
  door: Door,
): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const card = cardOf(agent, tools);
  const sendCard = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.header('vary', 'A2A-Version').send(cardJson(agent, tools, isLegacy(request)));
  app.get('/.well-known/agent-card.json', sendCard);
  app.get('/a2a/.well-known/agent-card.json', sendCard);

  app.post('/a2a', async (request, reply) => {
    const caller = await door.callerOf(request);
    if (!caller) return sendUnauthorized(reply, 'AUTH_INVALID', door);
    const wanted = byName.get(skillNamed(request.body) ?? '');
    if (wanted?.access === 'credentials' && caller === 'public')
      return sendUnauthorized(reply, 'AUTH_REQUIRED', door);
    if (!isObject(request.body)) return reply.code(400).send({ error: 'a JSON-RPC request is wanted' });
    let refused: NoAnswer | undefined;
    const run: RunSkill = async (skill, args, native) => {
      const tool = byName.get(skill);
      if (!tool) return noSuchSkill(skill);
      const received = await receiveCall(agent, { tool, args, caller, native });
      if (received.kind === 'answer' || received.kind === 'text') return received;
      throw (refused = new NoAnswer(received.kind));
    };
    const handler = a2aHandler(agent, card, caller, run);
    const legacy = isLegacy(request);
    const transport = legacy
      ? new LegacyJsonRpcTransportHandler(handler)
      : new JsonRpcTransportHandler(handler);
    const context = new ServerCallContext({
      user: { isAuthenticated: caller === 'known', userName: caller },
      requestedVersion: legacy ? '0.3' : '1.0',
    });
    const answer = await transport.handle(request.body, context);
    if (refused?.kind === 'fail') return reply.code(500).send({ error: 'something broke' });
    if (refused?.kind === 'lose') reply.raw.destroy();
    if (refused?.kind === 'hang' || refused?.kind === 'lose') return reply.hijack();
    return reply.send(Symbol.asyncIterator in answer ? { error: 'no streams here' } : answer);
  });
}

function noSuchSkill(skill: string): Awaited<ReturnType<RunSkill>> {
  const message = `no skill ${skill.slice(0, 64)}`;
  const body = { errors: [{ code: 'INVALID_REQUEST', message, field: 'skill', recovery: 'correctable' }] };
  return { kind: 'answer', answer: { status: 'failed', body } };
}

function isLegacy(request: FastifyRequest): boolean {
  const version = request.headers['a2a-version'];
  return typeof version !== 'string' || version.startsWith('0.');
}

/** The skill that a request names, read before the SDK parses it: both generations have it in the same place. */
function skillNamed(body: unknown): string | undefined {
  const params = isObject(body) ? body['params'] : undefined;
  const message = isObject(params) ? params['message'] : undefined;
  const parts = isObject(message) ? message['parts'] : undefined;
  for (const part of Array.isArray(parts) ? parts : []) {
    const data = isObject(part) ? part['data'] : undefined;
    if (isObject(data) && typeof data['skill'] === 'string') return data['skill'];
  }
  return undefined;
}
