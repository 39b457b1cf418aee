import {
  activateSignal as task,
  type ActivateSignalRequest,
  hasFeature,
  splitId,
  taskError,
  type TaskError,
  taskNameAt,
  profileOf,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { draftLeg } from '../call/draft-leg.js';
import { mutate, type LeaseSellers, type Prepared } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg, Operation } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { refreezesOf } from '../call/reencode.js';
import { heldByOthers, storedForOthers, storeDeactivation } from '../signals/shared-activation.js';

/** Activates a signal at the agent that its id names. */
export function activateSignal(
  ports: BuysPorts,
  mutation: Mutation<ActivateSignalRequest>,
): Promise<Result<Mutated, readonly TaskError[]>> {
  return mutate(ports, task.name, mutation, (operation, lease) =>
    prepareActivation(ports, mutation, operation, lease),
  );
}

async function prepareActivation(
  ports: BuysPorts,
  mutation: Mutation<ActivateSignalRequest>,
  operation: Operation,
  lease: LeaseSellers,
): Promise<Result<Prepared, readonly TaskError[]>> {
  const id = splitId(mutation.request.segmentId);
  const all = await ports.connections.list(mutation.scope);
  const connection = id.ok ? all.find((candidate) => candidate.slug === id.value.slug) : undefined;
  if (!id.ok || connection?.state !== 'live' || !connection.kinds.includes('signals')) {
    return err([
      taskError('SIGNAL_NOT_FOUND', 'None of your signals agents offers this signal.', {
        field: 'signal_agent_segment_id',
        suggestion: 'Use the id as get_signals returned it, with the prefix of its agent.',
      }),
    ]);
  }
  const refused = mutation.request.action === 'deactivate' ? cannotTakeBack(connection) : undefined;
  if (refused !== undefined) return err([refused]);
  const secrets = await lease([connection]);
  if (!secrets.ok) return secrets;
  const segment = { connectionId: connection.id, segmentId: id.value.id };
  const inUse = await heldByOthers(ports.activations, mutation.scope, segment, mutation.request);
  const destinations = mutation.request.destinations.filter((target) => !inUse.includes(target));
  const drafted = draftLeg(
    { ports, operation, connection, secrets: secrets.value.get(connection.id) },
    (extras, at) => {
      const { reportingWebhook: _forBuysOnly, ...own } = extras;
      const { governanceContext: _forOneSellerOnly, contextId: _ours, ...request } = mutation.request;
      const account = at.account === undefined ? {} : { account: at.account };
      const sent = { ...request, ...own, ...account, destinations, segmentId: id.value.id };
      return task.projectRequest(sent, profileOf(at));
    },
    (now) => mutation.request.action !== 'deactivate' || cannotTakeBack(now) === undefined,
  );
  const { registrations } = drafted;
  const leg =
    inUse.length === 0 ? drafted.leg : withoutTaken(drafted.leg, inUse.length, destinations.length === 0);
  if (ports.activations !== undefined && inUse.length > 0)
    await storeDeactivation(ports.activations, mutation.scope, {
      segment,
      targets: inUse,
      at: operation.createdAt,
    });
  const draft = {
    operation: isSettled(leg)
      ? { ...operation, status: 'completed' as const, settledAt: operation.createdAt }
      : operation,
    legs: [leg],
    registrations: registrations.filter(({ kind }) => kind !== 'report'),
    sellerBuys: [],
    packages: [],
    again: refreezesOf([drafted]),
  };
  return ok({ draft, secrets: secrets.value, sellers: [connection] });
}

/** A leg without the destinations that others use; where none is left, its agent is not called. */
function withoutTaken(leg: Leg, count: number, isNothingLeft: boolean): Leg {
  const marked = { ...leg, findings: [...leg.findings, storedForOthers(leg.seller, count)] };
  if (!isNothingLeft) return marked;
  return { ...marked, status: 'completed', answer: { deployments: [] }, observedAt: leg.createdAt };
}

/**
 * The error for a seller without deactivation in its form or tool: it would read the request as an
 * activation, so it is not called.
 */
function cannotTakeBack({ slug, form, dialect, tools }: Connection): TaskError | undefined {
  const named = tools?.[taskNameAt(task, dialect, tools)] ?? [];
  const isSupported =
    hasFeature(form, 'signalDeactivation') && (named.length === 0 || named.includes('action'));
  if (isSupported) return undefined;
  return taskError('UNSUPPORTED_FEATURE', `The agent ${slug} cannot deactivate a signal.`, {
    field: 'action',
    suggestion: 'Ask this agent outside the protocol to end the activation.',
    details: { seller: slug },
  });
}
