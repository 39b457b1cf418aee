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
export function frequencyOf(word: string | undefined): ReportFrequency {
  return word === 'hourly' || word === 'monthly' ? word : 'daily';
}

/** How long a report waits for a late seller, in milliseconds. */
export function timeoutOf(frequency: ReportFrequency): number {
  return lengths[frequency].grace;
}

/** The figures of one reporting period, over all sellers. */
export interface CutPeriod {
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

/** The period of a frequency that contains a moment. UTC, half-open. */
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
