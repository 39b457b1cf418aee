import { createHash } from 'node:crypto';
import { canonicalJson, type Instant } from '@switchyard/values';
import type { CountedFigure, ReportFacts } from './report-facts.js';

type ReportFrequency = 'hourly' | 'daily' | 'monthly';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The maximum length of a period for each frequency, and how long a report waits for late sellers. */
const lengths: Readonly<Record<ReportFrequency, { readonly longest: number; readonly grace: number }>> = {
  hourly: { longest: hourMs, grace: hourMs },
  daily: { longest: dayMs, grace: 6 * hourMs },
  monthly: { longest: 31 * dayMs, grace: dayMs },
};

/** Daily where the buyer sent no frequency, or an unknown one. */
export function frequencyOf(frequency: string | undefined): ReportFrequency {
  return frequency === 'hourly' || frequency === 'monthly' ? frequency : 'daily';
}

/** How long a report waits for a late seller, in milliseconds. */
export function timeoutOf(frequency: ReportFrequency): number {
  return lengths[frequency].grace;
}

/** The figures of one reporting period, over all sellers. */
export interface PeriodFigures {
  readonly start: Instant;
  readonly end: Instant;
  readonly figures: readonly CountedFigure[];
  /** Only over figures: equal figures are not a change, whenever they arrived. */
  readonly figuresHash: string;
}

/**
 * Splits the figures of a buy into a buyer's periods, oldest first. A figure for a longer period than the
 * frequency keeps its own, because its distribution is unknown. A reported period without counted figures is
 * returned empty, so that its figures are withdrawn.
 */
export function splitPeriods(facts: ReportFacts, frequency: ReportFrequency): readonly PeriodFigures[] {
  const periods = new Map<string, { start: Instant; end: Instant; figures: CountedFigure[] }>();
  const figuresOf = (start: Instant, end: Instant): CountedFigure[] => {
    const period = periods.get(`${start} ${end}`) ?? { start, end, figures: [] };
    periods.set(`${start} ${end}`, period);
    return period.figures;
  };
  for (const { start, end } of facts.reportedPeriods) figuresOf(start, end);
  for (const figure of facts.figures) {
    const { start, end } = periodOf(figure, frequency);
    figuresOf(start, end).push(figure);
  }
  return [...periods.values()]
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

/** The period of a frequency that contains a moment. UTC, half-open. */
export function periodAt(instant: Instant, frequency: ReportFrequency): { start: Instant; end: Instant } {
  if (frequency === 'monthly') {
    const date = new Date(instant);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  }
  const { longest } = lengths[frequency];
  const start = Math.floor(instant / longest) * longest;
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
