import type { CapabilityVersion } from '@switchyard/store';
import { defined } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../platform/routes/fields.js';
import type { figures } from './seller-figures.js';

type Figures = z.output<typeof figures>;

/** What is judged, and the threshold of each where the organization has set none. */
const usual = {
  /** Milliseconds until half, and 95 of 100, of its answers to changes were there. */
  answer_p50_ms: 3_000,
  answer_p95_ms: 10_000,
  /** Of the changes that were sent to it. */
  failed_share: 0.05,
  /** Of its newest thousand webhooks. */
  webhooks_refused_share: 0.02,
  /** Minutes between a day's end and its first report of the day: half of them, and the worst. */
  report_median_minutes: 24 * 60,
  report_worst_minutes: 72 * 60,
  /** Days of a buy whose spend was another one when it was reported first. */
  restated_days: 10,
  /** Versions of its capabilities that broke something. */
  breaking_changes: 0,
} as const;

type Measure = keyof typeof usual;

const names = Object.keys(usual) as [Measure, ...Measure[]];

export const measure = z.enum(names);

export const thresholdsView = z.strictObject({
  thresholds: z.array(
    z.strictObject({
      measure,
      threshold: z.number(),
      usual: z.number().describe('The one that holds where none is set.'),
      is_set: z.boolean(),
    }),
  ),
});

/** Every threshold of an organization, from those that it has set. */
export function thresholdsOf(own: Readonly<Record<string, number>>): z.output<typeof thresholdsView> {
  return {
    thresholds: names.map((name) => ({
      measure: name,
      threshold: own[name] ?? usual[name],
      usual: usual[name],
      is_set: own[name] !== undefined,
    })),
  };
}

export const scorecard = z.strictObject({
  slug: z.string(),
  since: instant,
  measures: z.array(
    z.strictObject({
      measure,
      value: z.number().exactOptional().describe('Absent: nothing was measured.'),
      threshold: z.number(),
      state: z.enum(['within', 'beyond', 'unknown']),
    }),
  ),
});

/** States of webhooks that a seller sent and that were not believed. */
const refusedStates = ['refused', 'quarantined', 'invalid', 'failed'];

/** The scorecard of a seller, from its figures and the versions of its capabilities. */
export function scorecardOf(
  slug: string,
  read: Figures,
  versions: readonly CapabilityVersion[],
  own: Readonly<Record<string, number>>,
): z.output<typeof scorecard> {
  const events = Object.entries(read.events);
  const all = events.reduce((sum, [, count]) => sum + count, 0);
  const refused = events
    .filter(([state]) => refusedStates.includes(state))
    .reduce((sum, [, count]) => sum + count, 0);
  const since = Date.parse(read.since);
  const values: Readonly<Record<Measure, number | undefined>> = {
    answer_p50_ms: read.median_ms,
    answer_p95_ms: read.slowest_ms,
    failed_share: read.calls === 0 ? undefined : share(read.failed, read.calls),
    webhooks_refused_share: all === 0 ? undefined : share(refused, all),
    report_median_minutes: read.reported_after?.median_minutes,
    report_worst_minutes: read.reported_after?.worst_minutes,
    restated_days: read.restated.days,
    breaking_changes: versions.filter(
      ({ readAt, changes }) => readAt >= since && changes.some(({ grade }) => grade === 'breaking'),
    ).length,
  };
  return {
    slug,
    since: read.since,
    measures: thresholdsOf(own).thresholds.map(({ measure: name, threshold }) => {
      const value = values[name];
      const state = value === undefined ? 'unknown' : value > threshold ? 'beyond' : 'within';
      return { measure: name, threshold, state, ...defined({ value }) };
    }),
  };
}

const share = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 10_000;
