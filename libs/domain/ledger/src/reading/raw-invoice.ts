import { isDay } from '../finance/period.js';
import type { LineName } from './reading.js';
import type { ServiceDays } from './service-days.js';
import type { XmlNode } from './xml-node.js';

/** Codes of documents whose amounts are credits (UNTDID 1001). 384 corrects an invoice and bills. */
export const creditCodes = new Set(['381', '396', '261', '262', '296', '308', '420', '458', '532']);

/** An electronic invoice before its signs are set. */
export interface RawInvoice {
  readonly format: 'ubl' | 'cii' | 'fatturapa';
  readonly isCredit: boolean;
  readonly number: string;
  readonly issued: string;
  readonly due: string;
  readonly currency: string;
  readonly refersTo: string;
  readonly service: ServiceDays | undefined;
  readonly names: readonly LineName[];
  readonly lines: readonly RawLine[];
  /** Charges of the document; an allowance is negative. */
  readonly charges: readonly { readonly amount: string; readonly isCharge: boolean; readonly text: string }[];
  readonly taxes: readonly string[];
  readonly net: string;
  readonly gross: string;
  readonly prepaid: string;
  readonly rounding: string;
  readonly payable: string;
}

export interface RawLine {
  readonly amount: string;
  readonly units: string;
  readonly text: string;
  readonly names: readonly LineName[];
  readonly service: ServiceDays | undefined;
}

/** A name of a line, unless it is empty. */
export const name = (kind: LineName['kind'], text: string): readonly LineName[] =>
  text === '' ? [] : [{ kind, text: text.slice(0, 200) }];

/** A truth value of XML Schema. */
export const isTrue = (text: string): boolean => text === 'true' || text === '1';

/** Service days that a document says. */
export const daysOf = (from: string, to: string): ServiceDays | undefined =>
  isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;

/** What may be said in the currency of the country of the tax, or in another one beside it. */
const inOtherCurrencies = new Set([
  'TaxTotal',
  'WithholdingTaxTotal',
  'TaxTotalAmount',
  'PayableAlternativeAmount',
]);

/** A currency of an amount that is not that of its document: all of its amounts have one (BR-CL-03 of EN 16931). */
export function otherCurrency({ attributes, children }: XmlNode, currency: string): string | undefined {
  const own = attributes['currencyID']?.trim().toUpperCase();
  if (own !== undefined && own !== currency.toUpperCase()) return own.slice(0, 10);
  for (const child of children) {
    const other = inOtherCurrencies.has(child.name) ? undefined : otherCurrency(child, currency);
    if (other !== undefined) return other;
  }
  return undefined;
}
