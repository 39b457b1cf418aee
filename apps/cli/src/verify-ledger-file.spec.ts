import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyStream, sealBlock, type Block } from '@switchyard/journal';
import { createEntry, ledgerExport, type LedgerEntry } from '@switchyard/ledger';
import { must } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import { verifyLedgerFile } from './verify-ledger-file.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-export-'));
const file = join(folder, 'ledger.json');
const deps = { cwd: folder } as CliDeps;
const at = Date.UTC(2026, 10, 21);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function entryOf(number: number): LedgerEntry {
  const id = `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
  return must(
    createEntry({
      id,
      kind: 'observation',
      operationId: id,
      mediaBuyId: 'mb_1',
      seller: 'acme',
      occurredAt: at,
      postings: [],
      facts: { note: 'x'.repeat(20_000), message: { sha256: sha256(`message ${number}`) } },
    }),
  );
}

beforeAll(async () => {
  const blocks: Block[] = [];
  let head = emptyStream('ledger:o');
  for (let number = 0; number < 100; number += 1) {
    const sealed = sealBlock(
      head,
      Array.from({ length: 10 }, (_, place) => entryOf(number * 10 + place)),
      at,
    );
    blocks.push(sealed.block);
    head = sealed.head;
  }
  writeFileSync(file, '');
  for await (const part of ledgerExport({ head, blocks })) appendFileSync(file, part);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('verifying an exported ledger', () => {
  it('reads a file larger than the server accepts in a request', async () => {
    expect(statSync(file).size).toBeGreaterThan(17 * 1024 * 1024);
    expect(await verifyLedgerFile(deps, file)).toMatchObject({
      ok: true,
      value: { json: { ok: true, entries: 1_000, kinds: { observation: 1_000 } } },
    });
  });

  it('counts the messages whose bytes are present, and those that were changed', async () => {
    const lines = [1, 2, 3].map((number) =>
      JSON.stringify({
        event_id: `e${number}`,
        body_sha256: sha256(`message ${number}`),
        body_base64: Buffer.from(number === 3 ? 'forged' : `message ${number}`).toString('base64'),
      }),
    );
    const messages = (count: number): string => `{"messages":[\n${lines.slice(0, count).join(',\n')}\n]}\n`;
    writeFileSync(join(folder, 'messages.json'), messages(2));
    expect(await verifyLedgerFile(deps, file, [], 'messages.json')).toMatchObject({
      value: { json: { ok: true, messages: { named: 1_000, proven: 2, changed: [] } } },
    });
    writeFileSync(join(folder, 'messages.json'), messages(3));
    expect(await verifyLedgerFile(deps, file, [], 'messages.json')).toMatchObject({
      value: { failed: 'Changed since they were received: e3.', json: { ok: false } },
    });
    writeFileSync(join(folder, 'messages.json'), messages(3).slice(0, -4));
    expect(await verifyLedgerFile(deps, file, [], 'messages.json')).toMatchObject({ ok: false });
  });

  it('names a missing file, and a file that is no export', async () => {
    expect(await verifyLedgerFile(deps, 'nowhere.json')).toMatchObject({
      error: { message: 'nowhere.json: there is no such file.' },
    });
    writeFileSync(join(folder, 'other.json'), '{"format":"another"}');
    expect(await verifyLedgerFile(deps, 'other.json')).toMatchObject({
      error: { message: 'other.json is no export of a ledger (at format).' },
    });
  });
});
