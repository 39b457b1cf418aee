import type { Connection } from '@switchyard/sellers';
import type { Leg } from './operation.js';

/**
 * What to do with a leg that nobody is working on: after a crash, or after a call whose outcome we did not see.
 *
 * - `send`: it never left, so it is sent for the first time.
 * - `send_again`: the seller promises idempotency, so the same key and the same bytes tell us what happened.
 * - `read_back`: without that promise a second send could buy twice; the seller is asked what it has (ruling 17).
 * - `poll`: the seller is working on it.
 * - `leave`: it is settled, or a person has it.
 */
export type NextStep = 'send' | 'send_again' | 'read_back' | 'poll' | 'leave';

/** After so many sends of a mutation without an outcome a person has to look. */
export const sendsAtMost = 6;

export function nextStep(leg: Leg, connection: Pick<Connection, 'capabilities'>): NextStep {
  switch (leg.status) {
    case 'pending':
      return 'send';
    case 'sent':
      if (leg.attempts >= sendsAtMost) return 'read_back';
      return connection.capabilities?.idempotency.supported === true ? 'send_again' : 'read_back';
    case 'submitted':
    case 'working':
    case 'input-required':
    case 'auth-required':
      return 'poll';
    default:
      return 'leave';
  }
}

/** Milliseconds before the next try of a leg that was sent `attempts` times: 2 s, doubled each time, at most 60 s. */
export function pauseBeforeRetryMs(attempts: number): number {
  return Math.min(60_000, 2_000 * 2 ** Math.max(0, attempts - 1));
}
