import { describe, expect, it } from '@jest/globals';
import { controlRequests } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { PrincipalCaller as Caller } from '../platform/tasks/call/task-call.js';
import { openFinance, textIn } from './testkit/finance.js';

const { finance, call, store, clock } = await openFinance();

/** A department with an invoice of 300 and a credit note of 40. */
async function documents() {
  const opened = await finance();
  const { buy, anna, berta, run, select } = opened;
  // What others may do is read from their rows.
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  await select(`update organization set reporting_currency = 'EUR' where id = $1`, [opened.organizationId]);
  const id = buy.sellerMediaBuyId ?? '';
  const text = `Invoice,Issued,Currency,Month,Seller buy,Amount\nA-1,2026-10-02,EUR,2026-09,${id},300.00\nC-1,2026-10-03,EUR,2026-09,${id},-40.00\n`;
  const bring = () => run('import_invoice', { body: { seller: buy.seller, file: { name: 'a.csv', text } } });
  const booked = await bring();
  const [invoice, credit] = (booked.ok ? booked.value['invoices'] : []) as readonly JsonObject[];
  const [invoiceId, creditId] = [textIn(invoice, 'invoice_id'), textIn(credit, 'invoice_id')];
  const pay = async (more: JsonObject = {}) => {
    await call(berta, 'approve_invoice', { params: { id: invoiceId } });
    return run('pay_invoice', { params: { id: invoiceId }, body: { date: '2026-10-04', ...more } });
  };
  const stateOf = async (one: string): Promise<unknown> => {
    const shown = await run('show_invoice', { params: { id: one } });
    return shown.ok ? [shown.value['state'], shown.value['paid']] : shown;
  };
  const on = (caller: typeof anna, what: string, one: string, body?: JsonObject) =>
    call(caller, what, { params: { id: one }, ...(body !== undefined && { body }) });
  return { ...opened, anna, berta, bring, pay, stateOf, on, select, invoiceId, creditId };
}

/** Approves a request as a person. */
const decide = ({ organizationId, principalId }: Caller, id: string) =>
  controlRequests(store).decide({ organizationId }, id, {
    state: 'approved',
    by: principalId,
    at: clock.now(),
  });

const reason = 'The seller billed the wrong month.';

describe('a document of a seller', () => {
  it('that is held is not paid until it is released', async () => {
    const { anna, on, pay, stateOf, invoiceId } = await documents();
    expect(await on(anna, 'hold_invoice', invoiceId, { reason })).toMatchObject(
      ok({ invoice_id: invoiceId }),
    );
    expect(await stateOf(invoiceId)).toEqual(['held', '0']);
    expect(await pay()).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/wrong month/) }),
    );
    expect(await on(anna, 'release_invoice', invoiceId)).toMatchObject({ ok: true });
    expect(await on(anna, 'release_invoice', invoiceId)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await pay()).toMatchObject(ok({ open: '0' }));
  });

  it('is approved by another person than its importer', async () => {
    const { anna, berta, on, stateOf, invoiceId } = await documents();
    expect(await on(anna, 'approve_invoice', invoiceId)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await on(berta, 'approve_invoice', invoiceId)).toMatchObject({ ok: true });
    expect(await stateOf(invoiceId)).toEqual(['approved', '0']);
    expect(await on(berta, 'unapprove_invoice', invoiceId)).toMatchObject({ ok: true });
    expect(await stateOf(invoiceId)).toEqual(['imported', '0']);
  });

  it('that is a credit note is used for an invoice, and given back', async () => {
    const { anna, on, pay, read, stateOf, invoiceId, creditId, verify } = await documents();
    const apply = (body: JsonObject) => on(anna, 'apply_credit', creditId, { invoice: invoiceId, ...body });
    const owed = async () => (await read('show_aging', { query: {} }))['aging'];
    expect(await owed()).toMatchObject([{ total: '260', invoices: 2 }]);
    expect(await apply({ amount: '41' })).toMatchObject(err({ field: 'amount' }));
    expect(await apply({})).toMatchObject(ok({ amount: '40', currency: 'EUR' }));
    expect(await owed()).toMatchObject([{ total: '260', invoices: 1 }]);
    expect(await stateOf(creditId)).toEqual(['paid', '-40']);
    expect(await stateOf(invoiceId)).toEqual(['part_paid', '40']);
    expect(await apply({})).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await on(anna, 'unapply_credit', creditId, { invoice: invoiceId })).toMatchObject(
      ok({ amount: '40' }),
    );
    expect(await on(anna, 'unapply_credit', creditId, { invoice: invoiceId })).toMatchObject(
      err({ code: 'CONFLICT', message: 'Nothing of this credit note is used for this invoice.' }),
    );
    expect(await stateOf(invoiceId)).toEqual(['imported', '0']);
    await apply({});
    expect(await pay()).toMatchObject(ok({ amount: '260', open: '0' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('is voided by two people: its entry is taken back, nothing of it is owed, and its number is free', async () => {
    const { anna, berta, bring, on, pay, run, read, select, stateOf, invoiceId, creditId, verify } =
      await documents();
    expect(await bring()).toMatchObject(err({ code: 'CONFLICT' }));
    const waiting = await on(anna, 'void_invoice', invoiceId, { reason });
    expect(waiting).toMatchObject({ ok: true });
    expect(await stateOf(invoiceId)).toEqual(['imported', '0']);
    const [request] = await select<{ id: string; kind: string }>(
      `select id, kind from control_request where state = 'open'`,
    );
    expect(request?.kind).toBe('void_invoice');
    expect(await decide(anna, request?.id ?? '')).toMatchObject({ kind: 'own_request' });
    expect(await decide(berta, request?.id ?? '')).toMatchObject({ kind: 'decided' });
    expect(await stateOf(invoiceId)).toEqual(['voided', '0']);
    expect(await pay()).toMatchObject(err({ code: 'CONFLICT', message: expect.stringMatching(/voided/) }));
    const sums = await select(
      `select account, sum(amount_micros)::text as amount from ledger_posting p join ledger_entry e on e.id = p.entry_id
       where e.operation_id = '${invoiceId}' group by account order by account`,
    );
    expect(sums).toEqual([
      { account: 'seller_invoiced', amount: '0' },
      { account: 'seller_payable', amount: '0' },
    ]);
    expect(await read('reconcile', { body: { period: '2026-09' } })).toMatchObject({ matched: 0 });
    expect(await verify()).toMatchObject({ ok: true });
    // The credit note is still here under its number: one file is booked whole or not at all.
    expect(await bring()).toMatchObject(err({ code: 'CONFLICT', message: expect.stringMatching(/C-1/) }));
    await on(anna, 'void_invoice', creditId, { reason });
    const [other] = await select<{ id: string }>(`select id from control_request where state = 'open'`);
    await decide(berta, other?.id ?? '');
    expect(await bring()).toMatchObject(ok({ invoices: [{ number: 'A-1' }, { number: 'C-1' }] }));
    expect(await run('list_invoices')).toMatchObject(
      ok({ invoices: expect.arrayContaining([expect.objectContaining({ state: 'voided' })]) }),
    );
  });

  it('that is paid in part is not voided', async () => {
    const { anna, on, pay, invoiceId } = await documents();
    await pay({ amount: '10' });
    expect(await on(anna, 'void_invoice', invoiceId, { reason })).toMatchObject(err({ code: 'CONFLICT' }));
  });
});
