import { refreshActivations } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

/** Polls the agents of a tenant's signals that are not active yet, if due. */
export async function refreshSignals(
  { ports, onUnexpected }: Pick<WorkerDeps, 'ports' | 'onUnexpected'>,
  scope: TenantScope,
  stop: AbortSignal,
): Promise<void> {
  await refreshActivations(ports, scope, stop).catch((error: unknown) => {
    onUnexpected(error, 'looking after signals');
  });
}
