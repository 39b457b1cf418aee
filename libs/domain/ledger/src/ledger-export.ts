import {
  readStreamDocument,
  streamDocument,
  verifyStream,
  type Anchor,
  type StreamHead,
  type StreamVerdict,
  type WholeStream,
} from '@switchyard/journal';
import { microsToDecimal } from '@switchyard/money';
import { ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { restoreEntry } from './entry.js';
import type { SellerSpend } from './spend.js';

export const ledgerFormat = 'switchyard.ledger.export.1';

/** What an export says of itself, with nobody asked. */
export interface ExportVerdict {
  /** The chain is whole up to its head, and every entry in it is one that we write: readable and balanced. */
  readonly ok: boolean;
  readonly head: StreamHead;
  readonly chain: StreamVerdict;
  /** Places `block/entry` of entries that cannot be read or do not balance. */
  readonly faults: readonly string[];
  /** How many entries there are of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The sum of all postings, by seller and currency. */
  readonly spend: readonly SellerSpend[];
}

/** An organization's whole ledger as one document that verifies by itself. */
export function ledgerExport(stream: WholeStream): JsonObject {
  return streamDocument(ledgerFormat, stream);
}

/** Checks an export offline, and that it passes through `anchors`. The fault names the member of the document where reading ended. */
export async function verifyLedgerExport(
  document: JsonValue,
  anchors: readonly Anchor[] = [],
): Promise<Result<ExportVerdict, { readonly field: string }>> {
  const read = readStreamDocument(ledgerFormat, document);
  if (!read.ok) return read;
  const { blocks, head } = read.value;
  const chain = await verifyStream(blocks, head, anchors);
  const faults: string[] = [];
  const kinds: Record<string, number> = {};
  const sums = new Map<string, { readonly seller: string; readonly currency: string; micros: bigint }>();
  for (const { number, entries } of blocks) {
    for (const [at, { body }] of entries.entries()) {
      const entry = restoreEntry(body);
      if (entry === undefined) {
        faults.push(`${number}/${at}`);
        continue;
      }
      kinds[entry.kind] = (kinds[entry.kind] ?? 0) + 1;
      for (const { account, currency, amountMicros } of entry.postings) {
        if (account !== 'media_spend') continue;
        const key = `${entry.seller} ${currency}`;
        const sum = sums.get(key) ?? { seller: entry.seller, currency, micros: 0n };
        sum.micros += amountMicros;
        sums.set(key, sum);
      }
    }
  }
  const spend = [...sums.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { seller, currency, micros }]) => ({
      seller,
      currency,
      spendMicros: micros,
      spend: microsToDecimal(micros),
    }));
  return ok({ ok: chain.ok && faults.length === 0, head, chain, faults, kinds, spend });
}
