import type { Metrics } from '@switchyard/telemetry';
import type { DueKind, DueWork } from '@switchyard/store';
import type { Clock } from '@switchyard/values';

export interface LagDeps {
  readonly due: DueWork;
  readonly metrics?: Pick<Metrics, 'inboxLagSeconds' | 'outboxLagSeconds'>;
}

/**
 * Publishes how far behind the workers are: the worst of all tenants, so that one that waits is not averaged away. A
 * webhook that is on its way to its buyer does not wait.
 */
export async function measureLag({ due, metrics }: LagDeps, clock: Clock): Promise<void> {
  const now = clock.now();
  const found = await due.find({ inbox: now, outbox: now });
  const secondsOf = (wanted: DueKind): number =>
    Math.max(0, ...found.filter(({ kind }) => kind === wanted).map(({ since }) => now - since)) / 1_000;
  metrics?.inboxLagSeconds.set(secondsOf('inbox'));
  metrics?.outboxLagSeconds.set(secondsOf('outbox'));
}
