import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, ok } from '@switchyard/values';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

describe('an invoice that is paid', () => {
  const pay = async (
    call: Awaited<ReturnType<typeof finance>>['call'],
    by: PrincipalCaller,
    id: string,
    body: object,
  ) => {
    await call(by, 'approve_invoice', { params: { id } });
    return call(by, 'pay_invoice', { params: { id }, body });
  };
  const idOf = (answer: { readonly ok: boolean; readonly value?: unknown }): string =>
    textIn(answer.value, 'invoice_id');

  it('leaves the payables by its payments, each booked once, and the books in balance', async () => {
    const { organizationId, anna, buy, call, run, bring, verify, select, addClient } = await finance(3);
    await select(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]);
    const clientId = await addClient();
    await run('set_term', { body: { seller: buy.seller, days: 0 } });
    const id = idOf(await bring('INV-1', '30'));
    expect(await run('show_invoice', { params: { id } })).toMatchObject({ value: { due_on: '2026-10-02' } });
    const aging = async (by: string, caller = anna) => {
      const answer = await call(caller, 'show_aging', { query: { by } });
      return answer.ok ? answer.value['aging'] : answer.error;
    };
    expect(await aging('seller,client')).toMatchObject([
      {
        seller: buy.seller,
        client_id: clientId,
        currency: 'EUR',
        days_1_30: '30',
        current: '0',
        total: '30',
        invoices: 1,
      },
    ]);
    const body = { date: '2026-10-04', amount: '10', reference: 'bank 1' };
    expect(await pay(call, anna, id, body)).toMatchObject(ok({ amount: '10', open: '20' }));
    expect(await pay(call, anna, id, body)).toMatchObject(err({ field: 'reference' }));
    expect(await aging('client')).toMatchObject([{ client_id: clientId, total: '20' }]);
    const stranger = {
      ...anna,
      grants: [{ permissions: { ledger: ['read'] }, scope: { kind: 'client', id: randomUUID() } }] as const,
    };
    expect(await aging('client', stranger)).toEqual([]);
    expect(await pay(call, anna, id, { date: '2026-10-04', amount: '21' })).toMatchObject(
      err({ message: 'Only 20 EUR is open.' }),
    );
    expect(await pay(call, anna, id, { date: '2026-10-04', amount: '9.999' })).toMatchObject(
      err({ message: 'This has more decimals than EUR has.', field: 'amount' }),
    );
    // The clock says 12:00 of 5 October: the 6th has begun at UTC+14 alone.
    for (const date of ['2026-10-07', '2016-10-05'])
      expect(await pay(call, anna, id, { date })).toMatchObject(err({ field: 'date' }));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject(ok({ open: '0' }));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await aging('seller')).toEqual([]);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  it('in another currency posts the realised difference as a separate entry, and converts nothing without a rate', async () => {
    const { anna, call, run, bring, verify, select } = await finance(3);
    const id = idOf(await bring('INV-1', '100'));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject(
      err({ message: 'There is no rate from EUR to USD for 2026-10-02 or a day before it.' }),
    );
    const text = 'from,to,rate,date\nEUR,USD,1.08,2026-10-01\neur,USD,1.1,2026-10-04\n';
    const file = { name: 'rates.csv', text };
    const bringRates = (body: object) => run('import_rates', { body });
    expect(await bringRates({ file })).toMatchObject({
      value: { imported: 0, refused: [{ row: 1 }, { row: 2 }] },
    });
    expect(await bringRates({ file, source: 'ECB' })).toEqual(ok({ imported: 2, refused: [] }));
    expect(await pay(call, anna, id, { date: '2026-10-05' })).toMatchObject(
      ok({ amount: '100', reporting_currency: 'USD', reporting_amount: '110', difference: '2', open: '0' }),
    );
    const sums = await select<{ kind: string; account: string; currency: string; sum: string }>(
      `select e.kind, p.account, p.currency, sum(p.amount_micros)::text as sum from ledger_posting p
       join ledger_entry e on e.id = p.entry_id where e.kind in ('payment', 'exchange') group by 1, 2, 3 order by 1, 2, 3`,
    );
    expect(sums.map(({ kind, account, currency, sum }) => [kind, account, currency, sum])).toEqual([
      ['exchange', 'currency_exchange', 'USD', '-2000000'],
      ['exchange', 'exchange_difference', 'USD', '2000000'],
      ['payment', 'cash', 'USD', '-110000000'],
      ['payment', 'currency_exchange', 'EUR', '-100000000'],
      ['payment', 'currency_exchange', 'USD', '110000000'],
      ['payment', 'seller_invoiced', 'EUR', '100000000'],
    ]);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });
});
