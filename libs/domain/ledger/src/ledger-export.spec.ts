import { describe, expect, it } from '@jest/globals';
import { emptyStream, sealBlock, type Block } from '@switchyard/journal';
import type { JsonValue } from '@switchyard/values';
import { commitmentEntry } from './commitment-entry.js';
import { createEntry, type LedgerEntry } from './entry.js';
import { ledgerExport, verifyLedgerExport } from './ledger-export.js';
import { spendPostings } from './posting.js';

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
  const made = createEntry({
    id: uuid(90),
    kind: 'delivery',
    operationId: uuid(2),
    mediaBuyId: 'mb_1',
    seller: 'acme',
    occurredAt: at,
    postings: spendPostings('2026-11-20', 'EUR', 12_500_000n),
    facts: {},
  });
  if (!made.ok) throw new Error(made.error.code);
  return made.value;
}

function exported(): JsonValue {
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
  return JSON.parse(JSON.stringify(ledgerExport({ blocks, head }))) as JsonValue;
}

describe('an export of a ledger', () => {
  it('tells offline what was bought, changed, canceled and spent', async () => {
    const verdict = await verifyLedgerExport(exported());
    expect(verdict).toMatchObject({
      ok: true,
      value: {
        ok: true,
        faults: [],
        kinds: { bought: 1, delivery: 1, changed: 1, canceled: 1 },
        spend: [{ seller: 'acme', currency: 'EUR', spend: '12.5' }],
      },
    });
  });

  it.each([
    ['a fee', '100 EUR', '900 EUR'],
    ['a time', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ['an amount', '12500000', '12500001'],
    ['a kind', 'canceled', 'changed'],
  ])('shows %s that was changed', async (_, from, to) => {
    const text = JSON.stringify(exported());
    expect(text).toContain(from);
    const verdict = await verifyLedgerExport(JSON.parse(text.replaceAll(from, to)) as JsonValue);
    expect(verdict).toMatchObject({ ok: true, value: { ok: false } });
  });

  it('that is something else says where reading ended', async () => {
    expect(await verifyLedgerExport({ format: 'another' })).toEqual({
      ok: false,
      error: { field: 'format' },
    });
  });
});
