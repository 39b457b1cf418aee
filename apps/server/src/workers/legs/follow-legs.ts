import { followLeg, sendDueAnswers, sendTimeoutMs, type Leg } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

const legsAtOnce = 32;
/** When a leg is retried that was not followed because the vault was unavailable, in milliseconds. */
const withoutVaultMs = 30_000;

/** Moves a tenant's due, unfinished legs one step: sends them again, reads them back or polls them. */
export async function followLegs(deps: WorkerDeps, scope: TenantScope): Promise<number> {
  const { store, clock } = deps.ports;
  const due = await store.dueLegs(scope, clock.now(), legsAtOnce);
  await Promise.all([...due.map((leg) => follow(deps, scope, leg)), answers(deps, scope)]);
  return due.length;
}

async function follow(deps: WorkerDeps, scope: TenantScope, leg: Leg): Promise<void> {
  const { connections, lease, clock } = deps.ports;
  try {
    const connection = await connections.byId(scope, leg.connectionId);
    if (connection === undefined) return;
    const secrets = await lease(scope, [connection], { operationId: leg.operationId, purpose: leg.task });
    if (!secrets.ok) {
      // Without an audit row no secret is opened; retrying every second would add load.
      await deps.ports.store.releaseLeg(scope, leg, clock.now() + withoutVaultMs);
      return;
    }
    const stop = new AbortController();
    const cancel = clock.after(sendTimeoutMs, () => stop.abort());
    const run = { connection, signal: stop.signal, ...secrets.value.get(connection.id) };
    await followLeg(deps.ports, scope, leg.id, run).finally(cancel);
  } catch (error) {
    deps.onUnexpected(error, `following leg ${leg.id}`);
  }
}

/** Answers to sellers' questions that a crash left unsent. */
async function answers({ ports, approvals, onUnexpected }: WorkerDeps, scope: TenantScope): Promise<void> {
  if (approvals === undefined) return;
  await sendDueAnswers({ ...ports, approvals }, scope).catch((error: unknown) => {
    onUnexpected(error, 'answers to sellers');
  });
}
