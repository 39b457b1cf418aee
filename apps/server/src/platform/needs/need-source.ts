import { z } from 'zod';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { Need } from './rank-needs.js';

/** What a source reads with: the lists of other routes, as their own callers get them. */
export interface Reading {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly caller: PrincipalCaller;
  /** Undefined where the route refuses. */
  readonly read: <Schema extends z.ZodType>(
    schema: Schema,
    id: string,
    query?: Readonly<Record<string, string>>,
    params?: Readonly<Record<string, string>>,
  ) => Promise<z.output<Schema> | undefined>;
  /** The name of a seller by its short name; the short name where the caller may not read sellers. */
  readonly nameOf: (slug: string) => string;
  /** False where no seller is connected yet. */
  readonly hasSellers: boolean;
}

export interface Found {
  readonly needs: readonly Need[];
  /** How many there are; the needs may be fewer. */
  readonly count: number;
  readonly hasMore?: boolean;
}

/** One kind of waiting work. What a person cannot end does not need that person. */
export interface Source {
  readonly needs: string;
  readonly acts: string;
  /** The name under which its number stands among the counts. */
  readonly counts?: string;
  readonly read: (reading: Reading) => Promise<Found>;
}

export const most = '50';
const dayMs = 86_400_000;
export const soonMs = 14 * dayMs;
export const nothing: Found = { needs: [], count: 0 };
export const found = (needs: readonly Need[], cursor?: string): Found => ({
  needs,
  count: needs.length,
  hasMore: cursor !== undefined,
});
export const next = { next_cursor: z.string().optional() };
export const rows = z.array(z.unknown());
export const running = { status: 'active', limit: most };

/** What is counted beside its line of the menu, and needs nobody. */
export const counted = (of: readonly unknown[] = []): Found => ({
  needs: [],
  count: of.length,
  hasMore: of.length >= Number(most),
});

export const words = (name: string): string => name.replaceAll('_', ' ');
