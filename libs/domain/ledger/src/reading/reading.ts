import type { CountedUnit } from '../finance/counted-price.js';
import type { ReadingField } from './header-names.js';
import type { DecimalMark } from './number-formats.js';

/** Something that a file leaves open. The answer is one of the options, or a text of the kind that `why` asks for. */
export interface ReadingQuestion {
  /** The same for the same file. */
  readonly id: string;
  readonly why: string;
  readonly options: readonly { readonly option: string; readonly example: string }[];
}

/** A comparison of a file with itself, or with what a person said. */
export interface ReadingCheck {
  readonly check:
    | 'total'
    | 'document_total'
    | 'gross'
    | 'control_total'
    | 'currency'
    | 'rounded'
    | 'short_rows'
    | 'discount'
    | 'formulas';
  readonly ok: boolean;
  readonly text: string;
  /** Of the file, from 1, without the header. */
  readonly row?: number;
}

export const lineTypes = ['media', 'fee', 'tax', 'commission', 'credit', 'open'] as const;

/** What a line bills. `open`: the file does not say. */
export type LineType = (typeof lineTypes)[number];

/** A name by which a line says what it bills. */
export interface LineName {
  readonly kind: 'package' | 'seller_buy' | 'buyer_reference' | 'order' | 'po' | 'campaign';
  readonly text: string;
}

export interface ReadLine {
  /** Counts from 1 in its document. */
  readonly line: number;
  /** Of the file, from 1, without the header; 0 for a line that stands for the tax of the document. */
  readonly row: number;
  readonly type: LineType;
  /** How the type was found. */
  readonly by: 'column' | 'words' | 'name' | 'none';
  /** Without tax. A credit is negative. */
  readonly amountMicros: bigint;
  readonly taxMicros?: bigint;
  readonly grossMicros?: bigint;
  readonly commissionMicros?: bigint;
  readonly units?: string;
  /** Whole numbers by what they count, where the file says no amount: `amountMicros` means nothing then. */
  readonly counts?: ReadonlyMap<CountedUnit, string>;
  readonly names: readonly LineName[];
  readonly description?: string;
  /** `YYYY-MM-DD`. */
  readonly serviceFrom?: string;
  readonly serviceTo?: string;
}

/** An invoice or a credit note of a file. Amounts of a credit note are negative. */
export interface ReadDocument {
  readonly kind: 'invoice' | 'credit_note';
  readonly number?: string;
  /** `YYYY-MM-DD`. */
  readonly issued?: string;
  readonly due?: string;
  readonly serviceFrom?: string;
  readonly serviceTo?: string;
  /** How the service days were found. */
  readonly serviceBy?: 'columns' | 'head' | 'said' | 'document' | 'layout' | 'buys' | 'invoice';
  /** ISO 4217. */
  readonly currency?: string;
  /** The number of the invoice that a credit note corrects. */
  readonly refersTo?: string;
  readonly netMicros: bigint;
  readonly taxMicros: bigint;
  readonly grossMicros: bigint;
  readonly lineTotal: number;
  /** The first lines, a few where the file has many documents; `linesOf` of the reading has all. */
  readonly lines: readonly ReadLine[];
}

export interface RecognisedColumn {
  readonly column: string;
  readonly field: ReadingField | null;
  /** How the meaning was found. */
  readonly by: 'preset' | 'mapping' | 'person' | 'rule' | 'none';
  /** How its values are written. */
  readonly format?: string;
  readonly values: readonly string[];
}

/** How a file was read. */
export interface Recognised {
  readonly format: 'text' | 'workbook' | 'json' | 'ubl' | 'cii' | 'fatturapa';
  readonly encoding?: { readonly name: string; readonly by: string; readonly cells: readonly string[] };
  readonly separator?: string;
  readonly sheet?: string;
  readonly preset?: string;
  /** Row of the header in the file, from 1. */
  readonly headerRow?: number;
  readonly zone?: string;
  readonly factor?: string;
  readonly numbers?: DecimalMark;
  readonly columns: readonly RecognisedColumn[];
}

export interface FileReading {
  readonly recognised: Recognised;
  readonly documents: readonly ReadDocument[];
  readonly questions: readonly ReadingQuestion[];
  readonly checks: readonly ReadingCheck[];
  /** Rows that cannot be read; nothing is booked while there is one. At most 100. */
  readonly faults: readonly { readonly row: number; readonly reason: string }[];
  /** All lines of a document. */
  readonly linesOf: (document: ReadDocument) => Iterable<ReadLine>;
}

export interface ReadingOptions {
  /** Of the file, to propose a number. */
  readonly fileName: string;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Option by id of its question. */
  readonly answers: ReadonlyMap<string, string>;
  /** Columns that a person chose. */
  readonly mapping?: Readonly<Partial<Record<ReadingField, string>>>;
  /** Columns of an earlier file. They count if this file has all of them. */
  readonly lastMapping?: Readonly<Partial<Record<ReadingField, string>>>;
  /** What a person said for the whole file. */
  readonly said?: Readonly<
    Partial<Record<'number' | 'issued' | 'due' | 'currency' | 'service_month', string>>
  >;
  /** Currencies in which the seller sells to us. */
  readonly currencies?: readonly string[];
  /** `figures`: a report, which has no number, day of issue or service days. */
  readonly wants: 'documents' | 'figures';
  /** What all documents of the file must add up to, net or gross, in micros. */
  readonly controlTotal?: bigint;
}

/**
 * A line that is kept while others are read. V8 makes objects in its old space from then on where most of those of one place
 * in the code have lived on: without a copy, a kept line would bring all lines of a large file there.
 */
export const keptLine = (line: ReadLine): ReadLine => ({
  ...line,
  names: line.names.map((name) => ({ ...name })),
});

/** Lines of a document by which it is judged, and that it keeps for a preview where it is one of few. */
export const linesInPreview = 1_000;

/** Lines that all documents of a file keep together. */
export const linesKept = 20_000;

/** Refused rows that are reported of one file. */
export const faultsAtMost = 100;
