import { roundToMicros, type Micros } from '@switchyard/money';

/** Converts a seller's amount to micros; undefined where it is no valid amount. Never throws. */
export function quotedAmount(text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  const micros = roundToMicros(text);
  return micros.ok ? micros.value : undefined;
}
