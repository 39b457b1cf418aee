import { activateSignal, type Deployment } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import {
  targetKey,
  type Activation,
  type ActivationRepository,
  type SegmentAt,
} from '../model/activation.js';
import { requestedActivation } from './activation-answer.js';
import { nextActivation } from './next-activation.js';

const failures: ReadonlySet<string> = new Set(['failed', 'rejected', 'canceled']);

/**
 * Stores the state of a signal from an agent's reply to an activation, whichever channel brought it. It is stored before
 * the leg: if the process dies between the two, the reply comes again and stores the same.
 */
export async function recordActivations(
  repository: ActivationRepository,
  scope: TenantScope,
  leg: Leg,
  { reply, at, requestedBy }: LegObservation & { readonly requestedBy?: string | undefined },
): Promise<void> {
  const requested = requestedActivation(leg);
  if (requested === undefined) return;
  const { segmentId, destinations, action = 'activate' } = requested;
  const segment = { connectionId: leg.connectionId, segmentId };
  const read = activateSignal.readAnswer(reply.payload, leg.profile);
  const reported = new Map(
    read.ok
      ? read.value.answer.deployments.map((deployment) => [targetKey(deployment), deployment] as const)
      : [],
  );
  const isFailed = failures.has(reply.status);
  await applyActivations(repository, scope, [segment], (rows) => {
    const known = new Map(rows.map((row) => [targetKey(row.target), row]));
    // A failure changes nothing where the signal was live before; nor does a failed deactivation.
    const withoutReport = (target: Deployment): Activation | undefined => {
      const before = known.get(targetKey(target));
      if (isFailed)
        return before?.state === 'activating' && action === 'activate'
          ? nextActivation(segment, target, { known: undefined, requested: 'poll', at })
          : undefined;
      // An agent need not list what it deactivated: after `completed`, every requested target is off.
      if (action === 'deactivate')
        return reply.status === 'completed'
          ? nextActivation(segment, target, { known: before, requested: action, at })
          : undefined;
      return before?.state === 'live'
        ? undefined
        : nextActivation(segment, target, { known: before, requested: 'activate', at });
    };
    const silent = destinations
      .filter((target) => !reported.has(targetKey(target)))
      .map((target) => withoutReport({ ...target, isLive: false }));
    // A signal may be live until its deactivation is completed.
    const isUnderWay = action === 'deactivate' && reply.status !== 'completed';
    const spoken = isFailed
      ? []
      : [...reported].map(([key, deployment]) =>
          nextActivation(segment, deployment, {
            known: known.get(key),
            requested: isUnderWay ? 'poll' : action,
            at,
          }),
        );
    const by = requestedBy === undefined ? {} : { requestedBy };
    const next = [...spoken, ...silent].filter((activation) => activation !== undefined);
    // Requested activations belong to this tenant from now on; deactivated ones no longer do.
    const own = next.map((activation) =>
      activation.state === 'off' ? activation : { ...activation, isRequested: true as const, ...by },
    );
    return { rows: own, made: undefined };
  });
}

/**
 * Stores what `apply` computes from the known activations of these signals. Where they changed meanwhile,
 * `apply` is called again with the new ones, so that no unread change is overwritten.
 */
export async function applyActivations<Made>(
  repository: ActivationRepository,
  scope: TenantScope,
  segments: readonly SegmentAt[],
  apply: (known: readonly Activation[]) => { readonly rows: readonly Activation[]; readonly made: Made },
): Promise<Made> {
  for (;;) {
    const known = segments.length === 0 ? [] : await repository.of(scope, segments);
    const { rows, made } = apply(known);
    if (rows.length === 0 || (await repository.store(scope, rows, known))) return made;
  }
}
