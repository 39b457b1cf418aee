import type { MediaBuyStatus } from '@switchyard/protocol';
import type { BuyChange, Leg } from '../model/operation.js';
import { placeOf, type ChangedBy } from './record-changes.js';

/** The finding on a leg whose seller reported an illegal transition. */
export const illegalTransition = 'ILLEGAL_TRANSITION';

/** The finding on a leg whose seller reported a second end; the first one stays. */
export const terminalConflict = 'TERMINAL_CONFLICT';
/** The finding on a leg whose seller returned an earlier status when it was polled. */
export const taskRegression = 'TASK_REGRESSION';

/** The record of a refused transition. */
export function refusedStatus(by: ChangedBy, reported: MediaBuyStatus, revision: number): BuyChange {
  const detail = { from: by.sellerBuy.status, to: reported };
  return { ...placeOf(by), actor: 'seller', action: 'refused_transition', revision, detail };
}

/** The same as a finding on the leg. */
export function withRefusal(
  legs: readonly Leg[],
  leg: Pick<Leg, 'id'>,
  from: MediaBuyStatus,
  to: MediaBuyStatus,
): readonly Leg[] {
  const finding = {
    code: illegalTransition,
    message: `The seller reports ${to} of a buy that is ${from}: this transition is not allowed and was not applied.`,
  };
  return legs.map((current) => {
    const isKnown = current.findings.some(
      ({ code, message }) => code === finding.code && message === finding.message,
    );
    return current.id !== leg.id || isKnown
      ? current
      : { ...current, findings: [...current.findings, finding] };
  });
}
