import { useSyncExternalStore } from 'react';
import type { JsonObject } from '../api/client.js';
import { streamTask, type SellerRow } from '../api/task.js';

/** A running or completed task: it continues while other pages are open. */
export interface Run {
  readonly request: JsonObject;
  readonly isBusy: boolean;
  readonly rows: readonly SellerRow[];
  readonly total?: number;
  /** The sellers that are asked, by slug. */
  readonly asked?: readonly string[];
  /** The products of the sellers that have answered, while the others are awaited. */
  readonly products?: readonly JsonObject[];
  readonly answer?: JsonObject;
  readonly error?: unknown;
}

const runs = new Map<string, Run>();
const listeners = new Set<() => void>();

function put(name: string, run: Run | undefined): void {
  if (run === undefined) runs.delete(name);
  else runs.set(name, run);
  for (const listener of listeners) listener();
}

/** Runs a task and stores its results under a name. */
export async function startRun(
  name: string,
  task: string,
  request: JsonObject,
): Promise<JsonObject | undefined> {
  put(name, { request, isBusy: true, rows: [] });
  // A newer run of the same name has taken its place: what comes of this one is dropped.
  const add = (change: (run: Run) => Partial<Run>): void => {
    const run = runs.get(name);
    if (run?.request === request) put(name, { ...run, ...change(run) });
  };
  try {
    const answer = await streamTask(task, request, {
      onSeller: (row) =>
        add(({ rows }) => ({ rows: [...rows, row], ...(row.total !== undefined && { total: row.total }) })),
      onAsked: (asked) => add(() => ({ asked })),
      onProducts: (products) => add((run) => ({ products: [...(run.products ?? []), ...products] })),
    });
    add(() => ({ isBusy: false, answer, products: [] }));
    return answer;
  } catch (error) {
    add(() => ({ isBusy: false, error }));
    return undefined;
  }
}

export const forgetRun = (name: string): void => put(name, undefined);

export const runOf = (name: string): Run | undefined => runs.get(name);

export const useRun = (name: string): Run | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => runOf(name),
  );
