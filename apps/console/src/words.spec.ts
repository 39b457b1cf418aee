import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const source = fileURLToPath(new URL('./', import.meta.url));

/** The sources of the console, each with its text on one line. */
const sources = (): readonly (readonly [name: string, text: string])[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts') && !name.startsWith('generated'))
    .map((name) => [name, readFileSync(join(source, name), 'utf8').replaceAll(/\s+/g, ' ')]);

/** Words of earlier releases that people did not understand. No page says them any more. */
const refused = [
  'What needs you today',
  'Come in',
  'none is like this',
  'have settled',
  'Held: ',
  'It ends with this day',
  'Empty: it has none',
  'Names of its tasks',
  'Say here what holds',
  'cannot be read so',
  'What becomes of it',
  'Work off its checklist',
  'A month is closed once',
  'the very bytes',
  're-signed by us',
  'Breakers that are open',
  'No webhook is owed',
  'Codes of an app',
  'none: what you hold by yourself',
  'Whoever is in it holds',
  'Not compared with a published key set',
  'No limit that you may see',
  'the seller was told and has to answer',
  'has not taken it yet',
  'With filters',
  'The units are not a whole number',
  'Book a credit by resolving',
  'no line of the invoices of its seller',
  'cuts the month elsewhere',
  'Mend the landing page',
  ' is owed',
  ' to mend',
  'mended',
  'and mend ',
  'what becomes of it',
];

/** A seller by its short name, where its name could stand: `SellerName` shows that. */
const shortNames = /<Name of=\{(?:\w+\.)?seller\}|title=\{(?:\w+\.)?seller\}/;

describe('the words of the console', () => {
  it('name sellers by their names, and not by the short names of commands', () => {
    expect(
      sources()
        .filter(([, text]) => shortNames.test(text))
        .map(([name]) => name),
    ).toEqual([]);
  });

  it('write a percentage without a space before its sign', () => {
    expect(sources().flatMap(([name, text]) => (text.includes('} %') ? [name] : []))).toEqual([]);
  });

  it('are none of those that people did not understand', () => {
    expect(sources().length).toBeGreaterThan(100);
    const found = sources().flatMap(([name, text]) => {
      return refused.filter((words) => text.includes(words)).map((words) => `${name}: ${words}`);
    });
    expect(found).toEqual([]);
  });
});
