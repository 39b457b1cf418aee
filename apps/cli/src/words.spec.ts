import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** What people read of the command line, of notices, and of the books: the sources that their texts stand in. */
const folders = [
  'apps/cli/src/commands',
  'apps/server/src/notices',
  'libs/domain/ledger/src/finance',
  'libs/domain/ledger/src/report',
];

/** Words and sentences of earlier releases that people did not understand. */
const refused = [
  ...[/\bmends?\b/, /\bcomes? in$/, /\bis owed\b/, /\bis settled\b/, /\bhave settled\b/, /none is like this/],
  ...[/cuts the month elsewhere/, /counts other units than/, /and no line of the invoices/],
  ...[/units are not a whole number/, /Book a credit by resolving/, /was pushed and what was pulled/],
  ...[
    /ends with this day/,
    /it has none$/,
    /has not taken it yet/,
    /cannot be read so/,
    /What becomes of it/,
  ],
];

/** The sentences among the literals of a source: texts with two words or more. */
const sentencesOf = (text: string): readonly string[] =>
  [...text.replaceAll(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, '').matchAll(/(['"`])((?:(?!\1)[^\n\\]|\\.)*)\1/g)]
    .map(([, , literal = '']) => literal)
    .filter((literal) => /[a-z] [a-z]/i.test(literal));

describe('the words of the command line, of notices and of the books', () => {
  it('are none of those that people did not understand', () => {
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
        .map((name) => join(folder, name)),
    );
    const sentences = files.flatMap((name) =>
      sentencesOf(readFileSync(join(root, name), 'utf8')).map((text) => [name, text] as const),
    );
    expect(sentences.length).toBeGreaterThan(500);
    expect(sentences.filter(([, text]) => refused.some((words) => words.test(text)))).toEqual([]);
  });
});
