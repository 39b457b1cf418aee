import type { ConnectorAnswer } from '@switchyard/sellers';

/** An object of JSON. */
export type Json = ConnectorAnswer['payload'];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((item) => isObject(item)) : [];

export function textIn(from: Json | undefined, name: string): string | undefined {
  const value = from?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** An amount of the protocol, a number of units, as text of micros. */
export const microsOf = (amount: unknown): string =>
  typeof amount === 'number' ? String(Math.round(amount * 1_000_000)) : '0';

/** Micros, as the seller writes them, in units. An amount of an ad server is far below the exact range of a number. */
export const unitsOf = (micros: unknown): number => Number(micros ?? 0) / 1_000_000;
