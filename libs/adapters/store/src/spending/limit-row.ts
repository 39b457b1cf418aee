import type { LimitKind, LimitUse } from '@switchyard/buys';

/** A limit and the sums that count against it, as one JSON row. */
export interface UseRow {
  readonly id: string;
  readonly kind: LimitKind;
  readonly key: string;
  readonly amount: string;
  readonly currency: string;
  readonly per: 'month' | null;
  readonly above: 'ask' | 'refuse';
  readonly created_at: string | Date;
  readonly sums:
    readonly { readonly currency: string; readonly pending: string; readonly committed: string }[] | null;
}

export function usesOf(rows: readonly UseRow[]): readonly LimitUse[] {
  return rows.map((row) => ({
    limit: {
      id: row.id,
      kind: row.kind,
      key: row.key,
      amount: BigInt(row.amount),
      currency: row.currency,
      above: row.above,
      createdAt: new Date(row.created_at).getTime(),
      ...(row.per === null ? {} : { per: row.per }),
    },
    sums: (row.sums ?? []).map(({ currency, pending, committed }) => ({
      currency,
      pending: BigInt(pending),
      committed: BigInt(committed),
    })),
  }));
}
