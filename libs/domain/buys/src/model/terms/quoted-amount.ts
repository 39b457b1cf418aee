import { roundToMicros, type Micros } from '@switchyard/money';

/** An amount in a seller's own words, as micros; `undefined` where it is none that we can hold. A seller's number never throws. */
export function quotedAmount(text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  const micros = roundToMicros(text);
  return micros.ok ? micros.value : undefined;
}
