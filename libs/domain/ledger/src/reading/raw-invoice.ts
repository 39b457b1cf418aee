import { isDay } from '../finance/period.js';
import type { LineName } from './reading.js';
import type { ServiceDays } from './service-days.js';

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

/** Service days that a document says. */
export const daysOf = (from: string, to: string): ServiceDays | undefined =>
  isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;
