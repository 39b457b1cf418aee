import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileHash, ParquetFile, parquetRows, type ParquetRow } from './parquet-file.js';

const columns = { id: 'text', amount: 'integer', counts: 'boolean', at: 'time' } as const;
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'switchyard-parquet-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function readBack(
  path: string,
  of: Parameters<typeof parquetRows>[1] = columns,
): Promise<ParquetRow[]> {
  const rows: ParquetRow[] = [];
  for await (const group of parquetRows(path, of)) rows.push(...group);
  return rows;
}

it('writes 50,000 rows in three groups and reads the same rows, with 64-bit amounts and empty values', async () => {
  const path = join(folder, 'rows.parquet');
  const rows = Array.from({ length: 50_000 }, (_, at) => ({
    id: at % 7 === 0 ? null : `Zeile ${at} €\u0000`,
    amount: at === 3 ? 9_223_372_036_854_775_807n : BigInt(-at),
    counts: at % 5 === 0 ? null : at % 2 === 0,
    at: at % 11 === 0 ? null : new Date(1_700_000_000_000 + at),
  }));
  const file = new ParquetFile(path, columns);
  await file.write(rows.slice(0, 30_000));
  await file.write(rows.slice(30_000));
  const { rows: count, sha256 } = await file.finish();
  expect(count).toBe(50_000);
  expect(sha256).toBe(await fileHash(path));
  const groups: number[] = [];
  for await (const group of parquetRows(path, columns)) groups.push(group.length);
  expect(groups).toEqual([20_000, 20_000, 10_000]);
  expect(await readBack(path)).toEqual(rows);
});

it('writes and reads a file without rows', async () => {
  const path = join(folder, 'empty.parquet');
  expect((await new ParquetFile(path, columns).finish()).rows).toBe(0);
  expect(await readBack(path)).toEqual([]);
});

it('refuses a truncated file, another format, or a column of another type', async () => {
  const path = join(folder, 'cut.parquet');
  const file = new ParquetFile(path, columns);
  await file.write([{ id: 'a', amount: 1n, counts: true, at: new Date(0) }]);
  await file.finish();
  await expect(readBack(path, { ...columns, amount: 'text' })).rejects.toThrow('amount is not text');
  writeFileSync(path, readFileSync(path).subarray(0, 100));
  await expect(readBack(path)).rejects.toThrow('cannot be read as Parquet');
  writeFileSync(path, 'id,amount\na,1\n');
  await expect(readBack(path)).rejects.toThrow('cannot be read as Parquet');
});
