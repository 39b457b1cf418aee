import { microsToDecimal } from '@switchyard/money';
import { shiftDay } from '../finance/period.js';
import { isAbsurd, isDoubtful } from '../finance/plausible.js';
import { billedRange, type BillingMonths } from '../calendar/billed-range.js';
import { foldName } from './header-names.js';
import {
  keptLine,
  linesInPreview,
  type FileReading,
  type LineName,
  type ReadDocument,
  type ReadingQuestion,
  type ReadLine,
} from './reading.js';
import { serviceDaysOf, type ServiceDays } from './service-days.js';

/** One of our buys at the seller, which a name in a file means. */
export interface NamedBuy {
  readonly mediaBuyId: string;
  readonly sellerMediaBuyId: string;
  /** ISO 4217. */
  readonly currency: string;
  /** What was bought or delivered of it, whichever is more. */
  readonly wholeMicros: bigint;
  /** What is billed of it. */
  readonly billedMicros: bigint;
  /** Months with spend that no document bills, `YYYY-MM`. */
  readonly unbilledMonths: readonly string[];
}

/** What we know of the things that a file names. */
export interface KnownThings {
  /** By folded name. */
  readonly buys: ReadonlyMap<string, NamedBuy>;
  /** Service days of the seller's invoices, by folded number. */
  readonly invoices: ReadonlyMap<string, ServiceDays>;
  /** How the seller cuts the months that it bills; calendar months unless set. */
  readonly billing?: BillingMonths;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  readonly answers: ReadonlyMap<string, string>;
}

/** The names of a reading, to look them up: at most as many. Pauses after each document. */
export function* namesOf(reading: FileReading, most = 5_000): Generator<void, readonly LineName[]> {
  const found = new Map<string, LineName>();
  for (const document of reading.documents) {
    if (found.size >= most) break;
    for (const line of judgedLines(reading, document))
      for (const name of line.names) if (found.size < most) found.set(`${name.kind} ${name.text}`, name);
    yield;
  }
  return [...found.values()];
}

/** Texts in the lines of a document that may be looked up. */
const textsAtMost = 500;

