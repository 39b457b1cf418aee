import type { InboxPurge, OutboxPurge } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

export interface ForgetDeps extends WorkerDeps {
  readonly purge: InboxPurge;
  /** How long raw bytes are kept, in milliseconds; undefined: for ever. */
  readonly keepBytesMs: number | undefined;
  readonly outboxPurge: OutboxPurge;
  /** How long ended webhooks to buyers and their webhook_activity are kept, in milliseconds; undefined: for ever. */
  readonly keepActivityMs: number | undefined;
}

/** Deletes events beyond the configured retention, in both directions. */
export async function forgetEvents(deps: ForgetDeps, scope: TenantScope): Promise<void> {
  const now = deps.ports.clock.now();
  const { keepBytesMs, keepActivityMs } = deps;
  if (keepBytesMs !== undefined) await deps.purge.bodies(scope, now - keepBytesMs, now);
  if (keepActivityMs !== undefined) await deps.outboxPurge.events(scope, now - keepActivityMs);
}
