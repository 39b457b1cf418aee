import type { InboxPurge, OutboxPurge } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

export interface ForgetDeps extends WorkerDeps {
  readonly purge: InboxPurge;
  /** How long raw bytes are kept, in milliseconds; undefined: for good. */
  readonly keepBytesMs: number | undefined;
  readonly outboxPurge: OutboxPurge;
  /** How long webhooks to buyers and their webhook_activity are kept after they ended, in milliseconds; undefined: for good. */
  readonly keepActivityMs: number | undefined;
}

/** Forgets what is beyond the retention that was set, of either direction. */
export async function forgetEvents(deps: ForgetDeps, scope: TenantScope): Promise<void> {
  const now = deps.ports.clock.now();
  const { keepBytesMs, keepActivityMs } = deps;
  if (keepBytesMs !== undefined) await deps.purge.bodies(scope, now - keepBytesMs, now);
  if (keepActivityMs !== undefined) await deps.outboxPurge.events(scope, now - keepActivityMs);
}
