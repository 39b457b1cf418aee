import { followLeg, sendTimeoutMs, type Leg } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandsParts } from './hands-parts.js';

const legsAtOnce = 32;

/** Takes the unfinished legs of a tenant that are due one step further: resent, read back or polled. */
export async function followLegs(parts: HandsParts, scope: TenantScope): Promise<number> {
  const { store, clock } = parts.ports;
  const due = await store.dueLegs(scope, clock.now(), legsAtOnce);
  await Promise.all(due.map((leg) => follow(parts, scope, leg)));
  return due.length;
}

async function follow(parts: HandsParts, scope: TenantScope, leg: Leg): Promise<void> {
  const { connections, lease, clock } = parts.ports;
  try {
    const connection = await connections.byId(scope, leg.connectionId);
    if (connection === undefined) return;
    const secrets = await lease(scope, [connection], { operationId: leg.operationId, purpose: leg.task });
    const credential = secrets.ok ? secrets.value.get(connection.id)?.credential : undefined;
    if (!secrets.ok) return;
    const stop = new AbortController();
    const cancel = clock.after(sendTimeoutMs, () => stop.abort());
    const run = { connection, signal: stop.signal, ...(credential === undefined ? {} : { credential }) };
    await followLeg(parts.ports, scope, leg.id, run).finally(cancel);
  } catch (error) {
    parts.onUnexpected(error, `following leg ${leg.id}`);
  }
}
