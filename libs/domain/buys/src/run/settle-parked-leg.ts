import { taskError, type SellerReply, type TaskError } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { applyAndExplain, withLeg } from '../apply/apply-observation.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts } from '../model/ports.js';

/** A person's decision on a leg whose outcome could not be found automatically. */
interface LegVerdict {
  readonly legId: string;
  readonly outcome: 'made' | 'not-made';
  /** The seller's own id of the buy; required where a buy was made. */
  readonly sellerBuyId?: string;
  readonly reason: string;
  /** Who decided. */
  readonly by: string;
}

/** The finding that stores a person's decision on the leg. */
const settledByPerson = 'SETTLED_BY_PERSON';

/**
 * Settles a leg by a person's decision. Only a parked leg: other outcomes come from the seller. With `reach`,
 * a leg outside of it is not found.
 */
export async function settleParkedLeg(
  ports: Pick<BuysPorts, 'store' | 'clock'>,
  scope: TenantScope,
  verdict: LegVerdict,
  reach?: Reach,
): Promise<Result<OperationState, TaskError>> {
  const leg = await ports.store.leg(scope, verdict.legId, reach);
  if (leg === undefined)
    return err(taskError('REFERENCE_NOT_FOUND', 'No leg has this id.', { field: 'leg' }));
  if (leg.status !== 'parked')
    return err(
      taskError('INVALID_STATE', `The leg is ${leg.status}, and does not wait for a person.`, {
        field: 'leg',
      }),
    );
  const reply = replyOf(leg, verdict);
  if (!reply.ok) return reply;
  const taken = await ownerOf(ports, scope, leg, verdict);
  if (taken !== undefined) return err(taken);
  const at = ports.clock.now();
  const message = `${verdict.by} says ${verdict.outcome}: ${verdict.reason}`;
  const state = await ports.store.change(scope, leg.id, (before) => {
    const known = before.legs.find((candidate) => candidate.id === leg.id);
    if (known?.status !== 'parked') return before;
    // With the finding UNREADABLE_ANSWER, the decision would count as a second end.
    const findings = [
      ...known.findings.filter(({ code }) => code !== 'UNREADABLE_ANSWER'),
      { code: settledByPerson, message },
    ];
    const open: Leg = { ...known, status: 'sent', findings };
    return applyAndExplain(withLeg(before, open), leg.id, { source: 'person', at, reply: reply.value }).state;
  });
  return state === undefined ? err(taskError('REFERENCE_NOT_FOUND', 'No leg has this id.')) : ok(state);
}

function replyOf(leg: Leg, { outcome, sellerBuyId, reason }: LegVerdict): Result<SellerReply, TaskError> {
  if (outcome === 'not-made') {
    const error = taskError('SERVICE_UNAVAILABLE', `The seller did not do it: ${reason}`, {
      recovery: 'correctable',
    });
    return ok({ status: 'failed', replayed: false, payload: {}, errors: [error] });
  }
  const isChange = leg.sellerBuyId !== undefined;
  if (!isChange && sellerBuyId === undefined) {
    return err(
      taskError('INVALID_REQUEST', 'The id of the buy at the seller is missing.', {
        field: 'seller_buy',
        suggestion: 'Give it with --seller-buy.',
      }),
    );
  }
  const made: JsonObject = { media_buy_id: sellerBuyId ?? 'as known', packages: [] };
  return ok({ status: 'completed', replayed: false, payload: made, errors: [] });
}

/** The error where the seller's buy already belongs to another leg: one buy is the outcome of one leg. */
async function ownerOf(
  { store }: Pick<BuysPorts, 'store'>,
  scope: TenantScope,
  leg: Leg,
  { sellerBuyId }: LegVerdict,
): Promise<TaskError | undefined> {
  if (sellerBuyId === undefined) return undefined;
  const owner = await store.sellerBuyOf(scope, leg.connectionId, sellerBuyId);
  if (owner === undefined || owner.legId === leg.id || owner.id === leg.sellerBuyId) return undefined;
  return taskError('CONFLICT', 'This buy of the seller belongs to another leg.', { field: 'seller_buy' });
}
