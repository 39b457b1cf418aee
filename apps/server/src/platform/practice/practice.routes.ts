import { firstDeeds, type FirstDeed } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../routes/fields.js';
import { routesOn } from '../routes/route.js';
import { scopeOf } from '../tasks/call/task-call.js';

/** The clock of the sandbox market of this instance. */
interface PracticeClock {
  readonly speed: 'paused' | 'second' | 'minute';
  /** When it is at the market, milliseconds since 1970. */
  readonly marketTime: number;
}

const clockMoves = ['paused', 'second', 'minute', 'next-day'] as const;
type ClockMove = (typeof clockMoves)[number];

export interface PracticeDeps {
  /** Which first deeds the organization of a caller has done. */
  readonly firstDeeds: (scope: TenantScope) => Promise<ReadonlySet<FirstDeed>>;
  /** Reads the clock after it was moved, if a move is given; undefined without a sandbox market. */
  readonly practiceClock: (move?: ClockMove) => Promise<PracticeClock | undefined>;
}

const clock = z.strictObject({
  speed: z
    .enum(['paused', 'second', 'minute'])
    .describe('A campaign day passes not at all, each second or each minute.'),
  market_time: instant.describe('It differs from the time of this instance once the clock was moved.'),
});
const example = { speed: 'minute' as const, market_time: '2026-11-21T12:00:00.000Z' };

const deed = z.strictObject({ deed: z.enum(firstDeeds), done: z.boolean() });

const route = routesOn<PracticeDeps>();

/** The practice market: how fast the days of its campaigns pass. Nothing else follows its clock. */
export const practiceRoutes = [
  route({
    method: 'get',
    path: '/v1/practice/clock',
    id: 'show_practice_clock',
    summary: 'The clock of the practice market; null where this instance has none',
    needs: 'media_buys.read',
    answer: z.strictObject({ clock: clock.nullable() }),
    example: { clock: example },
    handle: async ({ practiceClock }) => ok({ clock: viewOf(await practiceClock()) }),
  }),
  route({
    method: 'get',
    path: '/v1/practice/deeds',
    id: 'list_first_deeds',
    summary: 'Seven deeds to begin with, and which of them the organization has done',
    needs: 'media_buys.read',
    isOfOrganization: true,
    answer: z.strictObject({ deeds: z.array(deed) }),
    example: { deeds: [{ deed: 'ask_market', done: true }] },
    handle: async (deps, { caller }) => {
      const done = await deps.firstDeeds(scopeOf(caller));
      return ok({ deeds: firstDeeds.map((name) => ({ deed: name, done: done.has(name) })) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/practice/clock',
    id: 'move_practice_clock',
    summary:
      'Pause the clock of the practice market, let its days pass each second or minute, or go to the next day',
    needs: 'media_buys.write',
    byPerson: true,
    isOfOrganization: true,
    body: z.strictObject({ move: z.enum(clockMoves) }),
    answer: z.strictObject({ clock }),
    example: { clock: example },
    handle: async ({ practiceClock }, { body }) => {
      const moved = viewOf(await practiceClock(body.move));
      return moved === null
        ? err({ code: 'NOT_FOUND', message: 'This instance has no practice market.' })
        : ok({ clock: moved });
    },
  }),
];

const viewOf = (of: PracticeClock | undefined): z.output<typeof clock> | null =>
  of === undefined ? null : { speed: of.speed, market_time: new Date(of.marketTime).toISOString() };
