import { isCurrency, microsToDecimal, parseDecimal } from '@switchyard/money';
import { isDay, shiftDay } from '../finance/period.js';
import { ciiOf, names16931, namesZugferd1 } from './cii.js';
import { fatturePa } from './fattura-pa.js';
import { lineTypeOfWords } from './header-names.js';
import {
  creditCodes,
  daysOf,
  isTrue,
  name,
  otherCurrency,
  type RawInvoice,
  type RawLine,
} from './raw-invoice.js';
import {
  linesInPreview,
  type FileReading,
  type LineName,
  type ReadDocument,
  type ReadLine,
  type ReadingOptions,
  type ReadingQuestion,
} from './reading.js';
import { typeByWords } from './row-reader.js';
import { serviceDaysOf, type ServiceDays } from './service-days.js';
import { ReadingFault } from './split-rows.js';
import { nodeAt, nodesAt, textAt, type XmlNode } from './xml-node.js';

const documentNames = new Set(['Invoice', 'CreditNote', 'CrossIndustryInvoice']);

/** Documents of one file. */
const documentsAtMost = 1_000;

/**
 * Reads an invoice or credit note of EN 16931, in UBL 2.1 or CII, or the older CII of ZUGFeRD 1, or the documents of a
 * FatturaPA file. Throws `ReadingFault` for any other document.
 */
export function readEInvoice(root: XmlNode, options: ReadingOptions): FileReading {
  // Peppol sends documents in an envelope.
  const inside =
    root.name === 'StandardBusinessDocument'
      ? root.children.find(({ name: of }) => documentNames.has(of))
      : undefined;
  if (inside !== undefined) return readEInvoice(inside, options);
  if (root.name === 'Invoice' || root.name === 'CreditNote') return readingOf(ublOf(root), options, root);
  if (root.name === 'CrossIndustryInvoice') return readingOf(ciiOf(root, names16931), options, root);
  if (root.name === 'CrossIndustryDocument') return readingOf(ciiOf(root, namesZugferd1), options, root);
  if (root.name === 'FatturaElettronica')
    return together(
      fatturePa(root)
        .slice(0, documentsAtMost)
        .map((raw) => readingOf(raw, options)),
    );
  throw new ReadingFault(
    `The XML document ${root.name.slice(0, 60)} is no invoice in UBL, CII or FatturaPA.`,
  );
}

/** One reading of several documents of a file. */
function together(readings: readonly FileReading[]): FileReading {
  const [first] = readings;
  if (first === undefined) throw new ReadingFault('The file holds no invoice.');
  const ids = new Set<string>();
  return {
    recognised: first.recognised,
    documents: readings.flatMap(({ documents }) => documents),
    questions: readings.flatMap(({ questions }) => questions).filter(({ id }) => !ids.has(id) && ids.add(id)),
    checks: readings.flatMap(({ checks }) => checks),
    faults: readings.flatMap(({ faults }) => faults),
    linesOf: (document) =>
      readings.find(({ documents }) => documents.includes(document))?.linesOf(document) ?? [],
  };
}

function ublOf(root: XmlNode): RawInvoice {
  const isNote = root.name === 'CreditNote';
  const lineName = isNote ? 'CreditNoteLine' : 'InvoiceLine';
  const total = nodeAt(root, 'LegalMonetaryTotal');
  const currency = textAt(root, 'DocumentCurrencyCode');
  const names: LineName[] = [
    ...name('buyer_reference', textAt(root, 'BuyerReference')),
    ...name('po', textAt(root, 'OrderReference', 'ID')),
    ...name('order', textAt(root, 'ContractDocumentReference', 'ID')),
    ...name('campaign', textAt(root, 'ProjectReference', 'ID')),
  ];
  return {
    format: 'ubl',
    isCredit: isNote || creditCodes.has(textAt(root, 'InvoiceTypeCode')),
    number: textAt(root, 'ID'),
    issued: textAt(root, 'IssueDate'),
    due: textAt(root, 'DueDate') || textAt(root, 'PaymentMeans', 'PaymentDueDate'),
    currency,
    refersTo: onlyOne(nodesAt(root, 'BillingReference', 'InvoiceDocumentReference', 'ID')),
    service: daysOf(textAt(root, 'InvoicePeriod', 'StartDate'), textAt(root, 'InvoicePeriod', 'EndDate')),
    names,
    lines: nodesAt(root, lineName).map((line) => ({
      amount: textAt(line, 'LineExtensionAmount'),
      units: textAt(line, isNote ? 'CreditedQuantity' : 'InvoicedQuantity'),
      text: textAt(line, 'Item', 'Name') || textAt(line, 'Item', 'Description') || textAt(line, 'Note'),
      names: [
        ...name('package', textAt(line, 'OrderLineReference', 'LineID')),
        ...name('seller_buy', textAt(line, 'DocumentReference', 'ID')),
        ...name('po', textAt(line, 'OrderLineReference', 'OrderReference', 'ID')),
      ],
      service: daysOf(textAt(line, 'InvoicePeriod', 'StartDate'), textAt(line, 'InvoicePeriod', 'EndDate')),
    })),
    charges: nodesAt(root, 'AllowanceCharge').map((charge) => ({
      amount: textAt(charge, 'Amount'),
      isCharge: isTrue(textAt(charge, 'ChargeIndicator')),
      text: textAt(charge, 'AllowanceChargeReason'),
    })),
    // A document may also say the tax in the currency of its country.
    taxes: nodesAt(root, 'TaxTotal', 'TaxAmount')
      .filter(({ attributes }) => (attributes['currencyID'] ?? currency) === currency)
      .map(({ text }) => text.trim()),
    net: textAt(total, 'TaxExclusiveAmount'),
    gross: textAt(total, 'TaxInclusiveAmount'),
    prepaid: textAt(total, 'PrepaidAmount'),
    rounding: textAt(total, 'PayableRoundingAmount'),
    payable: textAt(total, 'PayableAmount'),
  };
}

