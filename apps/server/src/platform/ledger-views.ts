import type { Checkpoint } from '@switchyard/journal';
import type { LedgerEntry } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { isoOf } from '@switchyard/values';
import type { LedgerEntryView, LedgerVerdict } from '../application/admin.js';

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

/** Where a verification began. */
export function checkpointView({
  head,
  verifiedAt,
  wholeAt,
}: Checkpoint): NonNullable<LedgerVerdict['since']> {
  return {
    entries: Number(head.entryTotal),
    verified_at: isoOf(verifiedAt),
    whole_at: isoOf(wholeAt),
  };
}
