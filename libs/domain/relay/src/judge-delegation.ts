import type { Micros } from '@switchyard/money';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { Delegation, DelegationStanding } from './delegation.js';
import type { RelayFaultCode } from './relay-fault.js';

/** What a request does under a delegation. */
export interface DelegatedAct {
  readonly seller: string;
  readonly task: string;
  readonly at: Instant;
  /** The amount that the request commits in addition; absent if it commits nothing. */
  readonly spend?: { readonly amount: Micros; readonly currency: string };
}

/** Checks of a delegation, in order. If none passes, the fault furthest down this list is returned. */
const questions = [
  'DELEGATION_REVOKED',
  'DELEGATION_EXPIRED',
  'DELEGATION_TASK_NOT_ALLOWED',
  'DELEGATION_CURRENCY_MISMATCH',
  'DELEGATION_BUDGET_EXCEEDED',
] as const satisfies readonly RelayFaultCode[];

/**
 * Finds the delegation that permits an act. Pure: the caller must count and commit money in one transaction with this
 * decision.
 * A principal may hold several delegations for one seller, and one is enough. The newest is checked first, so that a
 * renewed grant is used before the old one. If none permits the act, the fault is that of the delegation that passed
 * the most checks, because that is the one to renew.
 */
export function judgeDelegation(
  standings: readonly DelegationStanding[],
  act: DelegatedAct,
): Result<Delegation, RelayFaultCode> {
  const candidates = standings
    .filter(({ delegation }) => delegation.seller === act.seller)
    .toSorted((a, b) => b.delegation.grantedAt - a.delegation.grantedAt);
  let furthest = -1;
  for (const standing of candidates) {
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
