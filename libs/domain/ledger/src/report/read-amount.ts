import { currencyExponent, isCurrency, roundToMicros } from '@switchyard/money';
import type { Finding } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { BookedBuy } from './booked-buy.js';
import type { QuarantineReason } from './observation.js';

const maxAmountText = 128;
/**
 * A spend above this multiple of the budget is refused: it is certainly an error, and it could overflow the sums that
 * all sellers share. A smaller excess waits for a person: see `judgeSpend`.
 */
const budgetMultipleAtMost = 100n;

/**
 * Converts a reported spend to micros, rounded half to even (docs/protocol/media-buys.md#money); an error
 * where it cannot be a spend of this buy.
 */
export function readSpend(text: string, buy: BookedBuy, field: string): Result<bigint, QuarantineReason> {
  if (text.length > maxAmountText) {
    return err({ code: 'bad_amount', message: 'The spend is too long to be an amount.', field });
  }
  const micros = roundToMicros(text);
  if (!micros.ok) {
    return err({ code: 'bad_amount', message: `The spend cannot be read (${micros.error.code}).`, field });
  }
  if (micros.value < 0n) return err({ code: 'negative_amount', message: 'The spend is negative.', field });
  const budget = buy.packages.reduce((sum, { budgetMicros }) => sum + budgetMicros, 0n);
  if (micros.value > budgetMultipleAtMost * budget) {
    const message = `The spend is more than ${budgetMultipleAtMost} times the budget of the whole buy.`;
    return err({ code: 'absurd_amount', message, field });
  }
  return ok(micros.value);
}

/**
 * Checks the currency of a figure, which must be the buy's: that of the row, else of the report
 * (docs/ledger.md#amounts).
 */
export function readCurrency(
  ofRow: string | undefined,
  ofReport: string | undefined,
  buy: BookedBuy,
  field: string,
): Result<readonly Finding[], QuarantineReason> {
  const currency = ofRow ?? ofReport ?? buy.currency;
  if (currency !== buy.currency) {
    const reported = isCurrency(currency) ? currency : 'another currency';
    const message = `The buy is in ${buy.currency}, the figure in ${reported}.`;
    return err({ code: 'currency_mismatch', message, field: `${field}.currency` });
  }
  if (ofRow === undefined && ofReport === undefined) {
    return ok([{ code: 'CURRENCY_ASSUMED', message: `No currency was named: taken as ${currency}.`, field }]);
  }
  if (ofRow === undefined || ofReport === undefined || ofRow === ofReport) return ok([]);
  const message = "The package's currency differs from the report's.";
  return ok([{ code: 'CURRENCY_CONFLICT', message, field }]);
}

/** Half of the currency's smallest unit, in micros. */
export function halfMinorUnit(currency: string): bigint {
  return 10n ** BigInt(6 - currencyExponent(currency)) / 2n;
}
