import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonValue } from '@switchyard/values';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

/** A department that pays in the currency of its invoices. */
async function paying() {
  const opened = await finance();
  const { run, select, organizationId } = opened;
  await select(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]);
  const pay = async (booked: unknown, more: Record<string, JsonValue> = {}) => {
    const params = { id: textIn((booked as { readonly value?: unknown }).value, 'invoice_id') };
    await run('approve_invoice', { params });
    return run('pay_invoice', { params, body: { date: '2026-10-03', ...more } });
  };
  const resolve = async (kind: string, as: string) => {
    const found = breaksIn(await opened.reconcile()).find((one) => one['kind'] === kind);
    return run('resolve_break', {
      params: { id: textIn(found, 'break_id') },
      body: { as, reason: 'A test.' },
    });
  };
  return { ...opened, pay, resolve };
}

describe('a verdict on a difference', () => {
  it('that disputes an amount leaves the rest to pay, and no more', async () => {
    const { bring, pay, resolve, verify } = await paying();
    const booked = await bring('A-1', '350');
    expect(await resolve('unknown', 'dispute')).toMatchObject({ ok: true });
    expect(await pay(booked, { amount: '301' })).toMatchObject(err({ code: 'CONFLICT', field: 'amount' }));
    expect(await pay(booked)).toMatchObject(ok({ amount: '300', open: '50' }));
    expect(await pay(booked)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('that accepts it holds nothing back', async () => {
    const { bring, pay, resolve } = await paying();
    const booked = await bring('A-1', '350');
    expect(await resolve('unknown', 'accept')).toMatchObject({ ok: true });
    expect(await pay(booked)).toMatchObject(ok({ amount: '350', open: '0' }));
  });

  it('that asks a credit for a duplicate holds the second document whole, and not the first', async () => {
    const { bring, pay, resolve } = await paying();
    const first = await bring('A-1', '300');
    const second = await bring('A-2', '300');
    expect(await resolve('duplicate_invoice', 'credit')).toMatchObject({ ok: true });
    expect(await pay(second)).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/held/) }),
    );
    expect(await pay(first)).toMatchObject(ok({ open: '0' }));
  });

  it('that expects a later bill posts nothing, and the amount stays accrued', async () => {
    const { resolve, select, close, read } = await paying();
    expect(await resolve('missing_invoice', 'expected')).toMatchObject({ ok: true });
    const posted = await select(
      `select p.account from ledger_posting p join ledger_entry e on e.id = p.entry_id where e.kind = 'adjustment'`,
    );
    expect(posted).toEqual([]);
    expect(await close()).toMatchObject({ ok: true });
    expect(await read('list_accruals', { params: { period: '2026-09' } })).toMatchObject({
      accruals: [{ amount: '300' }],
    });
  });
});
