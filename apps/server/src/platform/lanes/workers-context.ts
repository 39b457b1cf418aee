import type { WorkerDeps } from './worker-deps.js';

/** The dependencies of every module of workers. A module that needs more has a token of its own. */
export interface WorkersContext {
  readonly workers: WorkerDeps;
  /** Tenants that one lane visits at once. */
  readonly atOnce: number;
  /** How long a stop waits for running work, in milliseconds. */
  readonly stopWithinMs: number;
}

export const WORKERS = Symbol('workers');
