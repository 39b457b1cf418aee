import { describe, expect, it } from '@jest/globals';
import { controlRequests } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { untilWaitedFor } from '@switchyard/testing';
import { err, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { openFinance, textIn } from './testkit/finance.js';

const { finance, store, clock, call } = await openFinance();

const rows = (value: JsonValue | undefined): readonly JsonObject[] => value as readonly JsonObject[];

const address = { street: 'Hafenstr. 1', post_code: '20457', city: 'Hamburg', country: 'DE' };

/** A finance department of two people with a client that is billed 8 % on top of the 300 that its campaign has delivered. */
async function billers(rule: JsonObject = {}) {
  const opened = await finance();
  const { run, select, organizationId, addClient, anna, berta, buy } = opened;
  const clientId = await addClient({ finance: 'C-1' });
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  const decide = async (state: 'approved' | 'denied' = 'approved') => {
    const [request] = await select<{ id: string }>(
      `select id from control_request where state = 'open' order by requested_at limit 1`,
    );
    const decision = { state, by: berta.principalId, at: clock.now(), reason: 'Seen.' };
    return controlRequests(store).decide({ organizationId }, request?.id ?? '', decision);
  };
  const ask = async (what: string, body: JsonObject) => {
    expect(await run(what, { body })).toMatchObject({ ok: true });
    expect(await decide()).toEqual({ kind: 'decided' });
  };
  const entity = { name: 'Nord Media GmbH', address, tax_id: 'DE123456789', series: 'NM-', currency: 'EUR' };
  await ask('set_legal_entity', { ...entity, iban: 'DE89370400440532013000' });
  const entities = await run('list_legal_entities');
  const entityId = textIn(entities.ok ? rows(entities.value['entities'])[0] : undefined, 'entity_id');
  const profile = { client_id: clientId, entity_id: entityId, name: 'Nova AG', address, tax_percent: '19' };
  expect(await run('set_billed_client', { body: profile })).toMatchObject({ ok: true });
  await ask('set_billing_rule', { kind: 'cost_plus', percent: '8', starts_on: '2026-01-01', ...rule });
  const bill = (more: JsonObject = {}) =>
    run('run_billing', { body: { client_id: clientId, period: '2026-09', ...more } });
  const on = (what: string, id: string, body?: JsonObject, by = anna) =>
    call(by, what, { params: { id }, ...(body !== undefined && { body }) });
  const drafted = async (more: JsonObject = {}) => {
    const done = await bill(more);
    expect(done).toMatchObject({ ok: true });
    return textIn(done.ok ? rows(done.value['invoices'])[0] : undefined, 'client_invoice_id');
  };
  const issued = async (more: JsonObject = {}) => {
    const shown = await on('issue_client_invoice', await drafted(more), {}, berta);
    expect(shown).toMatchObject({ ok: true });
    return shown.ok ? shown.value : {};
  };
  const balance = async (day = '9999-12-31') =>
    Object.fromEntries(
      (
        await select<{ account: string; amount: string }>(
          `select account, trim_scale(sum(amount_micros) / 1000000)::text as amount from ledger_posting
           where organization_id = $1 and seller = '' and day <= $2 group by account having sum(amount_micros) <> 0`,
          [organizationId, day],
        )
      ).map(({ account, amount }) => [account, amount]),
    );
  return {
    ...{ ...opened, clientId, entityId, ask, decide, bill, on, drafted, issued, balance, seller: buy.seller },
  };
}

describe('an invoice to a client', () => {
  it('is drafted from a rule, issued by a second person under the next number, posted, and verifies', async () => {
    const { bill, on, drafted, berta, balance, verify } = await billers();
    const done = await bill({ lines: [{ description: 'Workshop', amount: '500', currency: 'EUR' }] });
    expect(done).toMatchObject(
      ok({
        invoices: [
          {
            ...{ state: 'draft', kind: 'invoice', net: '824', tax: '156.56', gross: '980.56', open: '0' },
            lines: [
              { type: 'media', net: '300' },
              { type: 'markup', net: '24' },
              { type: 'fee', net: '500', description: 'Workshop' },
            ],
          },
        ],
      }),
    );
    // A second run replaces the draft of the first.
    const id = await drafted({ lines: [{ description: 'Workshop', amount: '500', currency: 'EUR' }] });
    expect(await on('issue_client_invoice', id, {})).toMatchObject(
      err({ code: 'CONFLICT', message: 'You made this draft: another person issues it.' }),
    );
    expect(await balance()).toEqual({});
    expect(await on('issue_client_invoice', id, {}, berta)).toMatchObject(
      ok({ number: 'NM-00001', state: 'issued', due_on: '2026-11-04', open: '980.56' }),
    );
    expect(await balance()).toEqual({
      ...{ client_receivable: '980.56', client_media: '-300', markup_income: '-24', fee_income: '-500' },
      output_tax: '-156.56',
    });
    expect(await on('issue_client_invoice', id, {}, berta)).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await on('withdraw_client_invoice', 'NM-00001')).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('is issued after a run of its client that replaces it, and is not found then: neither waits for the other', async () => {
    const { on, drafted, berta, organizationId, clientId } = await billers();
    const id = await drafted();
    const issuing = await store.inTenant({ organizationId }, async (client) => {
      // As a run does: the client first, and then its drafts.
      await client.query('select from client_billing where client_id = $1 for update', [clientId]);
      const waiting = on('issue_client_invoice', id, {}, berta);
      await untilWaitedFor({ query: (text) => client.query(text) });
      await client.query('delete from client_invoice_line where invoice_id = $1', [id]);
      await client.query('delete from client_invoice where id = $1', [id]);
      return [waiting];
    });
    expect(await issuing[0]).toMatchObject(err({ code: 'NOT_FOUND' }));
  });

  it('bills what came later by its difference, and nothing twice', async () => {
    const { bill, issued, report } = await billers();
    await issued();
    expect(await bill()).toMatchObject(ok({ invoices: [] }));
    await report(3, 4, '35', 'pull');
    expect(await issued()).toMatchObject({ number: 'NM-00002', net: '27', tax: '5.13' });
    clock.advance(1_000);
    await report(3, 4, '5', 'pull');
    expect(await bill()).toMatchObject(
      ok({ invoices: [{ kind: 'credit_note', net: '-32.4', refers_to: 'NM-00002' }] }),
    );
  });

  it('is not issued once another document of the client was, because it may bill the same', async () => {
    const { drafted, on, berta, issued } = await billers();
    const first = await drafted({
      period: '2026-08',
      lines: [{ description: 'A', amount: '1', currency: 'EUR' }],
    });
    await issued();
    expect(await on('issue_client_invoice', first, {}, berta)).toMatchObject(
      err({
        code: 'CONFLICT',
        message: 'Another document of this client was issued since the draft was made.',
      }),
    );
  });

  it('leaves no gap in the numbers of its legal entity', async () => {
    const { issued, drafted, on, entityId, select, berta } = await billers();
    await issued();
    const free = { lines: [{ description: 'B', amount: '2', currency: 'EUR' }] };
    const id = await drafted(free);
    await select('update client_invoice set period = $1 where id = $2', ['bad', id]);
    await expect(on('issue_client_invoice', id, {}, berta)).rejects.toThrow('Invalid time value');
    await select('update client_invoice set period = $1 where id = $2', ['2026-09', id]);
    await on('issue_client_invoice', id, {}, berta);
    const numbers = await select<{ number: string }>(
      'select number from client_invoice where entity_id = $1 and number is not null order by number',
      [entityId],
    );
    expect(numbers.map(({ number }) => number)).toEqual(['NM-00001', 'NM-00002']);
  });

  it('is corrected by a credit note alone, which lowers what is open of it', async () => {
    const { issued, on, berta, balance, verify, bill } = await billers();
    const name = textIn(await issued(), 'number');
    expect(await on('credit_client_invoice', name, { reason: 'Late.', amount: '400' })).toMatchObject(
      err({ code: 'CONFLICT', field: 'amount' }),
    );
    const made = await on('credit_client_invoice', name, { reason: 'Agreed.', amount: '32.4' });
    expect(made).toMatchObject(ok({ kind: 'credit_note', net: '-32.4', tax: '-6.16', state: 'draft' }));
    const id = textIn(made.ok ? made.value : {}, 'client_invoice_id');
    expect(await on('issue_client_invoice', id, {}, berta)).toMatchObject(
      ok({ number: 'NM-00002', state: 'paid', refers_to: 'NM-00001' }),
    );
    expect(await on('show_client_invoice', 'NM-00001')).toMatchObject(
      ok({ open: '347', state: 'part_paid' }),
    );
    expect((await balance())['client_receivable']).toBe('347');
    expect(await verify()).toMatchObject({ ok: true });
    // What was credited is delivered and not billed: the next run says so.
    expect(await bill()).toMatchObject(ok({ invoices: [{ net: '32.4' }] }));
  });

  it('is paid by hand or by a bank statement that names it, once, and a payment that came back is taken back', async () => {
    const { issued, on, run, balance, decide } = await billers();
    await issued();
    const part = await on('record_client_payment', 'NM-00001', {
      date: '2026-10-05',
      amount: '85.56',
      reference: 'R',
    });
    expect(part).toMatchObject(ok({ state: 'part_paid', open: '300' }));
    expect(
      await on('record_client_payment', 'NM-00001', { date: '2026-10-05', amount: '1', reference: 'R' }),
    ).toMatchObject(err({ field: 'reference' }));
    const statement = [
      ...[':20:STMT', ':25:DE89370400440532013000', ':28C:00009/001', ':60F:C261005EUR0,00'],
      ...[
        ':61:2610051005C300,00NTRFNONREF//B1',
        ':86:166?00GUTSCHRIFT?20Rechnung NM 00001',
        ':62F:C261005EUR300,00',
        '-',
      ],
    ].join('\r\n');
    const bring = () => run('import_bank_statement', { body: { file: { name: 'a.sta', text: statement } } });
    expect(await bring()).toMatchObject(ok({ entries: [{ state: 'booked', by: 'number' }] }));
    expect(await bring()).toMatchObject(ok({ entries: [{ state: 'known' }] }));
    expect(await on('show_client_invoice', 'NM-00001')).toMatchObject(ok({ state: 'paid', open: '0' }));
    expect(await balance()).toMatchObject({ cash: '385.56' });
    const paid = part.ok ? rows(part.value['payments'])[0] : undefined;
    const back = await on('void_client_payment', textIn(paid, 'payment_id'), { reason: 'It came back.' });
    // It waits for another person: until then the client has paid.
    expect(back).toMatchObject({ ok: true });
    expect(await on('show_client_invoice', 'NM-00001')).toMatchObject(ok({ state: 'paid', open: '0' }));
    expect(await decide()).toEqual({ kind: 'decided' });
    expect(await on('show_client_invoice', 'NM-00001')).toMatchObject(
      ok({ state: 'part_paid', open: '85.56' }),
    );
    const twice = await on('void_client_payment', textIn(paid, 'payment_id'), { reason: 'Again.' });
    expect(twice).toMatchObject(err({ code: 'NOT_FOUND' }));
    expect(await balance()).toMatchObject({ cash: '300', client_receivable: '85.56' });
  });

  it('is reminded of three times once it is overdue, seven days apart, and ages', async () => {
    const { issued, on, run } = await billers();
    await issued();
    expect(await on('remind_client', 'NM-00001')).toMatchObject(err({ code: 'CONFLICT' }));
    clock.advance(31 * 86_400_000);
    for (const step of [1, 2, 3]) {
      expect(await on('remind_client', 'NM-00001')).toMatchObject(
        ok({ step, subject: `Reminder ${String(step)}: invoice NM-00001 of Nord Media GmbH` }),
      );
      expect(await on('remind_client', 'NM-00001')).toMatchObject(err({ code: 'CONFLICT' }));
      clock.advance(7 * 86_400_000);
    }
    expect(await on('remind_client', 'NM-00001')).toMatchObject(err({ code: 'CONFLICT' }));
    expect(await run('show_client_aging')).toMatchObject(
      ok({ clients: [{ client: '=Nova', current: '0', days_1_30: '385.56', total: '385.56', invoices: 1 }] }),
    );
  });
});

describe('rules of money', () => {
  it('change only once another person approves them, and a rule ends instead of going', async () => {
    const { run, on, decide, bill } = await billers();
    const listed = await run('list_billing_rules');
    const [first] = listed.ok ? rows(listed.value['rules']) : [];
    expect(first).toMatchObject({ kind: 'cost_plus', percent: '8', basis: 'delivered' });
    await run('set_billing_rule', { body: { kind: 'cost_plus', percent: '50', starts_on: '2026-02-01' } });
    expect(await bill()).toMatchObject(ok({ invoices: [{ net: '324' }] }));
    expect(await decide('denied')).toEqual({ kind: 'decided' });
    expect(await bill()).toMatchObject(ok({ invoices: [{ net: '324' }] }));
    await on('end_billing_rule', textIn(first, 'rule_id'), { ends_on: '2026-08-31' });
    expect(await bill()).toMatchObject(ok({ invoices: [{ net: '324' }] }));
    expect(await decide()).toEqual({ kind: 'decided' });
    expect(await bill()).toMatchObject(ok({ invoices: [], checks: [{ code: 'no_rule', amount: '300' }] }));
  });

  it('are refused where their members do not fit', async () => {
    const { run } = await billers();
    const add = (body: JsonObject) => run('set_billing_rule', { body: { starts_on: '2026-01-01', ...body } });
    expect(await add({ kind: 'cost_plus' })).toMatchObject(err({ field: 'percent' }));
    expect(await add({ kind: 'fixed_month', amount: '5' })).toMatchObject(err({ field: 'currency' }));
    expect(await add({ kind: 'cost_plus', percent: '1', seller: 'nobody' })).toMatchObject(
      err({ field: 'seller' }),
    );
    expect(
      await add({ kind: 'cost_plus', percent: '1', tax_percent: '7', tax_category: 'AE' }),
    ).toMatchObject(err({ field: 'tax_percent' }));
  });

  it('keep the series of a legal entity once it has numbers', async () => {
    const { issued, run, entityId } = await billers();
    await issued();
    const changed = {
      entity_id: entityId,
      name: 'Nord',
      address,
      tax_id: 'X',
      series: 'OTHER-',
      currency: 'EUR',
    };
    expect(await run('set_legal_entity', { body: changed })).toMatchObject(err({ code: 'CONFLICT' }));
  });
});

describe('the month of a client', () => {
  it('says what it brought by client and campaign, less what media and its sellers cost', async () => {
    const { issued, run } = await billers();
    await issued({ lines: [{ description: 'Fee', amount: '60', currency: 'EUR' }] });
    expect(await run('show_margin', { query: { period: '2026-09' } })).toEqual(
      ok({
        period: '2026-09',
        margins: [
          {
            ...{
              client_id: expect.any(String),
              client: '=Nova',
              currency: 'EUR',
              media: '300',
              markup: '24',
            },
            ...{ fees: '60', commission: '0', media_spend: '300', seller_fees: '0', differences: '0' },
            ...{ margin: '84', percent: '21.9' },
          },
        ],
      }),
    );
  });

  it('accrues what is delivered and not billed at its close, and takes it back on the next day', async () => {
    const { bring, reconcile, close, run, balance, issued, clientId, verify } = await billers();
    await bring('1', '300');
    await reconcile();
    expect(await run('list_accruals', { params: { period: '2026-09' } })).toMatchObject(
      ok({ unbilled: [{ client_id: clientId, client: '=Nova', currency: 'EUR', amount: '300' }] }),
    );
    expect(await close()).toMatchObject(ok({ state: 'closed' }));
    expect(await balance('2026-09-30')).toEqual({ unbilled: '300', client_media: '-300' });
    expect(await balance()).toEqual({});
    await issued();
    expect(await balance('2026-10-01')).toMatchObject({ client_media: '-300', markup_income: '-24' });
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('goes to the books with its client, and no amount stands in two parts of a batch', async () => {
    const { issued, run, bring, on, select, seller } = await billers();
    await bring('1', '300');
    await issued();
    await on('record_client_payment', 'NM-00001', { date: '2026-09-30' });
    const accounts =
      'media_spend seller_payable seller_invoiced client_receivable client_media markup_income output_tax cash';
    for (const key of [...accounts.split(' '), `vendor:${seller}`, 'subsidiary', 'no_tax'])
      await run('set_book_code', { body: { account: key, code: key, name: key } });
    expect(await run('export_journal', { body: { period: '2026-09', format: 'csv' } })).toMatchObject({
      ok: true,
    });
    const part = async (name: string) => {
      const file = await run('render_journal_batch', {
        params: { id: '1' },
        query: { format: 'netsuite', part: name },
      });
      return file.ok ? JSON.stringify(file.value) : JSON.stringify(file);
    };
    const journal = await part('journal');
    expect(journal).toContain('385.56');
    expect(journal).toContain('C-1');
    expect(await part('bills')).not.toContain('385.56');
    const [posted] = await select<{ debits: string }>(
      `select trim_scale(sum(amount_micros) filter (where amount_micros > 0) / 1000000)::text as debits from ledger_posting`,
    );
    expect(posted?.debits).toBe('1371.12');
  });
});
