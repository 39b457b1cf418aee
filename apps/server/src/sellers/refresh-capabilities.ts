import {
  breakingChanges,
  capabilitiesPauseMs,
  type AgedSeller,
  type Connection,
  type DiscoveredSeller,
} from '@switchyard/sellers';
import type { AlarmRepository, AlarmToRaise, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { inspectSeller } from './onboarding/inspect-seller.js';
import type { WorkerDeps } from '../platform/lanes/worker-deps.js';
import type { Lane } from '../platform/lanes/lanes.js';

/** How often due sellers are searched, in milliseconds. With `atOnce` a thousand sellers take six minutes. */
const everyMs = 10_000;
/** Sellers of a tenant per visit, so that a thousand due ones cause no burst. */
const atOnce = 32;
/** How long a seller is leased for one read, in milliseconds: longer than the read takes. */
const leaseMs = 60_000;

/** Alarms are absent in suites without them. */
type RefreshDeps = WorkerDeps & { readonly alarms?: Pick<AlarmRepository, 'raise'> };

export function capabilitiesLane(deps: RefreshDeps): Lane {
  return {
    name: 'capabilities',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ capabilities: deps.ports.clock.now() }),
    visit: async (scope) => {
      await refreshCapabilities(deps, scope);
    },
  };
}

/**
 * Reads the capabilities of live sellers again when they are old, longest due first. A seller that does not answer
 * keeps its last ones, since the breaker decides whether it is up, and is read again after a growing pause, so that it
 * takes no other seller's turn. Answers how many were read.
 */
export async function refreshCapabilities(deps: RefreshDeps, scope: TenantScope): Promise<number> {
  const now = deps.ports.clock.now();
  const aged = await deps.connections.takeAged(scope, now, now + leaseMs, atOnce);
  await Promise.all(aged.map((connection) => refresh(deps, scope, connection)));
  return aged.length;
}

/** The alarm of changes that break what was built on a seller. */
export function driftAlarm(
  { id, slug }: Pick<Connection, 'id' | 'slug'>,
  broken: readonly string[],
): AlarmToRaise {
  const changes = `${broken.join('. ')}.`;
  return { kind: 'capability_drift', subject: `seller ${slug}`, detail: { connection_id: id, changes } };
}

async function refresh(
  { ports, connections, alarms, onUnexpected }: RefreshDeps,
  scope: TenantScope,
  { connection, failures }: AgedSeller,
): Promise<void> {
  try {
    const found = await inspectSeller(ports, scope, connection);
    const at = ports.clock.now();
    if (found.ok) await saveRead({ connections, alarms }, scope, connection, found.value, at);
    else
      await connections.capabilitiesFailed(
        scope,
        connection,
        failures + 1,
        at + capabilitiesPauseMs(failures + 1),
      );
  } catch (error) {
    // Its lease expires, and it is read again.
    onUnexpected(error, `refreshing the capabilities of ${connection.slug}`);
  }
}

/** Stores what a live seller says of itself now, and raises an alarm of what breaks what was built on it. */
export async function saveRead(
  {
    connections,
    alarms,
  }: {
    readonly connections: Pick<RefreshDeps['connections'], 'saveCapabilities'>;
    readonly alarms: RefreshDeps['alarms'] | undefined;
  },
  scope: TenantScope,
  connection: Connection,
  found: DiscoveredSeller,
  at: Instant,
): Promise<void> {
  const { capabilities: before } = connection;
  const broken = before === undefined ? [] : breakingChanges(before, found.capabilities);
  // Before it is stored: a crash between the two repeats the alarm and loses none.
  if (broken.length > 0) await alarms?.raise(scope, driftAlarm(connection, broken));
  await connections.saveCapabilities(scope, connection, found, at);
}
