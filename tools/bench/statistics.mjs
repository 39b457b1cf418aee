/** The value below which `share` of the values are; values need not be sorted. */
export function quantile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

export const median = (values) => quantile(values, 0.5);

/** Interquartile range, as text for a table. */
export function spread(values) {
  const text = (value) => value.toFixed(value < 20 ? 2 : 0);
  return `${text(quantile(values, 0.25))}..${text(quantile(values, 0.75))}`;
}
