import { shiftDay } from './period.js';

/** Days until an invoice is due, if no terms are set for its seller. */
export const usualTermDays = 30;

/** How long an amount has been due. */
export const agingBuckets = ['current', 'days_1_30', 'days_31_60', 'days_61_90', 'over_90'] as const;
type AgingBucket = (typeof agingBuckets)[number];

/** The open amount of an invoice for one client. */
export interface OpenInvoice {
  /** UUID. */
  readonly id: string;
  readonly seller: string;
  readonly currency: string;
  /** `YYYY-MM-DD`. */
  readonly dueOn: string;
  readonly openMicros: bigint;
  /** UUID; absent where its lines name no buy of a client. */
  readonly clientId?: string;
  readonly client?: string;
}

export interface AgingRow extends Readonly<Record<AgingBucket, bigint>> {
  readonly seller?: string;
  readonly clientId?: string;
  readonly client?: string;
  readonly currency: string;
  readonly totalMicros: bigint;
  readonly invoiceTotal: number;
}

/** The bucket of an amount by its due day; it is current up to and including that day. */
export function bucketOf(dueOn: string, today: string): AgingBucket {
  if (today <= dueOn) return 'current';
  if (today <= shiftDay(dueOn, 30)) return 'days_1_30';
  if (today <= shiftDay(dueOn, 60)) return 'days_31_60';
  if (today <= shiftDay(dueOn, 90)) return 'days_61_90';
  return 'over_90';
}

/** Open amounts by days overdue, one row per currency and requested group. Currencies are never added up. */
export function agingOf(
  open: readonly OpenInvoice[],
  today: string,
  by: ReadonlySet<'client' | 'seller'>,
): readonly AgingRow[] {
  const rows = new Map<string, { row: AgingRow; invoices: Set<string> }>();
  for (const invoice of open) {
    const seller = by.has('seller') ? invoice.seller : undefined;
    const clientId = by.has('client') ? invoice.clientId : undefined;
    const key = JSON.stringify([
      by.has('client') ? (invoice.client ?? '') : '',
      clientId,
      seller,
      invoice.currency,
    ]);
    const known = rows.get(key) ?? {
      row: {
        ...(seller !== undefined && { seller }),
        ...(clientId !== undefined && { clientId }),
        ...(clientId !== undefined && invoice.client !== undefined && { client: invoice.client }),
        currency: invoice.currency,
        current: 0n,
        days_1_30: 0n,
        days_31_60: 0n,
        days_61_90: 0n,
        over_90: 0n,
        totalMicros: 0n,
        invoiceTotal: 0,
      },
      invoices: new Set<string>(),
    };
    known.invoices.add(invoice.id);
    const bucket = bucketOf(invoice.dueOn, today);
    const { row } = known;
    rows.set(key, {
      invoices: known.invoices,
      row: {
        ...row,
        [bucket]: row[bucket] + invoice.openMicros,
        totalMicros: row.totalMicros + invoice.openMicros,
        invoiceTotal: known.invoices.size,
      },
    });
  }
  return [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, { row }]) => row);
}
