import type { JobQueue } from '@switchyard/queue';
import { capabilitiesLane } from './schedules/refresh-capabilities.js';
import { choreLanes, startScheduledJobs, type ScheduledJobsDeps } from './schedules/chores.js';
import { startDispatch, type DispatchDeps } from './outbox/dispatch-events.js';
import { startQueueWorkers } from './queue-workers.js';
import { custodyLane, type CustodyDeps } from './schedules/keep-custody.js';
import { recoveryLane, type RecoveryDeps } from './schedules/recover-reports.js';

export interface WorkersDeps {
  readonly hands: ScheduledJobsDeps & RecoveryDeps;
  readonly dispatch: DispatchDeps;
  readonly custody: CustodyDeps;
}

export interface WorkersOptions {
  /** Tenants that one sort of work visits at once. */
  readonly workers: number;
  /** How long `stop` waits for what is under way, in milliseconds. */
  readonly stopWithinMs: number;
}

export interface Workers {
  /**
   * Looks for nothing more, drops what waits, and resolves when what is under way has ended, or when its time is over.
   * What was not finished stands in the rows, and is done by whoever comes next.
   */
  stop(): Promise<void>;
}

/** Starts everything that works behind the doors. */
export async function startWorkers(
  { hands, dispatch, custody }: WorkersDeps,
  queue: JobQueue,
  { workers, stopWithinMs }: WorkersOptions,
): Promise<Workers> {
  const lanes = await startQueueWorkers(hands, queue, {
    workers,
    lanes: [recoveryLane(hands), custodyLane(custody), capabilitiesLane(hands), ...choreLanes(hands)],
  });
  const chores = startScheduledJobs(hands);
  const sending = startDispatch(dispatch);
  return {
    stop: () =>
      within(hands.ports.clock, stopWithinMs, [lanes.stop(), chores.stop(), sending.stop()], () => {
        const left = lanes.running();
        const text = left.length === 0 ? 'a statement that the database did not answer' : left.join(', ');
        hands.onUnexpected(new Error(`Not finished in time: ${text}`), 'stopping the workers');
      }),
  };
}

async function within(
  clock: RecoveryDeps['ports']['clock'],
  ms: number,
  work: readonly Promise<void>[],
  onLate: () => void,
): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(ms, () => {
      onLate();
      resolve();
    });
  });
  // A part that fails has stopped; the others are waited for all the same.
  await Promise.race([Promise.allSettled(work), late]);
  cancel();
}