/** Words with a digit in the lines of a document, alone and with the word before them: one may be the number of an invoice. */
function numbersIn(reading: FileReading, document: ReadDocument): readonly string[] {
  const found = new Set<string>();
  for (const { description = '' } of judgedLines(reading, document)) {
    const words = description.split(/[\s,;:()"']+/).filter((word) => word !== '');
    for (const [at, word] of words.entries()) {
      if (!/\d/.test(word) || found.size >= textsAtMost) continue;
      for (const text of [word, `${words[at - 1] ?? ''}${word}`])
        if (foldName(text).length >= 3) found.add(text);
    }
  }
  return [...found];
}

/** Whether its text may say which invoice a credit note corrects. */
const lacksReference = ({ kind, refersTo }: ReadDocument): boolean =>
  kind === 'credit_note' && refersTo === undefined;

/** The numbers of invoices that credit notes name, or may name, to look them up. */
export const referencesOf = (reading: FileReading): readonly string[] =>
  reading.documents.flatMap((document) =>
    document.refersTo === undefined
      ? lacksReference(document)
        ? numbersIn(reading, document)
        : []
      : [document.refersTo],
  );

/** The lines by which a document is judged: the first thousand, read again where it keeps fewer. */
function judgedLines(reading: FileReading, document: ReadDocument): readonly ReadLine[] {
  const { lines, lineTotal } = document;
  if (lines.length >= Math.min(lineTotal, linesInPreview)) return lines;
  const first: ReadLine[] = [];
  for (const line of reading.linesOf(document)) {
    first.push(keptLine(line));
    if (first.length === linesInPreview) break;
  }
  return first;
}

/** The buy that a line names, by the most specific of its names that is known. */
export function buyOfNames(names: readonly LineName[], buys: KnownThings['buys']): NamedBuy | undefined {
  if (buys.size === 0) return undefined;
  for (const { text } of names) {
    const buy = buys.get(foldName(text));
    if (buy !== undefined) return buy;
  }
  return undefined;
}

/**
 * Finishes a reading with what is known. Where the text of a credit note names one known invoice, that one is proposed.
 * Service days that the file does not say come from the invoice that is corrected, or from the only month of the named
 * buys that nobody billed, and are asked for otherwise; never from the day of issue.
 * An amount above 1.5 times what its buys may still cost is asked about, and one above a hundred times what they cost in all is
 * refused. Pauses after each document.
 */
export function* settleReading(reading: FileReading, known: KnownThings): Generator<void, FileReading> {
  const questions: ReadingQuestion[] = [...reading.questions];
  const faults = [...reading.faults];
  const originals = new Map<ReadDocument, ReadDocument>();
  const documents: ReadDocument[] = [];
  let proposals = 0;
  for (const document of reading.documents) {
    const lines = judgedLines(reading, document);
    const named = lacksReference(document) ? onlyInvoice(reading, document, known) : undefined;
    const id = named === undefined ? '' : proposals === 0 ? 'refers_to' : `refers_to_${proposals + 1}`;
    if (named !== undefined) proposals += 1;
    const isNamed = named !== undefined && known.answers.get(id) === named;
    const settled = withServiceDays(isNamed ? { ...document, refersTo: named } : document, lines, known);
    if (named !== undefined && !known.answers.has(id)) questions.push(askReference(id, document, named));
    documents.push(settled);
    yield;
    originals.set(settled, document);
    if (settled.serviceFrom === undefined && questions.every(({ id }) => id !== serviceQuestion))
      questions.push(askService(settled, lines, known));
    const doubt = questions.some(({ id }) => id === 'factor' || id === 'numbers')
      ? undefined
      : implausible(settled, lines, known);
    if (doubt === undefined) continue;
    if (doubt.isRefused) faults.push({ row: 0, reason: doubt.text });
    else if (!known.answers.has('plausible') && questions.every(({ id }) => id !== 'plausible'))
      questions.push({
        id: 'plausible',
        why: `${doubt.text} Is the amount right?`,
        options: [
          { option: 'as_written', example: doubt.amount },
          { option: 'refuse', example: 'nothing is booked' },
        ],
      });
    else if (known.answers.get('plausible') === 'refuse') faults.push({ row: 0, reason: doubt.text });
  }
  return {
    ...reading,
    documents,
    questions,
    faults,
    linesOf: (document) => reading.linesOf(originals.get(document) ?? document),
  };
}

/** The one known invoice that the text of a credit note names, as written there. */
function onlyInvoice(
  reading: FileReading,
  document: ReadDocument,
  { invoices }: KnownThings,
): string | undefined {
  const own = foldName(document.number ?? '');
  const found = new Map<string, string>();
  for (const text of numbersIn(reading, document)) {
    const folded = foldName(text);
    if (folded !== own && invoices.has(folded) && !found.has(folded)) found.set(folded, text);
  }
  const [only, another] = found.values();
  return another === undefined ? only : undefined;
}

const askReference = (id: string, { number }: ReadDocument, named: string): ReadingQuestion => ({
  id,
  why: `The text of the credit note ${number ?? ''} names the invoice ${named}. Does it correct that one?`,
  options: [
    { option: named, example: `the credit note is for ${named}` },
    { option: 'none', example: 'it is for no one invoice' },
  ],
});

const serviceQuestion = 'service_days';

function withServiceDays(
  document: ReadDocument,
  lines: readonly ReadLine[],
  known: KnownThings,
): ReadDocument {
  const { buys, invoices, answers, billing } = known;
  if (document.serviceFrom !== undefined) return document;
  const said = serviceDaysOf(answers.get(serviceQuestion) ?? '');
  const corrected = document.refersTo === undefined ? undefined : invoices.get(foldName(document.refersTo));
  // The weeks of a broadcast month are of two calendar months: it is proposed, and a person says it.
  const isPlain = billing === undefined || billing.calendar === 'month';
  const month = corrected ?? said ?? (isPlain ? onlyMonth(lines, buys) : undefined);
  if (month === undefined) return document;
  const serviceBy = corrected !== undefined ? 'invoice' : said === undefined ? 'buys' : 'said';
  return { ...document, serviceFrom: month.from, serviceTo: month.to, serviceBy };
}

function onlyMonth(lines: readonly ReadLine[], buys: KnownThings['buys']): ServiceDays | undefined {
  const months = new Set(lines.flatMap(({ names }) => buyOfNames(names, buys)?.unbilledMonths ?? []));
  const [only, another] = months;
  return only === undefined || another !== undefined ? undefined : serviceDaysOf(only);
}

/** The month of issue is proposed and never taken: sellers bill a month after its end. */
function askService(document: ReadDocument, lines: readonly ReadLine[], known: KnownThings): ReadingQuestion {
  const { today, answers, buys, billing = { calendar: 'month' } } = known;
  const month = (document.issued ?? today).slice(0, 7);
  const before = shiftDay(`${month}-01`, -1).slice(0, 7);
  const unbilled = lines.flatMap(({ names }) => buyOfNames(names, buys)?.unbilledMonths ?? []);
  const months = [...new Set([...unbilled.toSorted(), month, before])].slice(0, 12);
  const again = answers.has(serviceQuestion) ? 'The answer is no month and no two days. ' : '';
  return {
    id: serviceQuestion,
    why: `${again}The file does not say which days ${document.number ?? 'the document'} bills. Which month is it, as YYYY-MM? Two days with .. between them are taken too.`,
    options: months.map((option) => {
      const { from, to } = billedRange(option, billing);
      return {
        option: billing.calendar === 'month' ? option : `${from}..${to}`,
        example: `${from} to ${to}`,
      };
    }),
  };
}

function implausible(
  { currency, number }: ReadDocument,
  lines: readonly ReadLine[],
  { buys }: KnownThings,
): { readonly isRefused: boolean; readonly text: string; readonly amount: string } | undefined {
  const billed = new Map<NamedBuy, bigint>();
  for (const { names, amountMicros, type } of lines) {
    const buy = type === 'tax' ? undefined : buyOfNames(names, buys);
    if (buy !== undefined) billed.set(buy, (billed.get(buy) ?? 0n) + amountMicros);
  }
  for (const [{ mediaBuyId, wholeMicros, billedMicros, currency: of }, amount] of billed) {
    if (of !== currency || amount <= 0n) continue;
    const left = wholeMicros - billedMicros;
    // What is billed whole already may be billed twice: the reconciliation finds that.
    const limit = left > 0n ? left : wholeMicros;
    if (!isDoubtful(amount, limit)) continue;
    const text = `${number ?? 'The document'} bills ${microsToDecimal(amount)} ${of} for the buy ${mediaBuyId}, which may still cost ${microsToDecimal(left)}.`;
    return { isRefused: isAbsurd(amount, wholeMicros), text, amount: microsToDecimal(amount) };
  }
  return undefined;
}
