import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dialects } from '@switchyard/protocol';
import type { Admission, Turn, TurnRefusal } from '../tasks/admission.js';
import { callerGone } from './caller-gone.js';
import { idOf, rpcCodes, rpcFault } from './json-rpc.js';
import { refusal, sendAnswer, type DoorAnswer, type DoorFault } from './door-answer.js';
import type { HttpContext } from './http-context.js';

/** What lets requests in: buyers and sellers have turns of their own, so that neither can take the other's. */
export interface Gate {
  readonly calls: Admission;
  readonly webhooks: Admission;
  /** False while the database does not answer: then nothing can be done for anybody. */
  readonly isAvailable: () => boolean;
}

/** What answers whoever watches the process takes no turn. */
const watched = new Set(['/healthz', '/readyz', '/metrics']);

/** Which credential stands for whom, as far as this process has seen. */
const callersAtMost = 10_000;

interface Admitted {
  readonly turn: Turn;
  readonly credential: string | undefined;
  readonly learn: (caller: string) => void;
}

const turns = new WeakMap<object, Admitted>();

/** The request's caller, once it is known: its turn is the caller's from now on, and so are those of its credential. */
export function turnBelongsTo(request: FastifyRequest, caller: string): void {
  const admitted = turns.get(request.raw);
  admitted?.turn.belongsTo(caller);
  admitted?.learn(caller);
}

/** For answers that go on after their work is done, as a stream that only watches. */
export function endTurn(request: FastifyRequest): void {
  turns.get(request.raw)?.turn.end();
}

/**
 * Has each request wait for its turn once its body is here, and before anything is asked of the database. While the
 * database does not answer requests are refused before their body is read.
 *
 * Whose turn it is follows the credential that is shown, where an earlier request has proved whose that is, and else
 * the address: nobody can use up the turns of another by a credential that does not hold.
 */
export function admitRequests(
  fastify: FastifyInstance,
  gate: Gate,
  doors: Pick<HttpContext, 'addressOf'>,
): void {
  const known = new Map<string, string>();
  const learn = (credential: string | undefined, caller: string): void => {
    if (credential === undefined || known.get(credential) === caller) return;
    known.set(credential, caller);
    const [first] = known.keys();
    if (known.size > callersAtMost && first !== undefined) known.delete(first);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (watched.has(pathOf(request)) || gate.isAvailable()) done();
    else sendAnswer(reply, inFormOf(request, unavailable));
  });
  fastify.addHook('preHandler', async (request, reply) => {
    const path = pathOf(request);
    if (watched.has(path)) return;
    const credential = shownCredential(request);
    const caller = (credential && known.get(credential)) ?? `address:${doors.addressOf(request)}`;
    const lane = path.startsWith('/webhooks/') ? gate.webhooks : gate.calls;
    const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
    const entered = await lane.enter({ caller, bytes, signal: callerGone(reply) });
    if (!entered.ok) {
      if (!reply.raw.destroyed) sendAnswer(reply, inFormOf(request, crowded(entered.error)));
      return reply;
    }
    const turn = entered.value;
    turns.set(request.raw, { turn, credential, learn: (whose) => learn(credential, whose) });
    reply.raw.once('close', () => turn.end());
  });
  // The work is done; how fast the answer is read is another matter.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    endTurn(request);
    done(null, payload);
  });
}

const unavailable: DoorFault = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The database does not answer. Nothing was done: send it again.',
  retryAfter: 5,
};

function crowded({ scope, retryAfter }: TurnRefusal): DoorFault {
  return scope === 'caller'
    ? {
        code: 'RATE_LIMITED',
        message:
          'Too many requests of this caller are at work: wait for their answers before you send the next.',
        recovery: 'transient',
        retryAfter,
      }
    : {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Too many requests are at work. Nothing was done: send it again.',
        retryAfter,
      };
}

/** A client of JSON-RPC is answered under the id of its request, where that is cheaply read. */
function inFormOf(request: FastifyRequest, fault: DoorFault): DoorAnswer {
  const answer = refusal(fault);
  if (!/^\/(mcp|a2a)$|^\/relay\//.test(pathOf(request))) return answer;
  const { body } = request;
  const id = Buffer.isBuffer(body) && body.length <= 64 * 1024 ? idOf(body) : null;
  return { ...answer, body: rpcFault(id, rpcCodes.internal, fault) };
}

const credentialHeaders = [
  'authorization',
  dialects.ads.bearerAliasHeader,
  dialects.adcp.bearerAliasHeader,
].map((name) => name.toLowerCase());

/** A digest of what is shown: the secret itself is kept nowhere. */
function shownCredential({ headers }: FastifyRequest): string | undefined {
  const shown = credentialHeaders.flatMap((name) => headers[name] ?? []);
  return shown.length === 0 ? undefined : createHash('sha256').update(shown.join('\n')).digest('base64');
}

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';
