import type { DispatchDeps } from '../../webhooks/out/dispatch-events.js';
import type { ScheduledJobsDeps } from '../../main/scheduled-jobs.js';
import type { CustodyDeps } from '../../relay/custody/complete-custody.js';
import type { RecoveryDeps } from '../../buys/reports/recover-reports.js';

/** The dependencies of the workers' modules. */
export interface WorkersContext {
  readonly workers: ScheduledJobsDeps & RecoveryDeps;
  readonly dispatch: DispatchDeps;
  readonly custody: CustodyDeps;
  /** Tenants that one lane visits at once. */
  readonly atOnce: number;
  /** How long a stop waits for running work, in milliseconds. */
  readonly stopWithinMs: number;
}

export const WORKERS = Symbol('workers');
export const DISPATCH = Symbol('dispatch');
export const SCHEDULED_JOBS = Symbol('scheduled jobs');
