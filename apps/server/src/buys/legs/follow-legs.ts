import { followLeg, sendDueAnswers, sendTimeoutMs, type Leg } from '@switchyard/buys';
import { throughLogin } from '@switchyard/sellers';
import { noTracing } from '@switchyard/telemetry';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

/** Legs that one visit reads, and how many of them at one seller. */
const legsAtOnce = 32;
const legsPerSeller = 8;
/** Sellers of one tenant that are waited for at once. */
const sellersAtOnce = 16;
/** How long a visit waits for sellers, in milliseconds. Those that have not answered are waited for beside later visits. */
const visitMs = 1_000;
/** When a leg is retried that was not followed because the vault was unavailable, in milliseconds. */
const withoutVaultMs = 30_000;

/** Follows unfinished legs. */
export interface LegFollower {
  /**
   * Moves a tenant's due legs one step: sends them again, reads them back or polls them. Visits of one tenant run one
   * after another. A seller that does not answer delays its own legs only: the next visit leaves out its legs.
   */
  visit(scope: TenantScope): Promise<void>;
  /** Resolves when no seller is waited for. */
  stop(): Promise<void>;
}

/** The running work of one tenant. */
interface Running {
  readonly sellers: Map<string, Promise<unknown>>;
  /** At most one. */
  readonly answers: Set<Promise<void>>;
}

export function createLegFollower(deps: WorkerDeps): LegFollower {
  const tenants = new Map<string, Running>();
  return {
    visit: async (scope) => {
      const running: Running = tenants.get(scope.organizationId) ?? {
        sellers: new Map(),
        answers: new Set(),
      };
      tenants.set(scope.organizationId, running);
      if (running.answers.size === 0) {
        const sent = answers(deps, scope).finally(() => running.answers.delete(sent));
        running.answers.add(sent);
      }
      await followDue(deps, scope, running.sellers);
      await settledWithin(deps, allOf(running));
      if (allOf(running).length === 0) tenants.delete(scope.organizationId);
    },
    stop: async () => {
      await Promise.all([...tenants.values()].flatMap(allOf));
    },
  };
}

function allOf(running: Running): readonly Promise<unknown>[] {
  return [...running.answers, ...running.sellers.values()];
}

async function followDue(deps: WorkerDeps, scope: TenantScope, sellers: Running['sellers']): Promise<void> {
  const { store, clock } = deps.ports;
  const bySeller = new Map<string, Leg[]>();
  for (const leg of await store.dueLegs(scope, clock.now(), legsAtOnce, [...sellers.keys()]))
    bySeller.set(leg.connectionId, [...(bySeller.get(leg.connectionId) ?? []), leg]);
  for (const [connectionId, legs] of bySeller) {
    if (sellers.size >= sellersAtOnce) return;
    const followed = Promise.all(legs.slice(0, legsPerSeller).map((leg) => tracedFollow(deps, scope, leg)));
    sellers.set(
      connectionId,
      followed.finally(() => sellers.delete(connectionId)),
    );
  }
}

async function settledWithin(
  { ports: { clock } }: WorkerDeps,
  work: readonly Promise<unknown>[],
): Promise<void> {
  let cancel = (): void => undefined;
  const pause = new Promise<void>((resolve) => {
    cancel = clock.after(visitMs, resolve);
  });
  await Promise.race([Promise.all(work), pause]).finally(cancel);
}

/** The step links to the trace of the request, which another process may have begun. */
function tracedFollow(deps: WorkerDeps, scope: TenantScope, leg: Leg): Promise<void> {
  const { tracing = noTracing } = deps;
  const attributes = {
    'switchyard.organization': scope.organizationId,
    'switchyard.operation': leg.operationId,
    'switchyard.task': leg.task,
  };
  return tracing.run('leg follow', { attributes, causedBy: leg.traceParent }, () => follow(deps, scope, leg));
}

async function follow(deps: WorkerDeps, scope: TenantScope, leg: Leg): Promise<void> {
  const { connections, lease, clock } = deps.ports;
  try {
    const stored = await connections.byId(scope, leg.connectionId);
    if (stored === undefined) return;
    const connection = throughLogin(stored, leg.login);
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
    onUnexpected(error, 'sending answers to sellers');
  });
}
