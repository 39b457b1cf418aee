import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import {
  emptyStream,
  readStreamDocument,
  readStreamLines,
  sealBlock,
  type Block,
  type DocumentFault,
  type OpenStream,
} from '@switchyard/journal';
import { must, type JsonValue, type Result } from '@switchyard/values';
import { commitmentEntry } from './entry/commitment-entry.js';
import { createEntry, type LedgerEntry } from './entry/entry.js';
import { ledgerExport, ledgerFormat, verifyLedgerExport } from './ledger-export.js';
import { spendPostings } from './entry/posting.js';

const at = Date.UTC(2026, 10, 21);
const uuid = (last: number) => `00000000-0000-4000-8000-${last.toString().padStart(12, '0')}`;

function change(action: string, last: number, detail = {}): LedgerEntry {
  const place = {
    mediaBuyId: 'mb_1',
    sellerBuyId: uuid(1),
    operationId: uuid(2),
    legId: uuid(3),
    seller: 'acme',
  };
  return commitmentEntry(
    { id: uuid(last), ...place, revision: 1, actor: 'buyer', action, detail, at },
    uuid(last + 1),
  );
}

function delivery(): LedgerEntry {
  return must(
    createEntry({
      id: uuid(90),
      kind: 'delivery',
      operationId: uuid(2),
      mediaBuyId: 'mb_1',
      seller: 'acme',
      occurredAt: at,
      postings: spendPostings('2026-11-20', 'EUR', 12_500_000n),
      facts: {},
    }),
  );
}

async function exported(): Promise<string> {
  let head = emptyStream('ledger:o');
  const blocks: Block[] = [];
  const fee = { fees: [{ package_id: 'p1', terms: 'A fixed fee is due: 100 EUR.' }] };
  for (const entries of [
    [change('create', 10)],
    [delivery()],
    [change('update_dates', 20), change('cancel', 30, fee)],
  ]) {
    const sealed = sealBlock(head, entries, at);
    blocks.push(sealed.block);
    head = sealed.head;
  }
  return text(ledgerExport({ blocks, head }));
}

async function* linesAfterFirst(document: string): AsyncGenerator<string> {
  for (const line of document.split('\n').slice(1)) yield await Promise.resolve(line);
}

type Read = Result<OpenStream, DocumentFault>;
const asWhole = (document: string): Read =>
  readStreamDocument(ledgerFormat, JSON.parse(document) as JsonValue);
const byLine = (document: string): Read =>
  readStreamLines(ledgerFormat, document.split('\n')[0] ?? '', linesAfterFirst(document));

async function verified(read: Read) {
  if (!read.ok) throw new Error(read.error.field);
  return verifyLedgerExport(read.value);
}

describe.each([
  ['as a whole', asWhole],
  ['line by line', byLine],
])('an export of a ledger, read %s', (_, read) => {
  it('shows offline what was bought, changed, canceled and spent', async () => {
    expect(await verified(read(await exported()))).toMatchObject({
      ok: true,
      faults: [],
      kinds: { bought: 1, delivery: 1, changed: 1, canceled: 1 },
      spend: [{ seller: 'acme', currency: 'EUR', spend: '12.5' }],
    });
  });

  it.each([
    ['a fee', '100 EUR', '900 EUR'],
    ['a time', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ['an amount', '12500000', '12500001'],
    ['a kind', 'canceled', 'changed'],
  ])('detects %s that was changed', async (_what, from, to) => {
    const document = await exported();
    expect(document).toContain(from);
    expect(await verified(read(document.replaceAll(from, to)))).toMatchObject({ ok: false });
  });

  it('that is another file reports where reading ended', async () => {
    const other = (await exported()).replace('switchyard.ledger.export.1', 'another');
    expect(read(other)).toEqual({ ok: false, error: { field: 'format' } });
  });
});

describe('a truncated export', () => {
  it.each([1, 2, 3, 4])('is not accepted as a shorter one, after %i lines', async (count) => {
    const lines = (await exported()).split('\n').slice(0, count);
    await expect(verified(byLine(lines.join('\n')))).rejects.toThrow(`blocks[${count - 1}]`);
  });
});
