import { isJsonObject, type JsonObject } from '@switchyard/values';

const unitMs: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** How long the answer to a mutation waits for its sellers, in milliseconds; then it is `submitted`. */
export const mutationTimeoutMs = 15_000;

/** How long a caller waits, in milliseconds: the task's own deadline, or less if `time_budget` says so. */
export function timeoutOf(args: JsonObject, deadlineMs: number): number {
  const budget = args['time_budget'];
  if (!isJsonObject(budget)) return deadlineMs;
  const { interval, unit } = budget;
  const scale = typeof unit === 'string' ? unitMs[unit] : undefined;
  if (typeof interval !== 'number' || scale === undefined || interval <= 0) return deadlineMs;
  return Math.min(deadlineMs, interval * scale);
}