/** A credit note of several invoices names no one of them. */
const onlyOne = (nodes: readonly XmlNode[]): string => {
  const [one = '', another] = new Set(nodes.map(({ text }) => text.trim()));
  return another === undefined ? one : '';
};

/** Zero for an amount that is not there. */
function microsOfText(text: string, where: string, faults: { row: number; reason: string }[]): bigint {
  if (text === '') return 0n;
  const read = parseDecimal(text.replace(/^\+/, ''));
  if (read.ok) return read.value;
  faults.push({ row: 0, reason: `${where}: ${text.slice(0, 40)} is no amount.` });
  return 0n;
}

function readingOf(raw: RawInvoice, options: ReadingOptions, root?: XmlNode): FileReading {
  const faults: { row: number; reason: string }[] = [];
  const other = root === undefined ? undefined : otherCurrency(root, raw.currency);
  if (other !== undefined)
    faults.push({ row: 0, reason: `An amount is in ${other}, and the document in ${raw.currency}.` });
  const micros = (text: string, where: string): bigint => microsOfText(text, where, faults);
  const sign = raw.isCredit && options.answers.get('kind') !== 'as_written' ? -1n : 1n;
  const lines: ReadLine[] = [];
  for (const [at, line] of raw.lines.entries()) {
    const amountMicros = sign * micros(line.amount, `line ${at + 1}`);
    const names = [
      ...line.names,
      ...raw.names.filter(({ kind }) => line.names.every((one) => one.kind !== kind)),
    ];
    const { type, by } = typeByWords(line.text, names.length > 0, amountMicros);
    lines.push({
      line: lines.length + 1,
      row: at + 1,
      type,
      by,
      amountMicros,
      names,
      ...(/^\d{1,18}$/.test(line.units) && { units: line.units }),
      ...(line.text !== '' && { description: line.text.slice(0, 1_000) }),
      ...(line.service !== undefined && { serviceFrom: line.service.from, serviceTo: line.service.to }),
    });
  }
  for (const charge of raw.charges) {
    const amount = micros(charge.amount, 'charge');
    lines.push({
      line: lines.length + 1,
      row: 0,
      type: charge.isCharge ? 'fee' : lineTypeOfWords(charge.text) === 'commission' ? 'commission' : 'credit',
      by: 'column',
      amountMicros: sign * (charge.isCharge ? amount : -amount),
      names: [],
      ...(charge.text !== '' && { description: charge.text.slice(0, 1_000) }),
    });
  }
  const billed = lines.reduce((sum, line) => sum + line.amountMicros, 0n);
  const prepaid = micros(raw.prepaid, 'prepaid');
  const isDeducted = prepaid !== 0n && options.answers.get('prepaid') === 'deducted';
  if (isDeducted)
    lines.push({
      line: lines.length + 1,
      row: 0,
      type: 'credit',
      by: 'column',
      amountMicros: -sign * prepaid,
      names: [],
      description: 'Prepaid',
    });
  const net = isDeducted ? billed - sign * prepaid : billed;
  const tax = sign * raw.taxes.reduce((sum, text) => sum + micros(text, 'tax'), 0n);
  if (tax !== 0n)
    lines.push({
      line: lines.length + 1,
      row: 0,
      type: 'tax',
      by: 'column',
      amountMicros: tax,
      names: [],
      description: 'Tax of the document',
    });
  if (raw.lines.length === 0 && [raw.net, raw.gross, raw.payable].every((text) => text === ''))
    faults.push({ row: 0, reason: 'The document has no line and no total.' });
  const checks = sums(raw, { net: sign * billed, tax: sign * tax }, micros);
  const service =
    raw.service ??
    serviceOfLines(raw.lines) ??
    serviceDaysOf(options.said?.service_month ?? options.answers.get('service_days') ?? '');
  const answered = options.answers.get('issued') ?? '';
  const issued = isDay(answered) ? answered : raw.issued;
  const isBad = checks.some(({ ok }) => !ok);
  const document: ReadDocument = {
    kind: sign < 0n || net + tax < 0n ? 'credit_note' : 'invoice',
    ...(raw.number !== '' && { number: raw.number }),
    ...(isDay(issued) && { issued }),
    ...(isDay(raw.due) && { due: raw.due }),
    ...(raw.currency !== '' && { currency: raw.currency }),
    ...(raw.refersTo !== '' && { refersTo: raw.refersTo }),
    ...(service !== undefined && {
      serviceFrom: service.from,
      serviceTo: service.to,
      serviceBy: raw.service === undefined && serviceOfLines(raw.lines) === undefined ? 'said' : 'document',
    }),
    netMicros: net,
    taxMicros: tax,
    grossMicros: net + tax,
    lineTotal: lines.length,
    lines: lines.slice(0, linesInPreview),
  };
  if (raw.number === '' || !isDay(raw.issued) || !isCurrency(raw.currency))
    faults.push({ row: 0, reason: 'The document lacks its number, its day of issue or its currency.' });
  if (options.controlTotal !== undefined) {
    const isRight =
      options.controlTotal === document.netMicros || options.controlTotal === document.grossMicros;
    const text = `You said ${microsToDecimal(options.controlTotal)}, and the file has ${microsToDecimal(net)} net and ${microsToDecimal(net + tax)} gross.`;
    checks.push({ check: 'control_total', ok: isRight, text });
    if (!isRight) faults.push({ row: 0, reason: text });
  }
  if (options.answers.get('sums') === 'refuse')
    faults.push({ row: 0, reason: 'The sums of the document do not add up.' });
  return {
    recognised: { format: raw.format, columns: [] },
    documents: [document],
    questions: questionsOf(document, { isBad, prepaid, isUnsure: raw.isCredit && net + tax > 0n }, options),
    checks,
    faults,
    linesOf: () => lines,
  };
}

