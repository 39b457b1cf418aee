import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { most, soonMs, next, nothing, found, words, type Source } from './need-source.js';

const outgoing = z.object({
  events: z.array(
    z.object({
      event_id: z.string(),
      kind: z.string(),
      state: z.string(),
      principal: z.string().optional(),
      principal_id: z.string(),
      reason: z.string().optional(),
      created_at: z.string(),
    }),
  ),
});

const credentials = z.object({
  ...next,
  credentials: z.array(
    z.object({
      credential_id: z.string(),
      version: z.number(),
      kind: z.string(),
      seller: z.string().optional(),
      destination: z.string().optional(),
      retires_at: z.string().optional(),
      last_error: z.object({ code: z.string() }).optional(),
    }),
  ),
});

export const sellers = z.object({
  ...next,
  sellers: z.array(
    z.object({ slug: z.string(), name: z.string(), state: z.string(), reason: z.string().optional() }),
  ),
});

const alarms = z.object({
  ...next,
  alarms: z.array(
    z.object({
      alarm_id: z.string(),
      kind: z.string(),
      subject: z.string(),
      detail: z.record(z.string(), z.unknown()),
      last_at: z.string(),
    }),
  ),
});

/** What waits at sellers, at their keys, and at webhooks to callers. */
export const sellerNeeds: readonly Source[] = [
  {
    needs: 'sellers.read',
    acts: 'sellers.write',
    counts: 'failing_sellers',
    read: async ({ read, hasSellers }) => {
      if (!hasSellers)
        return found([
          {
            need_id: 'first seller',
            kind: 'first_seller',
            loses: false,
            object: { kind: 'seller', id: '', name: 'The first seller' },
            title: 'Connect the first seller',
            reason: 'No seller is connected yet.',
            act: 'connect',
          },
        ]);
      const failing = await read(sellers, 'list_sellers', { failing: 'true', limit: most });
      if (failing === undefined) return nothing;
      return found(
        failing.sellers.map(({ slug, name, state, reason }) => ({
          need_id: `seller ${slug}`,
          kind: 'seller_fails' as const,
          loses: false,
          object: { kind: 'seller', id: slug, name: name || slug },
          title: `${name || slug} cannot be used`,
          reason: reason ?? `It is ${state === 'live' ? 'not answering, or stopped' : words(state)}.`,
          act: 'open_seller' as const,
        })),
        failing.next_cursor,
      );
    },
  },
  {
    needs: 'sellers.read',
    acts: 'sellers.write',
    counts: 'credentials',
    read: async ({ read, now, nameOf }) => {
      const [refused, ending] = await Promise.all([
        read(credentials, 'list_credentials', { has_error: 'true', limit: most }),
        read(credentials, 'list_credentials', { retires_before: isoOf(now + soonMs), limit: most }),
      ]);
      const all = new Map(
        [...(refused?.credentials ?? []), ...(ending?.credentials ?? [])].map((one) => [
          `${one.credential_id} ${one.version}`,
          one,
        ]),
      );
      return found(
        [...all].map(([id, { seller, destination, kind, retires_at: end, last_error: error }]) => {
          const name = seller === undefined ? (destination ?? words(kind)) : nameOf(seller);
          return {
            need_id: `credential ${id}`,
            kind: 'key_ends' as const,
            loses: false,
            object: { kind: 'credential', id: seller ?? '', name },
            title: error === undefined ? `The key of ${name} ends` : `${name} refused our key`,
            reason:
              error === undefined ? 'After that nothing is sent with it.' : `Its answer was ${error.code}.`,
            ...(end !== undefined && { due_on: end.slice(0, 10) }),
            act: 'renew' as const,
          };
        }),
        refused?.next_cursor ?? ending?.next_cursor,
      );
    },
  },
  {
    needs: 'sellers.read',
    acts: 'sellers.approve',
    counts: 'alarms',
    read: async ({ read }) => {
      const answer = await read(alarms, 'list_alarms', { state: 'open', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.alarms.map(({ alarm_id: id, kind, subject, detail, last_at: at }) => ({
          need_id: `alarm ${id}`,
          kind: 'alarm' as const,
          loses: false,
          object: { kind: 'alarm', id, name: subject },
          title: `Alarm: ${words(kind)}, ${typeof detail['seller'] === 'string' ? detail['seller'] : subject}`,
          reason: typeof detail['message'] === 'string' ? detail['message'] : subject,
          since: at,
          act: 'look' as const,
        })),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'reports.read',
    acts: 'media_buys.write',
    counts: 'outgoing',
    read: async ({ read, now }) => {
      const since = isoOf(now - soonMs);
      const answers = await Promise.all(
        ['refused', 'expired'].map((state) =>
          read(outgoing, 'list_outgoing_events', { state, since, limit: most }),
        ),
      );
      return found(
        answers
          .flatMap((answer) => answer?.events ?? [])
          .map((event) => ({
            need_id: `outgoing ${event.event_id}`,
            kind: 'webhook_out' as const,
            loses: false,
            object: {
              kind: 'outgoing-event',
              id: event.event_id,
              name: event.principal ?? event.principal_id,
            },
            title: `A webhook to ${event.principal ?? event.principal_id} did not arrive`,
            reason: event.reason ?? event.state,
            since: event.created_at,
            act: 'send_again' as const,
          })),
      );
    },
  },
];
