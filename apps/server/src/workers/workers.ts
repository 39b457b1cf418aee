import type { WakeUpQueue } from '@switchyard/queue';
import { capabilitiesLane } from './schedules/refresh-capabilities.js';
import { choreLanes, startChores, type ChoresParts } from './schedules/chores.js';
import { startDispatch, type DispatchParts } from './outbox/dispatch-events.js';
import { startHands } from './queue-workers.js';
import { custodyLane, type CustodyParts } from './schedules/keep-custody.js';
import { recoveryLane, type RecoveryParts } from './schedules/recover-reports.js';

export interface WorkersParts {
  readonly hands: ChoresParts & RecoveryParts;
  readonly dispatch: DispatchParts;
  readonly custody: CustodyParts;
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
  { hands, dispatch, custody }: WorkersParts,
  queue: WakeUpQueue,
  { workers, stopWithinMs }: WorkersOptions,
): Promise<Workers> {
  const lanes = await startHands(hands, queue, {
    workers,
    lanes: [recoveryLane(hands), custodyLane(custody), capabilitiesLane(hands), ...choreLanes(hands)],
  });
  const chores = startChores(hands);
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
  clock: RecoveryParts['ports']['clock'],
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
