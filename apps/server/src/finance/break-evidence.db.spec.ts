import { describe, expect, it } from '@jest/globals';
import { err, isJsonObject, type JsonObject } from '@switchyard/values';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isJsonObject(item)) : [];

describe('the evidence of a difference', () => {
  it('has the days, the lines and the decision that fits, and each decision posts what was shown before', async () => {
    const { read, bring, report, reconcile, select } = await finance();
    await report(30, 31, '17');
    // Without the first of September, and with the first of October.
    await bring('INV-1', '307');
    const [found] = breaksIn(await reconcile());
    expect(found).toMatchObject({ kind: 'time_zone_cut', difference: '7' });
    const params = { id: textIn(found, 'break_id') };
    const shown = await read('show_break_evidence', { params });
    expect(shown).toMatchObject({
      delivered: { amount: '300', reports: 30 },
      lines: [{ number: 'INV-1', line: 1, amount: '307' }],
    });
    expect(shown['proposal']).toBeUndefined();
    const delivered = isJsonObject(shown['delivered']) ? shown['delivered'] : {};
    const days = objects(delivered['days']);
    expect(days).toHaveLength(30);
    expect(days.filter((day) => day['is_invoiced'] === false)).toEqual([
      { day: '2026-09-01', amount: '10', is_invoiced: false },
    ]);
    const accept = objects(shown['decisions']).find(({ as }) => as === 'accept');
    await read('resolve_break', { params, body: { as: 'accept' } });
    const posted = await select<{ account: string; amount: string }>(
      `select account, trim_scale(amount_micros / 1000000.0)::text as amount from ledger_posting p
       join ledger_entry e on e.id = p.entry_id where e.kind = 'adjustment' order by account`,
    );
    expect(accept).toEqual({ as: 'accept', postings: expect.arrayContaining([...posted]) });
    expect(posted).toHaveLength(2);
    // What is decided has nothing left to decide.
    expect(await read('show_break_evidence', { params })).toMatchObject({ decisions: [] });
  });

  it('proposes to wait for an invoice that has not come, of which no day is billed', async () => {
    const { read, reconcile } = await finance(3);
    const [found] = breaksIn(await reconcile());
    const params = { id: textIn(found, 'break_id') };
    const shown = await read('show_break_evidence', { params });
    expect(shown).toMatchObject({ proposal: { as: 'expected' }, lines: [] });
    expect(JSON.stringify(shown)).not.toContain('"is_invoiced":true');
  });

  it('is of the own organization alone', async () => {
    const { reconcile } = await finance(1);
    const other = await finance(1);
    const [found] = breaksIn(await reconcile());
    const params = { id: textIn(found, 'break_id') };
    expect(await other.run('show_break_evidence', { params })).toMatchObject(err({ code: 'NOT_FOUND' }));
  });
});

describe('one month', () => {
  it('has its amounts by seller, its comparison and what is open, resolved and disputed', async () => {
    const { read, bring, reconcile, buy } = await finance();
    await bring('INV-1', '350');
    const [found] = breaksIn(await reconcile());
    const month = { params: { period: '2026-09' } };
    const row = { seller: buy.seller, currency: 'EUR', delivered: '300', invoiced: '350', accrued: '0' };
    expect(await read('show_period', month)).toMatchObject({
      state: 'open',
      compared: { matched: 0, found: 1 },
      sellers: [{ ...row, open_breaks: 1, open_amount: '50', disputed: '0', resolved_breaks: 0 }],
    });
    await read('resolve_break', { params: { id: textIn(found, 'break_id') }, body: { as: 'dispute' } });
    expect(await read('show_period', month)).toMatchObject({
      sellers: [{ ...row, open_breaks: 0, open_amount: '0', disputed: '50', resolved_breaks: 1 }],
    });
  });

  it('shows what was delivered and not invoiced', async () => {
    const { read, buy } = await finance(4);
    const shown = await read('show_period', { params: { period: '2026-09' } });
    expect(shown).toMatchObject({
      sellers: [{ seller: buy.seller, delivered: '40', invoiced: '0', accrued: '40' }],
    });
    expect(shown).not.toHaveProperty('compared');
  });
});
