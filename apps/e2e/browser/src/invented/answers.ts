import type { Routes } from '../generated/routes.js';

/** The answer of a route of the server. */
export type Answer<Name extends keyof Routes> = Routes[Name] extends { readonly answer: infer Given }
  ? Given
  : never;
export type { Routes };

export interface Asked {
  /** Members of the path, in their order. */
  readonly of: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/**
 * What the invented server answers, by route. The types are those of the real server's description, so an answer that
 * the server could not give does not compile.
 */
export type Answers = { readonly [Name in keyof Routes]?: (asked: Asked) => Answer<Name> };

/** The moment of all pictures: Thursday 26 November 2026, in the morning. */
export const now = new Date('2026-11-26T09:14:00Z');

/** A day as YYYY-MM-DD, some days after another. */
export const dayAfter = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

/** An amount with two decimals, of a number. */
export const amount = (value: number): string => value.toFixed(2).replace(/\.?0+$/, '');

/** A repeatable number from 0 to 1. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** An id of the form of ours, that is always the same for a number. */
export const idOf = (kind: number, at: number): string =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, '0')}`;
