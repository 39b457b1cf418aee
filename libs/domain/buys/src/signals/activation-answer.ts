import { activateSignal, type ActivateSignalAnswer } from '@switchyard/protocol';
import type { OperationState } from '../model/operation-store.js';
import { targetKey } from './activation.js';
import { requestedActivation } from './requested-activation.js';

/**
 * How a signal stands at every place that an activation asked for, as far as its agent has said. Every form demands the
 * list, also of an answer that is still open; a place of which nothing was said is not live.
 */
export function activationAnswer({ operation, legs }: OperationState): ActivateSignalAnswer {
  const [leg] = legs;
  if (leg === undefined) return { deployments: [], warnings: [] };
  const read = activateSignal.readAnswer(leg.answer ?? {}, leg.profile);
  const { deployments, warnings } = read.ok ? read.value.answer : { deployments: [], warnings: [] };
  const reported = new Set(deployments.map(targetKey));
  // Of what the buyer asked for, which is more than its agent was asked where others hold a place.
  const requested = activateSignal.readRequest(operation.request, operation.profile, new Map());
  const places = requested.ok ? requested.value.destinations : (requestedActivation(leg)?.destinations ?? []);
  const silent = places.filter((target) => !reported.has(targetKey(target)));
  return {
    deployments: [...deployments, ...silent.map((target) => ({ ...target, isLive: false }))],
    warnings,
  };
}
