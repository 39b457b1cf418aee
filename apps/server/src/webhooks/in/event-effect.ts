import type { ReportedFigure, ReportPreview } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { instant } from '../../platform/routes/fields.js';
import type { Immutable } from '../../platform/routes/route.js';
import { readReport } from './read-report.js';

const figure = z.strictObject({
  spend: z.string(),
  impressions: z.string().nullable(),
  clicks: z.string().nullable(),
  notification_type: z.string(),
  is_final: z.boolean().nullable(),
});

/** What a report would change. */
export const effect = z.strictObject({
  event_id: z.string(),
  outcome: z
    .enum(['applied', 'duplicate', 'nothing', 'deferred', 'refused'])
    .describe(
      'nothing: it has no figures. deferred: its buy has no answer yet. refused: no decision makes it usable.',
    ),
  problems: z.array(z.string()),
  changes: z
    .array(
      z.strictObject({
        media_buy_id: z.string(),
        seller: z.string(),
        package_id: z.string().describe("The seller's own; empty for a figure of the whole buy."),
        period_start: instant,
        period_end: instant.describe('Not included.'),
        currency: z.string(),
        now: figure.nullable().describe('What counts now; null where nothing does.'),
        in_report: figure,
      }),
    )
    .describe('500 at most, by time.'),
  books: z
    .array(
      z.strictObject({
        media_buy_id: z.string(),
        seller: z.string(),
        month: z.string(),
        currency: z.string(),
        before: z.string(),
        after: z.string(),
      }),
    )
    .describe('The booked spend of buys by month that would differ.'),
});
export type EffectView = Immutable<z.output<typeof effect>>;

/** Reads and previews a quarantined report as if a person admitted it. A text: why it cannot be read. */
export async function effectOfReport(
  deps: WorkerDeps,
  scope: TenantScope,
  event: StoredEvent,
  by: string,
): Promise<ReportPreview | string> {
  if (event.kind !== 'delivery_report') return 'It is no delivery report, and changes no figures.';
  if (event.registrationKind === 'events') return 'It came to an address that belongs to no buy.';
  const read = await readReport(deps, scope, event, { by, reason: 'preview' });
  if (!('observation' in read)) return `It cannot be read (${read.reason ?? 'no reason'}).`;
  return deps.ledger.preview(scope, read.observation, deps.ports.clock.now());
}

/** The same as callers see it. */
export function effectView(eventId: string, of: ReportPreview | string): EffectView {
  if (typeof of === 'string')
    return { event_id: eventId, outcome: 'refused', problems: [of], changes: [], books: [] };
  const { outcome } = of;
  return {
    event_id: eventId,
    outcome: outcome.kind === 'quarantined' ? 'refused' : outcome.kind,
    problems: outcome.kind === 'quarantined' ? outcome.reasons.map(({ message }) => message) : [],
    changes: of.changes.map(({ before, after, ...change }) => ({
      media_buy_id: change.mediaBuyId,
      seller: change.seller,
      package_id: change.packageRef,
      period_start: isoOf(change.periodStart),
      period_end: isoOf(change.periodEnd),
      currency: change.currency,
      now: before === undefined ? null : figureView(before),
      in_report: figureView(after),
    })),
    books: of.books.map(({ mediaBuyId, seller, month, currency, beforeMicros, afterMicros }) => ({
      media_buy_id: mediaBuyId,
      seller,
      month,
      currency,
      before: microsToDecimal(beforeMicros),
      after: microsToDecimal(afterMicros),
    })),
  };
}

const figureView = (of: ReportedFigure) => ({
  spend: microsToDecimal(of.spendMicros),
  impressions: of.impressions?.toString() ?? null,
  clicks: of.clicks?.toString() ?? null,
  notification_type: of.notificationType,
  is_final: of.isFinal,
});

const shown = { impressions: '19921', clicks: '31', notification_type: 'final', is_final: true };
export const effectExample: EffectView = {
  event_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  outcome: 'applied',
  problems: [],
  changes: [
    {
      media_buy_id: 'mb_1',
      seller: 'acme',
      package_id: 'pkg_1',
      period_start: '2026-10-30T00:00:00.000Z',
      period_end: '2026-10-31T00:00:00.000Z',
      currency: 'USD',
      now: { spend: '482.1', ...shown },
      in_report: { spend: '448.3', ...shown, impressions: '18525', notification_type: 'adjusted' },
    },
  ],
  books: [
    {
      media_buy_id: 'mb_1',
      seller: 'acme',
      month: '2026-10',
      currency: 'USD',
      before: '13904.22',
      after: '13870.42',
    },
  ],
};
