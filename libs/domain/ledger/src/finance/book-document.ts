import type { Instant } from '@switchyard/values';
import { foldName } from '../reading/header-names.js';
import type { FileReading, LineType, ReadDocument, ReadLine } from '../reading/reading.js';
import { buyOfNames, type KnownThings } from '../reading/settle-reading.js';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import type { Posting } from '../entry/posting.js';
import type { InvoiceHead, InvoiceLine } from './invoice.js';
import { daysOfPeriod, periodOfDay, shiftDay } from './period.js';

/** Lines that are added up between two pauses. */
const linesAtOnce = 1_000;

/**
 * A document in the form in which it is booked; undefined while it lacks its number, a day or its currency. Its period is
 * the month of its last service day. Pauses between steps.
 */
export function* documentHead(
  reading: FileReading,
  document: ReadDocument,
): Generator<void, InvoiceHead | undefined> {
  const { number, issued, currency, serviceFrom, serviceTo } = document;
  const isWhole = number !== undefined && issued !== undefined && currency !== undefined;
  if (!isWhole || serviceFrom === undefined || serviceTo === undefined) return undefined;
  const byType: Partial<Record<LineType, bigint>> = {};
  let lineTotal = 0;
  for (const { type, amountMicros } of reading.linesOf(document)) {
    byType[type] = (byType[type] ?? 0n) + amountMicros;
    lineTotal += 1;
    // Also after the first: a file may have a thousand documents of few lines.
    if (lineTotal % linesAtOnce === 1) yield;
  }
  return {
    number,
    period: periodOfDay(serviceTo),
    issuedOn: issued,
    currency,
    totalMicros: document.grossMicros,
    lineTotal,
    kind: document.kind,
    serviceFrom,
    serviceTo,
    netMicros: document.netMicros,
    taxMicros: document.taxMicros,
    byType,
    ...(document.due !== undefined && { dueOn: document.due }),
    ...(document.refersTo !== undefined && { refersTo: document.refersTo }),
  };
}

/** A line in the form in which it is booked: under the seller's id of the buy that its names mean. */
export function bookedLine(line: ReadLine, buys: KnownThings['buys']): InvoiceLine {
  const nameOf = (kind: ReadLine['names'][number]['kind']): string | undefined =>
    line.names.find((name) => name.kind === kind)?.text;
  const sellerMediaBuyId = buyOfNames(line.names, buys)?.sellerMediaBuyId ?? nameOf('seller_buy');
  const [packageRef, poNumber] = [nameOf('package'), nameOf('po')];
  return {
    line: line.line,
    type: line.type,
    amountMicros: line.amountMicros,
    ...(sellerMediaBuyId !== undefined && { sellerMediaBuyId }),
    ...(packageRef !== undefined && { packageRef }),
    ...(poNumber !== undefined && { poNumber }),
    ...(line.description !== undefined && { description: line.description }),
    ...(line.units !== undefined && { units: BigInt(line.units) }),
    ...(line.serviceFrom !== undefined && { serviceFrom: line.serviceFrom }),
    ...(line.serviceTo !== undefined && { serviceTo: line.serviceTo }),
  };
}

/** The form in which numbers of documents are compared: `NW 2611` is `nw-2611`. A number without letters and digits is itself. */
export const foldedNumber = (number: string): string => foldName(number) || `=${number}`;

/** The account of what a line bills. Media is held against delivery; what comes on top of it has accounts of its own. */
const accountOf: Readonly<Record<LineType, Posting['account']>> = {
  media: 'seller_payable',
  open: 'seller_payable',
  credit: 'seller_payable',
  fee: 'seller_fees',
  tax: 'input_tax',
  commission: 'commission_income',
};

/**
 * Moves what was owed by delivery to owed by invoice, and books fees, tax and commission beside it; dated to the last day
 * that is billed, or to the first open day (docs/ledger.md#invoices-and-breaks).
 */
function invoicePostings(head: InvoiceHead, open: string | undefined): readonly Posting[] {
  const { period, currency, totalMicros, serviceTo, byType = { open: totalMicros } } = head;
  const last = serviceTo ?? shiftDay(daysOfPeriod(period).to, -1);
  const day = open !== undefined && last < open ? open : last;
  const amounts = new Map<Posting['account'], bigint>();
  for (const [type, amount] of Object.entries(byType) as [LineType, bigint][]) {
    const account = accountOf[type];
    amounts.set(account, (amounts.get(account) ?? 0n) + amount);
  }
  const posted = [...amounts, ['seller_invoiced', -totalMicros] as const];
  return posted.flatMap(([account, amountMicros]) =>
    amountMicros === 0n ? [] : [{ account, day, currency, amountMicros }],
  );
}

/** Where an invoice comes from, and when it is booked. */
interface InvoiceBooking {
  /** UUID of the invoice. */
  readonly id: string;
  readonly entryId: string;
  /** The seller's slug. */
  readonly seller: string;
  /** SHA-256 of its file, hexadecimal. */
  readonly fileHash: string;
  /** The first open day, `YYYY-MM-DD`; absent if no period was closed. */
  readonly openFrom: string | undefined;
  readonly at: Instant;
}

/** The entry that books an invoice. */
export function invoiceEntry(
  head: InvoiceHead,
  { id, entryId, seller, fileHash, openFrom, at }: InvoiceBooking,
): LedgerEntry {
  const { kind, serviceFrom, serviceTo, netMicros, taxMicros } = head;
  return entryOf({
    ...{ id: entryId, kind: 'invoice', operationId: id, seller, occurredAt: at },
    postings: invoicePostings(head, openFrom),
    facts: {
      invoice_id: id,
      number: head.number,
      period: head.period,
      issued_on: head.issuedOn,
      original_sha256: fileHash,
      line_total: head.lineTotal,
      ...(kind !== undefined && { document: kind }),
      ...(serviceFrom !== undefined &&
        serviceTo !== undefined && { service_from: serviceFrom, service_to: serviceTo }),
      ...(netMicros !== undefined && { net_micros: netMicros.toString() }),
      ...(taxMicros !== undefined && { tax_micros: taxMicros.toString() }),
    },
  });
}

/** The lines that take an entry back, on the day of each or on the first open day. */
export function voidPostings(posted: readonly Posting[], open: string | undefined): readonly Posting[] {
  return posted.map(({ day, amountMicros, ...line }) => ({
    ...line,
    day: open !== undefined && day < open ? open : day,
    amountMicros: -amountMicros,
  }));
}
