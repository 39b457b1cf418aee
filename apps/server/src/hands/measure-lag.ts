import type { Metrics } from '@switchyard/telemetry';
import type { Organizations, WorkLag } from '@switchyard/store';
import type { Clock } from '@switchyard/values';

export interface LagParts {
  readonly lag: WorkLag;
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly metrics?: Pick<Metrics, 'inboxLagSeconds' | 'outboxLagSeconds'>;
}

/** Publishes how far behind the hands are: the worst of all tenants, so that one that waits is not averaged away. */
export async function measureLag(parts: LagParts, clock: Clock): Promise<void> {
  let [inboxMs, outboxMs] = [0, 0];
  for (const organizationId of await parts.organizations.ids()) {
    const lag = await parts.lag.of({ organizationId }, clock.now());
    inboxMs = Math.max(inboxMs, lag.inboxMs);
    outboxMs = Math.max(outboxMs, lag.outboxMs);
  }
  parts.metrics?.inboxLagSeconds.set(inboxMs / 1_000);
  parts.metrics?.outboxLagSeconds.set(outboxMs / 1_000);
}
