import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Agent } from '../agent/agent.js';
import { compact, isObject, textOf, type JsonObject } from '../json.js';
import type { OutEvent } from '../webhooks/out-event.js';

/** The public page of a control address: what it takes, and the event that it sends. */
interface Control {
  readonly path: string;
  /** Members that a request must have beside `events_url`. */
  readonly needs: readonly string[];
  readonly event: (given: JsonObject, at: string) => JsonObject;
}

const hourMs = 3_600_000;

const controls: Readonly<Record<'rights' | 'governance', Control>> = {
  rights: {
    path: '/revoke',
    needs: ['rights_id'],
    event: (given, at) =>
      compact({
        rights_id: given['rights_id'],
        brand_id: textOf(given['brand_id']) ?? 'speaker',
        reason: textOf(given['reason']) ?? 'The contract has ended.',
        effective_at: textOf(given['effective_at']) ?? at,
        revoked_uses: given['revoked_uses'],
      }),
  },
  governance: {
    path: '/change',
    needs: ['list_id'],
    event: (given, at) =>
      compact({
        event: textOf(given['event']) ?? 'property_list_changed',
        list_id: given['list_id'],
        list_name: textOf(given['list_name']) ?? 'Safe places',
        change_summary: given['change_summary'] ?? {
          properties_added: 0,
          properties_removed: 40,
          total_properties: 60,
        },
        resolved_at: at,
        cache_valid_until: new Date(Date.parse(at) + hourMs).toISOString(),
      }),
  },
};

/**
 * Where an agent that decides is told to decide: `POST /revoke {events_url, rights_id}` of a rights agent and
 * `POST /change {events_url, list_id}` of a governance agent send the signed event and answer with its body.
 */
export function openDecider(app: FastifyInstance, agent: Agent): void {
  const { kind } = agent.personality;
  if (kind !== 'rights' && kind !== 'governance') return;
  const { path, needs, event } = controls[kind];
  app.post(path, (request, reply) => {
    const given = isObject(request.body) ? request.body : {};
    const url = textOf(given['events_url']);
    const missing = ['events_url', ...needs].find((name) => textOf(given[name]) === undefined);
    if (url === undefined || !URL.canParse(url) || missing !== undefined)
      return reply.code(400).send({ error: `${missing ?? 'events_url'} is wanted` });
    const createdAt = agent.now();
    const key = randomUUID();
    const body = { idempotency_key: key, ...event(given, new Date(createdAt).toISOString()) };
    const owed: OutEvent = {
      key,
      stream: kind,
      url,
      contentType: 'application/json',
      body: JSON.stringify(body),
      createdAt,
      notificationType: kind,
    };
    agent.books.write({ events: [owed] });
    agent.outbox.send(owed);
    return reply.send(body);
  });
}