function serviceOfLines(lines: readonly RawLine[]): ServiceDays | undefined {
  const days = lines.flatMap(({ service }) => (service === undefined ? [] : [service]));
  if (days.length === 0) return undefined;
  const from = days.map((one) => one.from).toSorted()[0] ?? '';
  return {
    from,
    to:
      days
        .map((one) => one.to)
        .toSorted()
        .at(-1) ?? from,
  };
}

/** The sums that EN 16931 demands. */
function sums(
  raw: RawInvoice,
  { net, tax }: { readonly net: bigint; readonly tax: bigint },
  micros: (text: string, where: string) => bigint,
): FileReading['checks'][number][] {
  const rules: readonly (readonly [what: string, said: string, sum: bigint])[] = [
    ['net', raw.net, net],
    ['gross', raw.gross, net + tax],
    ['payable', raw.payable, net + tax - micros(raw.prepaid, 'prepaid') + micros(raw.rounding, 'rounding')],
  ];
  return rules
    .filter(([, said]) => said !== '')
    .map(([what, said, sum]) => ({
      check: 'document_total' as const,
      ok: micros(said, what) === sum,
      text: `The document says ${said} (${what}), and its parts add up to ${microsToDecimal(sum)}.`,
    }));
}

function questionsOf(
  { issued = '', grossMicros }: ReadDocument,
  {
    isBad,
    prepaid,
    isUnsure,
  }: { readonly isBad: boolean; readonly prepaid: bigint; readonly isUnsure: boolean },
  { answers, today }: ReadingOptions,
): readonly ReadingQuestion[] {
  const questions: ReadingQuestion[] = [];
  const ask = (id: string, why: string, options: ReadingQuestion['options']): void => {
    if (!answers.has(id)) questions.push({ id, why, options });
  };
  const gross = microsToDecimal(grossMicros);
  if (isBad)
    ask('sums', 'The sums of the document do not add up. Are its lines right?', [
      { option: 'lines', example: gross },
      { option: 'refuse', example: 'nothing is booked' },
    ]);
  if (isUnsure)
    ask('kind', 'The credit note has negative amounts. Is it a credit note, or does it take one back?', [
      { option: 'as_written', example: microsToDecimal(-grossMicros) },
      { option: 'reversed', example: gross },
    ]);
  if (prepaid !== 0n)
    ask(
      'prepaid',
      `The document says that ${microsToDecimal(prepaid)} is paid already. Is it deducted here, or is that payment known?`,
      [
        {
          option: 'deducted',
          example: `${microsToDecimal(grossMicros < 0n ? grossMicros + prepaid : grossMicros - prepaid)} is owed`,
        },
        { option: 'known', example: `${gross} is owed, and a payment of ours is applied` },
      ],
    );
  if (issued !== '' && (issued > shiftDay(today, 1) || issued < shiftDay(today, -731)))
    ask(
      'issued',
      `The document was issued on ${issued}, which is in the future or long ago. Which day is it?`,
      [{ option: issued, example: 'as the file says' }],
    );
  return questions;
}
