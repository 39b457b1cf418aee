import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal } from '../buys/books.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a journal', () => {
  it('returns what was appended, and removes a last line that a kill left unfinished', () => {
    const path = join(folder, 'deep', 'books.jsonl');
    const journal = new Journal<{ n: number }>(path);
    journal.append({ n: 1 });
    journal.append({ n: 2 });
    appendFileSync(path, '{"n":3');
    expect(new Journal(path).read()).toEqual([{ n: 1 }, { n: 2 }]);
    journal.append({ n: 4 });
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":4}\n');
  });

  it('throws on a full disk, and accepts the next line once there is space', () => {
    const full = join(folder, 'full.jsonl');
    symlinkSync('/dev/full', full);
    const journal = new Journal<{ n: number }>(full);
    expect(() => journal.append({ n: 1 })).toThrow('ENOSPC');
    rmSync(full);
    journal.append({ n: 2 });
    expect(journal.read()).toEqual([{ n: 2 }]);
  });

  it('is empty if nothing was written', () => {
    expect(new Journal(join(folder, 'none.jsonl')).read()).toEqual([]);
  });
});
