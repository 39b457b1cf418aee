import type { Metrics } from '@switchyard/telemetry';
import type { DueKind, DueWork } from '@switchyard/store';
import type { Clock } from '@switchyard/values';

interface LagDeps {
  readonly due: DueWork;
  readonly metrics?: Pick<Metrics, 'inboxLagSeconds' | 'outboxLagSeconds'>;
}

/**
 * Publishes the lag of the workers: the worst of all tenants, because an average would hide one that waits. A webhook
 * that is being sent does not count.
 */
export async function measureLag({ due, metrics }: LagDeps, clock: Clock): Promise<void> {
  const now = clock.now();
  const found = await due.find({ inbox: now, outbox: now });
  const secondsOf = (wanted: DueKind): number =>
    Math.max(0, ...found.filter(({ kind }) => kind === wanted).map(({ since }) => now - since)) / 1_000;
  metrics?.inboxLagSeconds.set(secondsOf('inbox'));
  metrics?.outboxLagSeconds.set(secondsOf('outbox'));
}
