import { activateSignal, type ActivateSignalAnswer, type ActivateSignalRequest } from '@switchyard/protocol';
import type { OperationState } from '../model/operation-state.js';
import { targetKey } from '../model/activation.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

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

/** The activation that a leg requests, with the agent's own ids; undefined for any other task. */
export function requestedActivation(leg: Leg): ActivateSignalRequest | undefined {
  if (leg.task !== activateSignal.name) return undefined;
  // An agent whose tool lists no key was sent none; the reader requires one.
  const args = { idempotency_key: 'kept-for-reading-only', ...outboundOf(leg) };
  const read = activateSignal.readRequest(args, leg.profile, new Map());
  return read.ok ? read.value : undefined;
}
