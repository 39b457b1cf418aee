import { microsToDecimal } from '@switchyard/money';
import type { SellerFigures, SellerLife } from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { defined, isoOf, type Clock, type Instant } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../platform/routes/fields.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

export interface SellerFiguresDeps {
  readonly life: Pick<SellerLife, 'figures'>;
  readonly clock: Clock;
}

export const figures = z
  .strictObject({
    since: instant,
    calls: z.int().describe('Changes that were sent to it.'),
    failed: z.int(),
    median_ms: z.int().exactOptional(),
    slowest_ms: z.int().exactOptional().describe('95 of 100 answers took no longer.'),
    days: z
      .array(
        z.strictObject({
          day: z.string().describe('YYYY-MM-DD, in UTC.'),
          calls: z.int(),
          failed: z.int(),
          median_ms: z.int().exactOptional(),
          slowest_ms: z.int().exactOptional(),
        }),
      )
      .describe('The days on which changes were sent to it, oldest first.'),
    last_error: z.strictObject({ at: instant, code: z.string(), message: z.string() }).exactOptional(),
    events: z.record(z.string(), z.int()).describe('Its newest thousand webhooks, by state.'),
    last_event_at: instant.exactOptional(),
    reported_after: z
      .strictObject({ median_minutes: z.int(), worst_minutes: z.int() })
      .exactOptional()
      .describe("How long after a day's end its first report of the day came; absent where none came."),
    restated: z.strictObject({
      days: z.int().describe('Days of a buy whose spend was another one when it was reported first.'),
      net: z
        .array(z.strictObject({ currency: z.string(), amount: z.string() }))
        .describe('What counts of those days now, less what was reported first. Decimal text.'),
    }),
    running: z.int().describe('Its buys that are not over.'),
    delivered: z
      .array(z.strictObject({ currency: z.string(), amount: z.string() }))
      .exactOptional()
      .describe('What is booked of its delivery in these days. Only for who may read the whole ledger.'),
    answered_disputes: z
      .strictObject({ count: z.int(), average_hours: z.int() })
      .exactOptional()
      .describe(
        'Disputes of the last year that it has answered, and how long its first answers took. Only for who may read the whole ledger.',
      ),
  })
  .describe('How it did in the last 30 days.');

/** The time range of a seller's figures, in milliseconds. */
const figuresOverMs = 30 * 86_400_000;

/** Reads the figures of sellers by their id; money only for a caller who may see it. */
export async function figuresOf(
  { life, clock }: SellerFiguresDeps,
  { organizationId }: TenantScope,
  ids: readonly string[],
  caller?: PrincipalCaller,
): Promise<ReadonlyMap<string, z.output<typeof figures>>> {
  const since = clock.now() - figuresOverMs;
  const found = await life.figures({ organizationId }, ids, since);
  const seesMoney = caller !== undefined && reachOf(caller, 'ledger', 'read').kind === 'everything';
  return new Map(
    [...found].map(([id, { delivered, answeredDisputes: answered, ...others }]) => [
      id,
      {
        ...viewOf(others, since),
        ...(seesMoney && { delivered: amountsOf(delivered) }),
        ...(seesMoney &&
          answered !== undefined && {
            answered_disputes: {
              count: answered.count,
              average_hours: Math.round(answered.averageMs / 3_600_000),
            },
          }),
      },
    ]),
  );
}

const amountsOf = (of: SellerFigures['delivered']) =>
  of.map(({ currency, amount }) => ({ currency, amount: microsToDecimal(amount) }));

function viewOf(
  found: Omit<SellerFigures, 'delivered' | 'answeredDisputes'>,
  since: Instant,
): z.output<typeof figures> {
  const { calls, failed, events, medianMs, slowestMs, lastError, lastEventAt, reportedAfter } = found;
  return {
    since: isoOf(since),
    calls,
    failed,
    events,
    days: found.days.map(({ day, calls: sent, failed: lost, medianMs: half, slowestMs: most }) => ({
      day,
      calls: sent,
      failed: lost,
      ...(half !== null && { median_ms: half }),
      ...(most !== null && { slowest_ms: most }),
    })),
    restated: {
      days: found.restatedDays,
      net: amountsOf(found.restated),
    },
    running: found.running,
    ...(reportedAfter !== undefined && {
      reported_after: {
        median_minutes: Math.round(reportedAfter.medianMs / 60_000),
        worst_minutes: Math.round(reportedAfter.worstMs / 60_000),
      },
    }),
    ...defined({ median_ms: medianMs, slowest_ms: slowestMs }),
    ...(lastError !== undefined && { last_error: { ...lastError, at: isoOf(lastError.at) } }),
    ...(lastEventAt !== undefined && { last_event_at: isoOf(lastEventAt) }),
  };
}
