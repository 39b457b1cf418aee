import type { LedgerEntry } from '@switchyard/ledger';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import { isJsonObject, type JsonObject } from '@switchyard/values';

/**
 * Adds up what the entries of a ledger say of the lines of a statement: spend of one buy at one seller in one currency, on
 * days of the statement's period, until the block that the statement names.
 */
export class StatementSums {
  readonly #period: string;
  readonly #until: bigint;
  readonly #scope: string;
  readonly #seller: string;
  readonly #sums = new Map<string, bigint>();

  constructor(
    private readonly statement: JsonObject,
    until: bigint,
  ) {
    const { period, scope } = statement;
    const { kind, id } = isJsonObject(scope) ? scope : {};
    this.#period = typeof period === 'string' ? period : '';
    this.#scope = typeof kind === 'string' ? kind : '';
    this.#seller = typeof id === 'string' ? id : '';
    this.#until = until;
  }

  add(entry: LedgerEntry, block: bigint): void {
    if (block > this.#until) return;
    if (this.#scope === 'seller' && entry.seller !== this.#seller) return;
    for (const { account, day, currency, amountMicros } of entry.postings) {
      if (account !== 'media_spend' || !day.startsWith(`${this.#period}-`)) continue;
      const key = keyOf(entry.seller, entry.mediaBuyId ?? '', currency);
      this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amountMicros);
    }
  }

  /**
   * Lines that the ledger does not bear out, as sentences. Spend that the statement leaves out is a fault only where it is
   * of the whole organization or one seller: which client or campaign a buy belongs to may have changed since.
   */
  faults(): readonly string[] {
    const stated = new Map<string, bigint>();
    const lines = Array.isArray(this.statement['lines']) ? this.statement['lines'].filter(isJsonObject) : [];
    for (const { seller, media_buy_id: buy, currency, spend } of lines) {
      const amount = typeof spend === 'string' ? parseDecimal(spend) : undefined;
      if (amount?.ok !== true) continue;
      const key = keyOf(textOf(seller), textOf(buy), textOf(currency));
      stated.set(key, (stated.get(key) ?? 0n) + amount.value);
    }
    const isWhole = this.#scope === 'organization' || this.#scope === 'seller';
    const keys = isWhole ? new Set([...stated.keys(), ...this.#sums.keys()]) : stated.keys();
    return [...keys].flatMap((key) => {
      const [ours, theirs] = [stated.get(key) ?? 0n, this.#sums.get(key) ?? 0n];
      if (ours === theirs) return [];
      const [seller, buy, currency] = JSON.parse(key) as [string, string, string];
      const what = `${seller}${buy === '' ? '' : `, ${buy}`}`;
      return [
        `The statement says ${microsToDecimal(ours)} ${currency} for ${what}, and the ledger ${microsToDecimal(theirs)}.`,
      ];
    });
  }
}

const keyOf = (seller: string, buy: string, currency: string): string =>
  JSON.stringify([seller, buy, currency]);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
