import type { RecoveryDeps } from '../buys/reports/recover-reports.js';
import type { JobsContext } from '../platform/jobs/jobs.module.js';
import type { WorkersContext } from '../platform/lanes/workers-context.js';
import type { SendNoticesDeps } from '../notices/send-notices.js';
import type { CustodyDeps } from '../relay/custody/complete-custody.js';
import type { DispatchDeps } from '../webhooks/out/dispatch-events.js';
import type { ScheduledJobsDeps } from './scheduled-jobs.js';

/** The dependencies of all background work of a process. */
export interface BackgroundContext extends WorkersContext {
  readonly workers: ScheduledJobsDeps & RecoveryDeps;
  readonly dispatch: DispatchDeps;
  readonly custody: CustodyDeps;
  readonly jobs: JobsContext;
  readonly notices: SendNoticesDeps;
}
