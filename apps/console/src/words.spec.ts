import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const source = fileURLToPath(new URL('./', import.meta.url));

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
];

describe('the words of the console', () => {
  it('are none of those that people did not understand', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts') && !name.startsWith('generated'),
    );
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((name) => {
      const text = readFileSync(join(source, name), 'utf8').replaceAll(/\s+/g, ' ');
      return refused.filter((words) => text.includes(words)).map((words) => `${name}: ${words}`);
    });
    expect(found).toEqual([]);
  });
});
