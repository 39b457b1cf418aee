import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { FinanceFiles } from '@switchyard/store';
import { PackedBytes, TableFault, type TableRow } from '@switchyard/tables';
import { must, ok } from '@switchyard/values';
import { openFile, readingGate, rowsOfText, whileReading, type FileDeps } from './read-file.js';

const deps = {
  files: undefined as never,
  fileLimits: { bytes: 10_000_000, rows: 500_000 },
  fileReads: readingGate(1),
} satisfies FileDeps;

async function batchesOf(text: string): Promise<readonly (readonly TableRow[])[]> {
  const opened = must(await openFile(deps, { organizationId: '' }, { file: { name: 'a.json', text } }));
  const batches: (readonly TableRow[])[] = [];
  for await (const rows of opened.rows()) batches.push(rows);
  return batches;
}

const faultOf = (text: string): Promise<unknown> =>
  batchesOf(text).then(
    () => undefined,
    (error: unknown) => (error instanceof TableFault ? [error.message, error.row] : error),
  );

it('a file delays only the next file of the same organization', async () => {
  const both = { ...deps, fileReads: readingGate(2) };
  const [first, second] = [{ organizationId: 'first' }, { organizationId: 'second' }];
  let finish = (): void => undefined;
  const reading = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = whileReading(both, first, async () => ok(await reading));
  const at = (scope: typeof first) => whileReading(both, scope, () => Promise.resolve(ok('read')));
  expect(await at(first)).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  expect(await at(second)).toEqual(ok('read'));
  finish();
  await slow;
  expect(await at(first)).toEqual(ok('read'));
});

it('a file waits a moment for the one before it', async () => {
  const waiting = { ...deps, fileReads: readingGate(1, 60_000) };
  const scope = { organizationId: 'first' };
  let finish = (): void => undefined;
  const reading = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = whileReading(waiting, scope, async () => ok(await reading));
  const next = whileReading(waiting, scope, () => Promise.resolve(ok('read')));
  finish();
  expect(await Promise.all([slow, next])).toEqual([ok(undefined), ok('read')]);
});

describe('a JSON file of rows', () => {
  it('is processed in batches, for any number of rows, with turns for other work between them', async () => {
    let turns = 0;
    let isReading = true;
    const turn = (): void => {
      turns += 1;
      if (isReading) setImmediate(turn);
    };
    setImmediate(turn);
    const batches = await batchesOf(`[${Array(50_000).fill('{"a":"1"}').join(',')}]`);
    isReading = false;
    expect(batches.map(({ length }) => length)).toEqual(Array(100).fill(500));
    expect(batches.at(-1)?.at(-1)).toEqual({ row: 50_000, cells: { a: '1' } });
    expect(turns).toBeGreaterThan(100);
  });

  it('names every column in its first row, also one that only a later row has', async () => {
    const rows = [...Array(600).fill('{"a":"1"}'), '{"a":"1","note":"x"}'];
    const [[first] = []] = await batchesOf(`[${rows.join(',')}]`);
    expect(first).toEqual({ row: 1, cells: { a: '1', note: '' } });
  });

  it.each([
    ['a number for a row', '[{"a":"1"},1]', /object whose members are text/, 2],
    ['a list for a row', '[[]]', /object whose members are text/, 1],
    ['a number in a cell', '[{"a":1}]', /object whose members are text/, 1],
    ['a cell that is too long', `[{"a":"${'x'.repeat(10_001)}"}]`, /object whose members are text/, 1],
    [
      'too many columns',
      `[{${Array.from({ length: 201 }, (_, at) => `"${at}":""`).join(',')}}]`,
      /200 columns/,
      1,
    ],
    ['a cut end', '[{"a":"1"}', /begins like JSON/, undefined],
  ])('with %s is refused, with the first invalid row', async (_, text, message, row) => {
    expect(await faultOf(text)).toEqual([expect.stringMatching(message), row]);
  });

  it('with too many rows is refused before its rows are read', async () => {
    expect(await rowsOfText(`[${Array(11).fill('1').join(',')}]`, { rows: 10 })).toMatchObject({
      error: { message: 'The file has more than 10 rows.' },
    });
  });
});

describe('a file that is read as a whole', () => {
  /** Of a stored file in parts of a megabyte. */
  const contentOf = async (bytes: Buffer) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const found = { id: '', name: 'a', sha256, bytes: bytes.length, received: bytes.length };
    const files = {
      find: () => Promise.resolve(found),
      read: async function* () {
        for (let at = 0; at < bytes.length; at += 1_048_576)
          yield await Promise.resolve(bytes.subarray(at, at + 1_048_576));
      },
    } as Partial<FinanceFiles> as FinanceFiles;
    const opened = await openFile({ ...deps, files }, { organizationId: '' }, { file_id: randomUUID() });
    return must(opened).content();
  };

  it('is packed where it is a large text, and gives the bytes that were stored', async () => {
    const bytes = Buffer.from('INV-1,2026-11-20,12.50\n'.repeat(60_000));
    const content = await contentOf(bytes);
    expect(content).toMatchObject({ kind: 'text', bytes: expect.any(PackedBytes) });
    expect(content.kind === 'text' && content.bytes.subarray().equals(bytes)).toBe(true);
  });

  it('is a table where a page or a workbook in one XML file was saved under another name', async () => {
    const page = await contentOf(Buffer.from('<html><table><tr><td>a<td>1,50&nbsp;€</table></html>'));
    expect(page.kind === 'workbook' && page.grid.cells(0)).toEqual(['a', '1,50 €']);
    const cell = '<Row><Cell><Data ss:Type="Number">1.5</Data></Cell></Row>';
    const xml = await contentOf(
      Buffer.from(
        `<Workbook xmlns:ss="s"><Worksheet ss:Name="A"><Table>${cell}</Table></Worksheet></Workbook>`,
      ),
    );
    expect(xml.kind === 'workbook' && xml.grid.cells(0)).toEqual([{ kind: 'number', text: '1.5' }]);
    await expect(contentOf(Buffer.from('MIME-Version: 1.0\n\n<html>'))).rejects.toThrow(/web archive/);
  });
});
