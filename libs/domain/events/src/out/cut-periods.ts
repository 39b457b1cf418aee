import { createHash } from 'node:crypto';
import { canonicalJson, type Instant } from '@switchyard/values';
import type { CountedFigure, ReportFacts } from './report-facts.js';

export type ReportFrequency = 'hourly' | 'daily' | 'monthly';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The longest that a period may be for its frequency, and how long a report waits for sellers that are late. */
const lengths: Readonly<Record<ReportFrequency, { readonly longest: number; readonly grace: number }>> = {
  hourly: { longest: hourMs, grace: hourMs },
  daily: { longest: dayMs, grace: 6 * hourMs },
  monthly: { longest: 31 * dayMs, grace: dayMs },
};

/** Daily where the buyer named no frequency, or one that nobody knows. */
export function frequencyOf(word: string | undefined): ReportFrequency {
  return word === 'hourly' || word === 'monthly' ? word : 'daily';
}

/** How long a report waits for a seller that has not come so far yet, in milliseconds. */
export function timeoutOf(frequency: ReportFrequency): number {
  return lengths[frequency].grace;
}

/** The figures of one reporting period, over all sellers. */
export interface CutPeriod {
  readonly start: Instant;
  readonly end: Instant;
  readonly figures: readonly CountedFigure[];
  /** Over figures alone: the same figures are no news, whenever and from whomever they came. */
  readonly figuresHash: string;
}

/**
 * Cuts the books of a buy into a buyer's periods, oldest first. A figure whose own period is longer than the
 * frequency asks for keeps its period: nobody can tell how it is spread. A period that was told and of which nothing
 * counts any more comes back empty, so that its figures are taken back.
 */
export function cutPeriods(facts: ReportFacts, frequency: ReportFrequency): readonly CutPeriod[] {
  const cuts = new Map<string, { start: Instant; end: Instant; figures: CountedFigure[] }>();
  const cutAt = (start: Instant, end: Instant): CountedFigure[] => {
    const cut = cuts.get(`${start} ${end}`) ?? { start, end, figures: [] };
    cuts.set(`${start} ${end}`, cut);
    return cut.figures;
  };
  for (const { start, end } of facts.reportedPeriods) cutAt(start, end);
  for (const figure of facts.figures) {
    const { start, end } = periodOf(figure, frequency);
    cutAt(start, end).push(figure);
  }
  return [...cuts.values()]
    .map((cut) => ({ ...cut, figuresHash: hashOf(cut.figures) }))
    .sort((left, right) => left.end - right.end || left.start - right.start);
}

function periodOf(
  { start, end }: CountedFigure,
  frequency: ReportFrequency,
): { readonly start: Instant; readonly end: Instant } {
  if (end - start > lengths[frequency].longest) return { start, end };
  return periodAt(end - 1, frequency);
}

/** The period of a frequency that a moment lies in. UTC, half-open. */
export function periodAt(moment: Instant, frequency: ReportFrequency): { start: Instant; end: Instant } {
  if (frequency === 'monthly') {
    const date = new Date(moment);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  }
  const { longest } = lengths[frequency];
  const start = Math.floor(moment / longest) * longest;
  return { start, end: start + longest };
}

function hashOf(figures: readonly CountedFigure[]): string {
  const lines = figures
    .map((figure) =>
      canonicalJson([
        figure.seller,
        figure.packageRef,
        figure.start,
        figure.end,
        figure.spendMicros.toString(),
        figure.impressions?.toString() ?? null,
        figure.clicks?.toString() ?? null,
      ]),
    )
    .sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
