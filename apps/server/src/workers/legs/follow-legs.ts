import { followLeg, sendDueAnswers, sendTimeoutMs, type Leg } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

const legsAtOnce = 32;
/** When a leg is looked at again that could not be followed because the vault gave nothing out. */
const withoutVaultMs = 30_000;

/** Takes the unfinished legs of a tenant that are due one step further: resent, read back or polled. */
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
      // Without an audit row no secret comes out; asking again every second would only add to the trouble.
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

/** Answers to sellers' questions that a crash left behind. */
async function answers({ ports, approvals, onUnexpected }: WorkerDeps, scope: TenantScope): Promise<void> {
  if (approvals === undefined) return;
  await sendDueAnswers({ ...ports, approvals }, scope).catch((error: unknown) => {
    onUnexpected(error, 'answers to sellers');
  });
}
