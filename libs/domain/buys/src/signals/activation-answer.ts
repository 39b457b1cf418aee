import { activateSignal, type ActivateSignalAnswer } from '@switchyard/protocol';
import type { OperationState } from '../model/operation-store.js';
import { targetKey } from './activation.js';
import { requestedActivation } from './requested-activation.js';

/**
 * The state of a signal at every requested destination. Every form requires the list, also in an open answer;
 * an unreported destination is not live.
 */
export function activationAnswer({ operation, legs }: OperationState): ActivateSignalAnswer {
  const [leg] = legs;
  if (leg === undefined) return { deployments: [], warnings: [] };
  const read = activateSignal.readAnswer(leg.answer ?? {}, leg.profile);
  const { deployments, warnings } = read.ok ? read.value.answer : { deployments: [], warnings: [] };
  const reported = new Set(deployments.map(targetKey));
  // From the buyer's request, which names more than the agent was sent where others use a destination.
  const requested = activateSignal.readRequest(operation.request, operation.profile, new Map());
  const places = requested.ok ? requested.value.destinations : (requestedActivation(leg)?.destinations ?? []);
  const silent = places.filter((target) => !reported.has(targetKey(target)));
  return {
    deployments: [...deployments, ...silent.map((target) => ({ ...target, isLive: false }))],
    warnings,
  };
}
