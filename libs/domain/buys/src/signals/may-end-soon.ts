import { activateSignal } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';

/** Agents report whole minutes: seconds are reported as one minute. */
const soonMinutes = 1;

/**
 * Whether a started activation may end while its buyer still waits. True for agents without an estimate;
 * false where the estimate is longer.
 */
export function mayEndSoon(leg: Leg): boolean {
  if (leg.task !== activateSignal.name) return false;
  if (leg.status !== 'submitted' && leg.status !== 'working') return false;
  const read = activateSignal.readAnswer(leg.answer ?? {}, leg.profile);
  const estimates = read.ok ? read.value.answer.deployments.map((one) => one.estimatedMinutes) : [];
  return estimates.every((minutes) => minutes === undefined || minutes <= soonMinutes);
}
