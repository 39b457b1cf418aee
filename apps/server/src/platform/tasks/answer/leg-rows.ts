import { isSettled, type Leg, type OperationState } from '@switchyard/buys';
import { readProgressWords, type SellerRow } from '@switchyard/protocol';

/** The rows of a mutation: one per leg (docs/protocol/requests-and-versions.md#sellers-in-an-answer). */
export function legRows(state: OperationState): readonly SellerRow[] {
  const { task } = state.operation;
  return state.legs
    .filter((leg) => leg.task === task)
    .map((leg) => {
      const items = state.packages.filter(
        (item) => (item.legId === leg.id || leg.sellerBuyId !== undefined) && item.seller === leg.seller,
      );
      const row = legRow(leg, items.filter((item) => item.sellerPackageId !== undefined).length);
      const undo = state.legs.find((other) => other.task !== task && other.seller === leg.seller);
      return undo === undefined || undo.status === 'held' ? row : undoneRow(row, undo);
    });
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
    return { status: 'slow', reason: 'The outcome is unknown. A person must check it.' };
  if (leg.status === 'held') return { status: 'slow', reason: 'Waiting for an internal approval.' };
  if (leg.status === 'pending' || leg.status === 'sent')
    return { status: 'slow', reason: 'There is no answer yet. Switchyard keeps asking.' };
  if (!isSettled(leg)) return { status: 'answered', reason: openReason(leg) };
  if (leg.status === 'rejected' || leg.status === 'canceled')
    return { status: 'refused', reason: error?.message ?? `The seller reports ${leg.status}.` };
  const unreachable = error?.code === 'SERVICE_UNAVAILABLE';
  return { status: unreachable ? 'failed' : 'refused', reason: error?.message ?? 'The seller failed.' };
}

/** The state of an open leg, with the seller's own text about it. */
function openReason({ status, answer, errors }: Leg): string {
  const { percentage, text = errors[0]?.message } = readProgressWords(answer ?? {});
  const far = percentage === undefined ? '' : `, ${percentage} %`;
  return `Waiting for the seller: ${status}${far}.${text === undefined ? '' : ` ${text}`}`;
}

/** A part that was made and then undone, because another seller refused under all or nothing. */
function undoneRow(row: SellerRow, undo: Leg): SellerRow {
  const reported =
    undo.status === 'completed'
      ? 'Made, and canceled again: the request was all or nothing.'
      : isSettled(undo)
        ? `Made, and the seller did not cancel it: ${undo.errors[0]?.message ?? undo.status}`
        : 'Made, and its cancellation is pending.';
  return { ...row, status: 'refused', reason: reported, code: undo.errors[0]?.code ?? 'ALL_OR_NOTHING' };
}
