import { isPayable } from '@switchyard/money';

/** Why nothing of an invoice, or not all of it, is paid now. */
export type NotPayable = 'voided' | 'held' | 'not_approved' | 'disputed' | 'ordered' | 'settled';

interface InvoiceToPay {
  readonly id: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly number: string;
  readonly currency: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly totalMicros: bigint;
  readonly taxMicros: bigint;
  readonly openMicros: bigint;
  readonly holdReason?: string;
}

/** What can be paid of an invoice now: what is open of an approved one, less what is held and what is ordered already. */
export interface PayableInvoice extends InvoiceToPay {
  readonly payableMicros: bigint;
  /** Absent where all that is open can be paid. */
  readonly reason?: NotPayable;
}

/** What stands against an invoice. Amounts in micros of its currency. */
export interface InvoiceBlocks {
  readonly heldMicros: bigint;
  readonly orderedMicros: bigint;
  readonly isApproved: boolean;
  readonly isVoided: boolean;
}

export function payableOf(invoice: InvoiceToPay, blocks: InvoiceBlocks): PayableInvoice {
  const rest = invoice.openMicros - blocks.heldMicros - blocks.orderedMicros;
  const reason = reasonOf(invoice, blocks);
  const isBlocked = reason !== undefined && reason !== 'disputed' && reason !== 'ordered';
  return {
    ...invoice,
    payableMicros: isBlocked || rest < 0n ? 0n : rest,
    ...(reason !== undefined && { reason }),
  };
}

function reasonOf(
  { holdReason, openMicros }: InvoiceToPay,
  { heldMicros, orderedMicros, isApproved, isVoided }: InvoiceBlocks,
): NotPayable | undefined {
  if (isVoided) return 'voided';
  if (holdReason !== undefined) return 'held';
  if (openMicros <= 0n) return 'settled';
  if (!isApproved) return 'not_approved';
  if (heldMicros > 0n) return 'disputed';
  return orderedMicros > 0n ? 'ordered' : undefined;
}

/** The largest amount that a bank can pay of this one: without decimals that the currency does not have. */
export function wholeUnits(micros: bigint, currency: string): bigint {
  let unit = 1n;
  while (!isPayable(unit, currency)) unit *= 10n;
  return micros - (micros % unit);
}
