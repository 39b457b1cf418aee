import { activateSignal, type ActivateSignalRequest } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/** The activation that a leg requests, with the agent's own ids; undefined for any other task. */
export function requestedActivation(leg: Leg): ActivateSignalRequest | undefined {
  if (leg.task !== activateSignal.name) return undefined;
  // An agent whose tool lists no key was sent none; the reader requires one.
  const args = { idempotency_key: 'kept-for-reading-only', ...outboundOf(leg) };
  const read = activateSignal.readRequest(args, leg.profile, new Map());
  return read.ok ? read.value : undefined;
}
