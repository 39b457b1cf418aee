import type { Axis } from 'uplot';

const day = 86_400;
const text = (seconds: number, length: number): string =>
  new Date(seconds * 1_000).toISOString().slice(0, length);

export const dayText = (seconds: number): string => text(seconds, 10);

/** The time axis of a chart: whole days as `2026-03-01` in UTC, or months as `2026-03`. */
export const dayAxis = {
  space: 90,
  incrs: [1, 2, 3, 7, 14, 28, 91, 182, 364].map((days) => days * day),
  values: (_, at) => at.map(dayText),
} satisfies Axis;

/** The width of a month's label with its space, in pixels. */
const labelWidth = 64;

export const monthAxis = (months: readonly number[]): Axis => ({
  // As many labels as fit, always with the last one.
  splits: ({ bbox: { width } }) => {
    const step = Math.ceil((months.length * labelWidth * devicePixelRatio) / width);
    return months.filter((_, at) => (months.length - 1 - at) % step === 0);
  },
  values: (_, at) => at.map((figure) => text(figure, 7)),
});
