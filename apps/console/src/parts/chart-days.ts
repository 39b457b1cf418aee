import type { Axis } from 'uplot';

const day = 86_400;
const text = (seconds: number, length: number): string =>
  new Date(seconds * 1_000).toISOString().slice(0, length);

export const dayText = (seconds: number): string => text(seconds, 10);

/** The axis of time of a chart: days as `2026-03-01` by UTC and never parts of one, or months as `2026-03`. */
export const dayAxis = {
  space: 90,
  incrs: [1, 2, 3, 7, 14, 28, 91, 182, 364].map((days) => days * day),
  values: (_, at) => at.map(dayText),
} satisfies Axis;

export const monthAxis = (months: readonly number[]): Axis => ({
  splits: () => [...months],
  values: (_, at) => at.map((one) => text(one, 7)),
});
