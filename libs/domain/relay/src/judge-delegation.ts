import type { Micros } from '@switchyard/money';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { Delegation, DelegationStanding } from './delegation.js';
import type { RelayFaultCode } from './relay-fault.js';

/** What a request would do under a delegation. */
export interface DelegatedAct {
  readonly seller: string;
  readonly task: string;
  readonly at: Instant;
  /** What it commits beyond what stands already; absent where it commits nothing. */
  readonly spend?: { readonly amount: Micros; readonly currency: string };
}

/** How far a delegation carries an act, in the order in which it is asked. The furthest one names the fault. */
const questions = [
  'DELEGATION_REVOKED',
  'DELEGATION_EXPIRED',
  'DELEGATION_TASK_NOT_ALLOWED',
  'DELEGATION_CURRENCY_MISMATCH',
  'DELEGATION_BUDGET_EXCEEDED',
] as const satisfies readonly RelayFaultCode[];

/**
 * Finds the delegation that an act stands under. Pure: whoever commits money counts and commits it in one step with
 * this decision.
 *
 * Several may be held for one seller, and any one suffices; the newest is asked first, so that a renewed grant is
 * used before the old one. Where none carries the act, the one that came closest says why, since it is the one that
 * somebody has to renew.
 */
export function judgeDelegation(
  held: readonly DelegationStanding[],
  act: DelegatedAct,
): Result<Delegation, RelayFaultCode> {
  const ours = held
    .filter(({ delegation }) => delegation.seller === act.seller)
    .toSorted((a, b) => b.delegation.grantedAt - a.delegation.grantedAt);
  let furthest = -1;
  for (const standing of ours) {
    const fault = firstFault(standing, act);
    if (fault === undefined) return ok(standing.delegation);
    furthest = Math.max(furthest, questions.indexOf(fault));
  }
  return err(questions[furthest] ?? 'DELEGATION_MISSING');
}

function firstFault(
  { delegation, committed }: DelegationStanding,
  act: DelegatedAct,
): (typeof questions)[number] | undefined {
  if (delegation.revokedAt !== undefined && act.at >= delegation.revokedAt) return 'DELEGATION_REVOKED';
  if (act.at >= delegation.until) return 'DELEGATION_EXPIRED';
  if (!delegation.tasks.includes(act.task)) return 'DELEGATION_TASK_NOT_ALLOWED';
  const { budget } = delegation;
  if (budget === undefined || act.spend === undefined) return undefined;
  if (act.spend.currency !== budget.currency) return 'DELEGATION_CURRENCY_MISMATCH';
  return committed + act.spend.amount > budget.ceiling ? 'DELEGATION_BUDGET_EXCEEDED' : undefined;
}
