import { describe, expect, it } from '@jest/globals';
import { controlRequests } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { err, ok, type JsonObject } from '@switchyard/values';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { finance, store, clock, call } = await openFinance();

/** A department that delivered 300 and was billed 350, with a credit note of 50 to come. */
async function billed() {
  const opened = await finance();
  const { run, read, select, organizationId, buy, anna, berta } = opened;
  await select(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]);
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  const booked = await opened.bring('A-1', '350');
  const invoiceId = booked.ok ? textIn(booked.value, 'invoice_id') : '';
  await call(berta, 'approve_invoice', { params: { id: invoiceId } });
  const found = breaksIn(await opened.reconcile()).find(({ kind }) => kind === 'unknown');
  const credit = async (amount: string): Promise<string> => {
    const id = buy.sellerMediaBuyId ?? '';
    const text = `Invoice,Issued,Currency,Month,Seller buy,Package,Amount\nC-${amount},2026-10-03,EUR,2026-09,${id},${buy.packages[0] ?? ''},-${amount}\n`;
    const answer = await read('import_invoice', {
      body: { seller: buy.seller, file: { name: 'c.csv', text } },
    });
    return textIn((answer['invoices'] as readonly JsonObject[])[0], 'invoice_id');
  };
  const on = (what: string, id: string, body?: JsonObject) =>
    run(what, { params: { id }, ...(body !== undefined && { body }) });
  const open = (body: JsonObject) => read('open_dispute', { body: { reason: 'Price.', ...body } });
  const payable = async () => {
    const paid = await on('pay_invoice', invoiceId, { date: '2026-10-04', amount: '1000' });
    return paid.ok ? '' : paid.error.message;
  };
  const balance = async () =>
    Object.fromEntries(
      (
        await select<{ account: string; amount: string }>(
          `select account, (sum(amount_micros) / 1000000)::int::text as amount from ledger_posting
           where organization_id = $1 group by account having sum(amount_micros) <> 0`,
          [organizationId],
        )
      ).map(({ account, amount }) => [account, amount]),
    );
  const breakId = textIn(found, 'break_id');
  return { ...opened, invoiceId, breakId, credit, on, open, payable, balance };
}

const base = { media_spend: '300' };

