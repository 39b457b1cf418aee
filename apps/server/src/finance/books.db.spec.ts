import { describe, expect, it } from '@jest/globals';
import { ok, type JsonObject } from '@switchyard/values';
import { openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

describe('a journal for accounting', () => {
  const accounts = ['media_spend', 'seller_payable', 'seller_invoiced'];
  const mapped = async () => {
    const made = await finance(2);
    await made.addClient({ sap: '+C-7' });
    const exportAs = async (format: string) => {
      const answer = await made.run('export_journal', { body: { period: '2026-09', format } });
      return answer.ok
        ? (answer.value as unknown as { batch: JsonObject | null; already: readonly JsonObject[] })
        : answer.error;
    };
    const map = () =>
      Promise.all(
        accounts.map((each, at) => made.run('set_book_code', { body: { account: each, code: `=${at}` } })),
      );
    return { ...made, exportAs, map };
  };
  /** Of `createBookedBuy`. */
  const account = ' by agency.example';
  const linesOf = (batch: JsonObject | null) => textIn(batch, 'file').trimEnd().split('\r\n');

  it('exports spend as a CSV file under the requested names, without formulas', async () => {
    const { buy, run, read } = await mapped();
    const query = { by: 'client,account,buy' };
    const file = textIn(await read('export_spend', { query }), 'file');
    const [head = [], row = [], ...more] = file.split('\n').map((line) => line.split(','));
    expect(Object.fromEntries(head.map((name, at) => [name, row[at]]))).toMatchObject({
      ...{ client: "'=Nova", account, media_buy_id: buy.mediaBuyId, spend: '20', currency: 'EUR' },
    });
    expect(more).toEqual([['']]);
    expect(await run('ledger_spend', { query })).toMatchObject({
      value: { spend: [{ client: '=Nova', buy: buy.mediaBuyId, spend: '20' }] },
    });
  });

  it('exports each entry once, balanced, with codes, and returns the same bytes again', async () => {
    const { run, read, exportAs, bring, report, select, map } = await mapped();
    expect(await exportAs('csv')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/media_spend, seller_payable/),
    });
    await map();
    const first = await exportAs('csv');
    if ('code' in first) throw new Error(first.message);
    expect(first).toMatchObject({ batch: { number: 1, entries: 2, lines: 4 }, already: [] });
    const rows = linesOf(first.batch)
      .slice(1)
      .map((line) => line.split(','));
    const sum = (at: number) => rows.reduce((total, row) => total + Number(row[at]), 0);
    expect([sum(11), sum(12)]).toEqual([20, 20]);
    expect(rows.map((row) => row[13])).toEqual(rows.map(() => account));
    // What a spreadsheet would run is text.
    expect(rows[0]?.slice(6, 10)).toEqual(["'=Nova", "'=Nova", 'media_spend', "'=0"]);

    expect(await exportAs('netsuite')).toMatchObject({ batch: null, already: [{ number: 1, entries: 2 }] });
    // A job whose process ended between its commit and its answer says what it has exported.
    const again = { body: { period: '2026-09', format: 'csv' }, begunAt: 0 };
    expect(await run('export_journal', again)).toEqual({ ok: true, value: first });
    await report(1, 2, '12', 'pull');
    await bring('INV-1', '22');
    const second = await exportAs('sap');
    if ('code' in second) throw new Error(second.message);
    expect(second).toMatchObject({ batch: { number: 2, entries: 2, lines: 4 }, already: [{ number: 1 }] });
    const posted = linesOf(second.batch)
      .slice(1)
      .map((line) => line.split(','));
    expect(posted.map((row) => [row[0], row[2], row[6], row[8], row[10]])).toEqual([
      ['SW00002-00001', '20260902', '40', '2.00', "'+C-7"],
      ['SW00002-00001', '20260902', '50', '2.00', "'+C-7"],
      ['SW00002-00002', '20260930', '50', '22.00', ''],
      ['SW00002-00002', '20260930', '40', '22.00', ''],
    ]);
    for (const [named, row] of [
      ['1', first.batch],
      [textIn(second.batch, 'batch_id'), second.batch],
    ] as const)
      expect(await run('show_journal_batch', { params: { id: named } })).toEqual(ok(row));
    expect(await select('select entry_id from journal_batch_entry')).toHaveLength(4);
    const query = { sort: 'oldest', limit: '1' };
    const oldest = await read('list_journal_batches', { query });
    expect(oldest).toMatchObject({ batches: [{ number: 1 }] });
    const cursor = textIn(oldest, 'next_cursor');
    expect(await read('list_journal_batches', { query: { ...query, cursor } })).toMatchObject({
      batches: [{ number: 2 }],
    });
  });

  it('is created by one of two simultaneous requests, and not at all if its file cannot be written', async () => {
    const { exportAs, select, map } = await mapped();
    const stored = () => select('select 1 from journal_batch_entry');
    await exportAs('csv');
    expect(await stored()).toEqual([]);
    await map();
    const both = await Promise.all([exportAs('csv'), exportAs('csv')]);
    const batches = both.flatMap((item) =>
      'batch' in item && item.batch !== null ? [item.batch['entries']] : [],
    );
    expect(batches).toEqual([2]);
    const other = both.find((item) => 'batch' in item && item.batch === null);
    expect(other).toMatchObject({ already: [{ number: 1 }] });
    expect(await stored()).toHaveLength(2);
  });
});
