import { activateSignal, type ActivateSignalRequest } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/** What the frozen bytes of a leg ask a signals agent to do, in the agent's own ids; nothing of any other task. */
export function requestedActivation(leg: Leg): ActivateSignalRequest | undefined {
  if (leg.task !== activateSignal.name) return undefined;
  // An agent whose tool names no key was sent none; reading is not the place to miss it.
  const args = { idempotency_key: 'kept-for-reading-only', ...outboundOf(leg) };
  const read = activateSignal.readRequest(args, leg.profile, new Map());
  return read.ok ? read.value : undefined;
}
