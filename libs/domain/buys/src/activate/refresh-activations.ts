import { getSignals as task } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { queryBuys } from '../read/query-buys.js';
import type { ReadPorts } from '../model/read-request.js';
import type { Activation } from '../model/activation.js';
import { querySignal } from '../run/find-signal-at-seller.js';
import { nextActivation } from '../signals/next-activation.js';
import { applyReportedSignals } from '../signals/apply-reported-signals.js';

const pollsAtOnce = 16;
const pollTimeoutMs = 60_000;

/**
 * Polls agents for activating signals: an activation that is `completed` but not live sends no webhook, and
 * only `get_signals` shows its end (docs/protocol/signals.md#activation). Returns the number of polls; `stop`
 * aborts them.
 */
export async function refreshActivations(
  ports: ReadPorts,
  scope: TenantScope,
  stop: AbortSignal,
): Promise<number> {
  const repository = ports.activations;
  if (repository === undefined) return 0;
  const now = ports.clock.now();
  const due = await repository.due(scope, now, pollsAtOnce);
  if (due.length === 0) return 0;
  // The next poll is stored before this one: after a crash it is made by another process.
  await repository.postpone(
    scope,
    due.map((activation) => putOff(activation, now)),
  );
  await Promise.all(due.map((activation) => refreshActivation(ports, scope, activation, stop)));
  return due.length;
}

function putOff(activation: Activation, now: number): Activation {
  const { nextPollAt } = nextActivation(
    activation,
    { ...activation.target, isLive: false },
    { known: activation, requested: 'poll', at: now },
  );
  return nextPollAt === undefined ? activation : { ...activation, nextPollAt };
}

async function refreshActivation(
  ports: ReadPorts,
  scope: TenantScope,
  activation: Activation,
  signal: AbortSignal,
): Promise<void> {
  const { activations, connections, clock } = ports;
  const connection = await connections.byId(scope, activation.connectionId);
  if (activations === undefined || connection === undefined) return;
  const asWhom = activation.requestedBy === undefined ? {} : { principalId: activation.requestedBy };
  const query = { scope, deadlineMs: pollTimeoutMs, signal, ...asWhom };
  const requested = new Map([
    [connection, querySignal(connection, activation.segmentId, [activation.target])],
  ]);
  const { legs } = await queryBuys(ports, query, {
    spec: { ...task, serves: 'signals' },
    requests: requested,
    count: (a) => a.signals.length,
  });
  const signals = legs.flatMap((leg) => leg.answer?.signals ?? []);
  const ofSegment = signals.filter(({ segmentId }) => segmentId === activation.segmentId);
  await applyReportedSignals(
    activations,
    scope,
    [{ connectionId: connection.id, signals: ofSegment }],
    clock.now(),
  );
}
