import { refreshCreatives as refresh, refreshActivations } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

/** Polls the sellers that have not decided on a tenant's creatives, if due. */
export async function refreshCreatives(
  { ports, creatives, onUnexpected }: Pick<WorkerDeps, 'ports' | 'creatives' | 'onUnexpected'>,
  scope: TenantScope,
  stop: AbortSignal,
): Promise<void> {
  if (creatives === undefined) return;
  await refresh({ ...ports, creatives }, scope, stop).catch((error: unknown) => {
    onUnexpected(error, 'looking after creatives');
  });
}

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
