import type { BreakerBoard, CredentialVersion, Verdict } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { LegAnswer } from './query-seller.js';
import { cutOffCodes, type LegOutcome } from './fan-out.js';
import type { PlannedLeg } from '../plan-market.js';

/**
 * Reports the result of a leg to the breaker.
 *
 * Only results that delay the next query count as failures: no answer, broken connections, server errors. A seller that
 * answers, even with a refusal or an invalid payload, stays available. A 401 pauses the credential and has no effect on
 * the breaker.
 */
export function settleTicket<Answer>(
  board: BreakerBoard,
  outcome: LegOutcome<PlannedLeg, LegAnswer<Answer>>,
  credential: CredentialVersion | undefined,
  at: Instant,
): void {
  const { ticket } = outcome.leg;
  const failure = outcome.value?.failure;
  if (failure?.code === 'unauthorized' && credential !== undefined) {
    board.pauseCredential(ticket, credential, at);
  }
  board.settle(ticket, verdictOn(board, outcome), at, failure?.code ?? outcome.row.code?.toLowerCase());
}

function verdictOn<Answer>(
  board: BreakerBoard,
  { row, value }: LegOutcome<PlannedLeg, LegAnswer<Answer>>,
): Verdict {
  if (row.code === cutOffCodes.callerGone) return 'abandoned';
  if (row.status === 'slow') return board.verdictOnSlow(row.elapsed_ms);
  // No value: the call was not sent, or failed on our side.
  if (value === undefined) return 'abandoned';
  switch (value.failure?.code) {
    case undefined:
    case 'unauthorized':
    case 'malformed':
      return 'ok';
    case 'aborted':
    case 'credential_in_args':
    case 'stopped':
      return 'abandoned';
    default:
      return 'failed';
  }
}
