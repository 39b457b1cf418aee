import { isSettled, type Leg, type OperationState } from '@switchyard/buys';
import type { SellerRow } from '@switchyard/protocol';

/** The rows of a mutation: one per leg, in the words of ruling 12. */
export function legRows(state: OperationState): readonly SellerRow[] {
  return state.legs.map((leg) =>
    legRow(leg, state.packages.filter((item) => item.legId === leg.id && item.sellerPackageId).length),
  );
}

export function legRow(leg: Leg, items: number): SellerRow {
  const [error] = leg.errors;
  return {
    seller: leg.seller,
    elapsed_ms: leg.elapsedMs ?? 0,
    items,
    ...rowStatus(leg),
    ...(error === undefined ? {} : { code: error.code }),
  };
}

function rowStatus(leg: Leg): Pick<SellerRow, 'status' | 'reason'> {
  const [error] = leg.errors;
  if (leg.status === 'completed') return { status: 'answered', reason: 'Done.' };
  if (leg.status === 'parked')
    return { status: 'slow', reason: 'The outcome is not known; a person has to look.' };
  if (leg.status === 'pending' || leg.status === 'sent')
    return { status: 'slow', reason: 'No answer yet; it is followed up.' };
  if (!isSettled(leg)) return { status: 'answered', reason: `The seller is at it: ${leg.status}.` };
  if (leg.status === 'rejected' || leg.status === 'canceled')
    return { status: 'refused', reason: error?.message ?? `The seller says ${leg.status}.` };
  const unreachable = error?.code === 'SERVICE_UNAVAILABLE';
  return { status: unreachable ? 'failed' : 'refused', reason: error?.message ?? 'The seller failed.' };
}
