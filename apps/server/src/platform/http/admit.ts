import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dialects } from '@switchyard/protocol';
import type { Admission, Turn, TurnRefusal } from './admission.js';
import { callerGone } from './watch-connections.js';
import { idOf, rpcCodes, rpcFault } from './json-rpc.js';
import { refusal, sendAnswer, type HttpAnswer, type HttpFault } from './http-answer.js';
import type { HttpContext } from './http-context.js';

/** Admits requests. Buyers and sellers have separate turns, so that neither can use up the other's. */
export interface Gate {
  readonly calls: Admission;
  readonly webhooks: Admission;
  /** False while the database does not answer: then no request can be served. */
  readonly isAvailable: () => boolean;
}

/** Health and metrics take no turn. */
const watched = new Set(['/healthz', '/readyz', '/metrics']);

/** The most credentials whose caller is remembered. */
const callersAtMost = 10_000;

interface Admitted {
  readonly turn: Turn;
  readonly credential: string | undefined;
  readonly learn: (caller: string) => void;
}

const turns = new WeakMap<object, Admitted>();
const callers = new WeakMap<object, string>();

/** Whose request it is: organization and principal, once its credential was accepted. */
export const callerOf = (request: FastifyRequest): string | undefined => callers.get(request.raw);

/** Counts the request's turn for its caller, once known, and later requests with its credential too. */
export function turnBelongsTo(request: FastifyRequest, caller: string): void {
  callers.set(request.raw, caller);
  const admitted = turns.get(request.raw);
  admitted?.turn.belongsTo(caller);
  admitted?.learn(caller);
}

/** For answers that continue after their work is done, such as a stream that only polls. */
export function endTurn(request: FastifyRequest): void {
  turns.get(request.raw)?.turn.end();
}

/**
 * Makes each request wait for its turn after its body is read, and before the database is queried. While the database
 * does not answer, requests are refused before their body is read.
 *
 * A turn is counted for the caller of the credential if an earlier request has proved it, else for the address: nobody
 * can use up another caller's turns with an invalid credential.
 */
export function admitRequests(
  fastify: FastifyInstance,
  gate: Gate,
  http: Pick<HttpContext, 'addressOf'>,
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
    const caller = (credential && known.get(credential)) ?? `address:${http.addressOf(request)}`;
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
  // The work is done; the time to send the answer does not count.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    endTurn(request);
    done(null, payload);
  });
}

const unavailable: HttpFault = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The database does not answer. Nothing was done: send it again.',
  retryAfter: 5,
};

function crowded({ scope, retryAfter }: TurnRefusal): HttpFault {
  return scope === 'caller'
    ? {
        code: 'RATE_LIMITED',
        message:
          'Too many requests of this caller are running: wait for their answers before you send the next.',
        recovery: 'transient',
        retryAfter,
      }
    : {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Too many requests are running. Nothing was done: send it again.',
        retryAfter,
      };
}

/** A JSON-RPC client gets the answer under the id of its request, if that is cheap to read. */
function inFormOf(request: FastifyRequest, fault: HttpFault): HttpAnswer {
  const answer = refusal(fault);
  if (!/^\/(mcp|a2a)\/?$|^\/relay\//.test(pathOf(request))) return answer;
  const { body } = request;
  const id = Buffer.isBuffer(body) && body.length <= 64 * 1024 ? idOf(body) : null;
  return { ...answer, body: rpcFault(id, rpcCodes.internal, fault) };
}

const credentialHeaders = [
  'authorization',
  dialects.ads.bearerAliasHeader,
  dialects.adcp.bearerAliasHeader,
].map((name) => name.toLowerCase());

/** A digest of the credential: the secret itself is not stored. */
function shownCredential({ headers }: FastifyRequest): string | undefined {
  const shown = credentialHeaders.flatMap((name) => headers[name] ?? []);
  return shown.length === 0 ? undefined : createHash('sha256').update(shown.join('\n')).digest('base64');
}

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';
