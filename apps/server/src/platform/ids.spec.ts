import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isTokenText } from '@switchyard/tenancy';
import { serveCell, systemIds, tokenOfCell } from './ids.js';

const page = readFileSync(new URL('../../../../docs/growth.md', import.meta.url), 'utf8');
/** The patterns of the proxy's rule, as nginx reads them. */
const patterns = [...page.matchAll(/^ {2}"~(\^.+)" \$(\w+);$/gm)].map(([, text = '']) => new RegExp(text));

/** The letters that the rule of the page finds in a header or a path. */
function cellsIn(text: string): readonly string[] {
  return patterns.flatMap((pattern) => Object.values(pattern.exec(text)?.groups ?? {}));
}

const placesOf = () => [
  `Bearer ${tokenOfCell().text}`,
  `/webhooks/${systemIds.token('whr')}`,
  `/shared/${systemIds.uuid()}/${tokenOfCell().text}`,
  `/shared/${systemIds.uuid()}/${tokenOfCell().text}/document`,
];

describe('the cell of an installation', () => {
  afterEach(() => serveCell(undefined));

  it('is found by the rule of docs/growth.md in all that it makes', () => {
    expect(patterns).toHaveLength(3);
    serveCell('b');
    for (const place of placesOf()) expect(cellsIn(place)).toEqual(['b']);
  });

  it('is found in nothing that was made without a letter, whatever its random part begins with', () => {
    // The first six bits are those of `b`, the next those of `-`.
    const misleading = tokenOfCell(Buffer.concat([Buffer.from([0x6f, 0xe0]), Buffer.alloc(30)])).text;
    expect(misleading.slice(0, 5)).toBe('sy_b-');
    expect(isTokenText(misleading)).toBe(true);
    for (const place of [...placesOf(), `Bearer ${misleading}`]) expect(cellsIn(place)).toEqual([]);
  });
});
