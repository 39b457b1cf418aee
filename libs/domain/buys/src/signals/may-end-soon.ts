import { activateSignal } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';

/** Agents count in whole minutes: what takes seconds is announced as one. */
const soonMinutes = 1;

/**
 * Whether an activation that its agent has begun may well be over while its buyer still waits. Agents that name no time
 * are given the benefit of the doubt; one that names more is not waited for.
 */
export function mayEndSoon(leg: Leg): boolean {
  if (leg.task !== activateSignal.name) return false;
  if (leg.status !== 'submitted' && leg.status !== 'working') return false;
  const read = activateSignal.readAnswer(leg.answer ?? {}, leg.profile);
  const estimates = read.ok ? read.value.answer.deployments.map((one) => one.estimatedMinutes) : [];
  return estimates.every((minutes) => minutes === undefined || minutes <= soonMinutes);
}
