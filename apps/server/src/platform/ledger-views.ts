import type { LedgerEntry } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { isoOf } from '@switchyard/values';
import type { LedgerEntryView } from '../application/admin.js';

/** One entry for people and programs outside. */
export function entryView(entry: LedgerEntry): LedgerEntryView {
  return {
    entry_id: entry.id,
    kind: entry.kind,
    occurred_at: isoOf(entry.occurredAt),
    seller: entry.seller,
    hash: entry.hash,
    postings: entry.postings.map(({ account, day, currency, amountMicros }) => ({
      account,
      day,
      currency,
      amount: microsToDecimal(amountMicros),
    })),
    facts: entry.facts,
  };
}