describe('a case', () => {
  it('of a difference is disputed and never resolved while it is open, and a run leaves it so', async () => {
    const { breakId, open, on, payable, balance, reconcile, run, verify } = await billed();
    const made = await open({ break_id: breakId });
    expect(made).toMatchObject({
      number: 'D-1',
      amount: '50',
      held: '50',
      state: 'open',
      due_on: '2026-11-04',
    });
    expect(await payable()).toMatch(/300 EUR/);
    expect(await balance()).toEqual({ ...base, seller_invoiced: '-350', disputed: '50' });
    const shown = () => on('show_break', breakId);
    expect(await shown()).toMatchObject(ok({ state: 'disputed', dispute_id: made['dispute_id'] }));
    await reconcile();
    expect(await shown()).toMatchObject(ok({ state: 'disputed' }));
    expect(await run('list_breaks', { query: { state: 'resolved' } })).toMatchObject(ok({ breaks: [] }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('is opened by the verdict dispute too, and does not prevent the close of its month, which lists it', async () => {
    const { breakId, on, close, run } = await billed();
    expect(await on('resolve_break', breakId, { as: 'dispute', reason: 'Price.' })).toMatchObject(
      ok({ state: 'disputed' }),
    );
    const list = await run('show_checklist', { params: { period: '2026-09' } });
    expect(list).toMatchObject(
      ok({ open_breaks: 0, open_disputes: [{ number: 'D-1', amount: '50', currency: 'EUR' }] }),
    );
    expect(await close()).toMatchObject({ ok: true });
  });

  it('that is credited needs the credit note, uses it, and leaves nothing on accounts', async () => {
    const { breakId, open, on, credit, payable, balance, reconcile, verify } = await billed();
    await open({ break_id: breakId });
    const end = (more: JsonObject) =>
      on('close_dispute', 'D-1', { outcome: 'credited', reason: 'C.', ...more });
    expect(await end({})).toMatchObject(err({ code: 'NOT_FOUND', field: 'credit_id' }));
    expect(await end({ credit_id: await credit('20') })).toMatchObject(err({ code: 'CONFLICT' }));
    const creditId = await credit('50');
    expect(await end({ credit_id: creditId })).toMatchObject(
      ok({ state: 'closed', outcome: 'credited', held: '0', credited: '50' }),
    );
    expect(await payable()).toMatch(/300 EUR/);
    expect(await balance()).toMatchObject({ ...base, seller_invoiced: '-280' });
    expect(await balance()).not.toHaveProperty('disputed');
    await reconcile();
    expect(await on('show_break', breakId)).toMatchObject(ok({ state: 'resolved', resolution: 'corrected' }));
    expect(await on('void_invoice', creditId, { reason: 'x' })).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('that is credited in part pays the rest, and a later run finds nothing new', async () => {
    const { breakId, open, on, credit, payable, balance, reconcile, run, verify } = await billed();
    await open({ break_id: breakId });
    expect(
      await on('close_dispute', 'D-1', {
        outcome: 'partly',
        amount: '30',
        credit_id: await credit('30'),
        reason: 'They met us.',
      }),
    ).toMatchObject(ok({ outcome: 'partly', credited: '30' }));
    expect(await payable()).toMatch(/320 EUR/);
    expect(await balance()).toEqual({ ...base, seller_invoiced: '-320', invoice_difference: '20' });
    await reconcile();
    expect(await run('list_breaks', { query: { state: 'open' } })).toMatchObject(ok({ breaks: [] }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('that is accepted is paid as invoiced; reopened, it is held again', async () => {
    const { breakId, open, on, payable, balance, verify } = await billed();
    await open({ break_id: breakId });
    await on('close_dispute', 'D-1', { outcome: 'accepted', reason: 'They were right.' });
    expect(await balance()).toEqual({ ...base, seller_invoiced: '-350', invoice_difference: '50' });
    expect(await payable()).toMatch(/350 EUR/);
    expect(await on('reopen_dispute', 'D-1', { reason: 'They were not.' })).toMatchObject(
      ok({ state: 'open', held: '50' }),
    );
    expect(await payable()).toMatch(/300 EUR/);
    expect(await balance()).toEqual({ ...base, seller_invoiced: '-350', disputed: '50' });
    expect(await on('show_break', breakId)).toMatchObject(ok({ state: 'disputed' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('that is withdrawn leaves everything as before it, and its difference open', async () => {
    const { breakId, open, on, payable, balance } = await billed();
    const before = await balance();
    await open({ break_id: breakId });
    await on('close_dispute', 'D-1', { outcome: 'withdrawn', reason: 'A mistake.' });
    expect(await balance()).toEqual(before);
    expect(await payable()).toMatch(/350 EUR/);
    expect(await on('show_break', breakId)).toMatchObject(ok({ state: 'open' }));
    expect(await on('reopen_dispute', 'D-1', { reason: 'No.' })).toMatchObject(ok({ state: 'open' }));
    expect(await on('show_break', breakId)).toMatchObject(ok({ state: 'disputed' }));
  });

  it('about lines of an invoice keeps answers, and its letter says the figures', async () => {
    const { invoiceId, open, on, run, buy } = await billed();
    expect(
      await run('open_dispute', {
        body: { invoice_id: invoiceId, amount: '10', reason: 'x', due_on: '2020-01-01' },
      }),
    ).toMatchObject(err({ code: 'INVALID_REQUEST', field: 'due_on' }));
    expect(
      await run('open_dispute', { body: { invoice_id: invoiceId, amount: '351', reason: 'x' } }),
    ).toMatchObject(err({ code: 'CONFLICT', field: 'amount' }));
    expect(
      await run('open_dispute', { body: { invoice_id: invoiceId, amount: '10', lines: [7], reason: 'x' } }),
    ).toMatchObject(err({ code: 'NOT_FOUND', field: 'lines' }));
    await open({ invoice_id: invoiceId, amount: '10.5', lines: [1], due_on: '2026-10-20' });
    expect(await on('answer_dispute', 'd-1', { text: 'We will look at it.' })).toMatchObject(
      ok({ answers: [{ from: 'seller', text: 'We will look at it.' }] }),
    );
    const letter = await run('show_dispute_letter', { params: { id: 'D-1' }, query: {} });
    const text = letter.ok ? textIn(letter.value, 'text') : '';
    expect(text).toContain('Disputed amount: 10.5 EUR');
    expect(text).toContain(`Line 1: ${buy.sellerMediaBuyId ?? ''}`);
    expect(text).toContain('Please answer by: 2026-10-20');
    const pdf = await run('show_dispute_letter', { params: { id: 'D-1' }, query: { format: 'pdf' } });
    const file = pdf.ok ? textIn(pdf.value['file'], 'content') : '';
    expect(Buffer.from(file, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
    expect(await on('close_dispute', 'D-1', { outcome: 'withdrawn', reason: 'x' })).toMatchObject({
      ok: true,
    });
    expect(await on('answer_dispute', 'D-1', { text: 'late' })).toMatchObject(err({ code: 'CONFLICT' }));
  });
});

it('a void takes back what was decided about the differences of its document', async () => {
  const { breakId, invoiceId, anna, berta, organizationId, open, on, balance, select, reconcile, verify } =
    await billed();
  await open({ break_id: breakId });
  await open({ invoice_id: invoiceId, amount: '5' });
  await call(anna, 'void_invoice', { params: { id: invoiceId }, body: { reason: 'Wrong month.' } });
  const [request] = await select<{ id: string }>(`select id from control_request where state = 'open'`);
  const decided = await controlRequests(store).decide({ organizationId }, request?.id ?? '', {
    ...{ state: 'approved', by: berta.principalId, at: clock.now() },
  });
  expect(decided).toEqual({ kind: 'decided' });
  expect(await balance()).toEqual({ ...base, seller_payable: '-300' });
  expect(await on('show_break', breakId)).toMatchObject(ok({ state: 'gone' }));
  for (const number of ['D-1', 'D-2'])
    expect(await on('show_dispute', number)).toMatchObject(ok({ outcome: 'withdrawn', held: '0' }));
  expect(await on('reopen_dispute', 'D-2', { reason: 'x' })).toMatchObject(err({ code: 'NOT_FOUND' }));
  await reconcile();
  expect(await verify()).toMatchObject({ ok: true });
});
