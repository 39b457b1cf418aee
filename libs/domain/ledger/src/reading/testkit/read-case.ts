import { readFileSync } from 'node:fs';
import { microsToDecimal } from '@switchyard/money';
import { atOnce } from '@switchyard/values';
import { readDocuments, type FileContent } from '../read-file.js';
import type { FileReading, ReadingOptions } from '../reading.js';

export const usualOptions: ReadingOptions = {
  fileName: 'file.csv',
  today: '2026-11-29',
  answers: new Map(),
  wants: 'documents',
};

export const caseBytes = (name: string): Buffer => readFileSync(new URL(`files/${name}`, import.meta.url));

/** Reads one of the files beside this one. */
export function readCase(name: string, more: Partial<ReadingOptions> = {}): FileReading {
  return read({ kind: 'text', bytes: caseBytes(name) }, { fileName: name, ...more });
}

export const readText = (text: string, more: Partial<ReadingOptions> = {}): FileReading =>
  read({ kind: 'text', bytes: Buffer.from(text, 'utf8') }, more);

export const read = (content: FileContent, more: Partial<ReadingOptions> = {}): FileReading =>
  atOnce(readDocuments(content, { ...usualOptions, ...more }));

/** What a person would check of a reading. */
export function shownReading({ documents, questions, checks, faults, recognised }: FileReading) {
  return {
    documents: documents.map((document) => ({
      kind: document.kind,
      number: document.number,
      issued: document.issued,
      days:
        document.serviceFrom === undefined
          ? undefined
          : `${document.serviceFrom}..${document.serviceTo ?? ''}`,
      currency: document.currency,
      net: microsToDecimal(document.netMicros),
      tax: microsToDecimal(document.taxMicros),
      gross: microsToDecimal(document.grossMicros),
      lines: document.lines.map(({ type, amountMicros }) => `${type} ${microsToDecimal(amountMicros)}`),
    })),
    questions: questions.map(({ id }) => id),
    checks: checks.map(({ check, ok }) => `${check} ${ok ? 'ok' : 'differs'}`),
    faults,
    preset: recognised.preset,
  };
}
