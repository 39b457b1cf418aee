import {
  streamText,
  verifyStream,
  type Anchor,
  type Block,
  type OpenStream,
  type StreamHead,
  type StreamVerdict,
} from '@switchyard/journal';
import { microsToDecimal } from '@switchyard/money';
import { isJsonObject } from '@switchyard/values';
import { restoreEntry, type LedgerEntry } from './entry/entry.js';
import type { SellerSpend } from './spend.js';

export const ledgerFormat = 'switchyard.ledger.export.1';

/** The result of verifying an export offline. */
interface ExportVerdict {
  /** The chain is valid up to its head, and every entry is readable and balanced. */
  readonly ok: boolean;
  readonly head: StreamHead;
  readonly chain: StreamVerdict;
  /** Positions `block/entry` of entries that cannot be read or do not balance. */
  readonly faults: readonly string[];
  /** Number of entries of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The sum of the `media_spend` postings, by seller and currency. */
  readonly spend: readonly SellerSpend[];
  /** SHA-256 of every message that an entry is based on, hexadecimal (docs/ledger.md#evidence). */
  readonly messages: ReadonlySet<string>;
}

/** Sees each entry of an export, with the number of its block. */
export type WatchEntry = (entry: LedgerEntry, block: bigint) => void;

/** Writes an organization's whole ledger as one document that can be verified offline, in parts. */
export function ledgerExport(stream: OpenStream): AsyncGenerator<string> {
  return streamText(ledgerFormat, stream);
}

/**
 * Verifies an export offline, and that it contains `anchors`. Throws `UnreadableBlock` where one of its
 * blocks cannot be read.
 */
export async function verifyLedgerExport(
  { head, blocks }: OpenStream,
  anchors: readonly Anchor[] = [],
  watch?: WatchEntry,
): Promise<ExportVerdict> {
  const tally = new Tally(watch);
  const chain = await verifyStream(tally.counting(blocks), head, anchors);
  const { faults, kinds, messages } = tally;
  const isWhole = chain.ok && faults.length === 0;
  return { ok: isWhole, head, chain, faults, kinds, spend: tally.spend(), messages };
}

/** Sums over the entries that were read from a stream. */
class Tally {
  constructor(private readonly watch: WatchEntry | undefined) {}

  readonly faults: string[] = [];
  readonly kinds: Record<string, number> = {};
  readonly messages = new Set<string>();
  readonly #sums = new Map<string, { readonly seller: string; readonly currency: string; micros: bigint }>();

  async *counting(blocks: AsyncIterable<Block> | Iterable<Block>): AsyncGenerator<Block> {
    for await (const block of blocks) {
      for (const [at, { body }] of block.entries.entries())
        this.#count(body, block.number, `${block.number}/${at}`);
      yield block;
    }
  }

  #count(body: string, block: bigint, place: string): void {
    const entry = restoreEntry(body);
    if (entry === undefined) {
      this.faults.push(place);
      return;
    }
    this.watch?.(entry, block);
    this.kinds[entry.kind] = (this.kinds[entry.kind] ?? 0) + 1;
    const { message } = entry.facts;
    if (isJsonObject(message) && typeof message['sha256'] === 'string') this.messages.add(message['sha256']);
    for (const { account, currency, amountMicros } of entry.postings) {
      if (account !== 'media_spend') continue;
      const key = `${entry.seller} ${currency}`;
      const sum = this.#sums.get(key) ?? { seller: entry.seller, currency, micros: 0n };
      sum.micros += amountMicros;
      this.#sums.set(key, sum);
    }
  }

  spend(): readonly SellerSpend[] {
    return [...this.#sums.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { seller, currency, micros }]) => ({
        seller,
        currency,
        spendMicros: micros,
        spend: microsToDecimal(micros),
      }));
  }
}
