import { describe, expect, it } from '@jest/globals';
import { controlRequests } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { err, isoOf, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { pain001, shiftDay } from '@switchyard/ledger';
import { xmlTree } from '@switchyard/tables';
import { openFinance, textIn } from './testkit/finance.js';
import { faultsOfPain } from './testkit/pain-001-rules.js';

const { finance, store, clock, call } = await openFinance();

const iban = { ours: 'DE89370400440532013000', theirs: 'FR1420041010050500013M02606' };

const rows = (value: JsonValue | undefined): readonly JsonObject[] => value as readonly JsonObject[];

/** Two people of finance, a seller with a bank account that can be used, and approved invoices of given amounts. */
async function payers(...amounts: readonly string[]) {
  const opened = await finance(1);
  const { run, read, select, organizationId, buy, anna, berta } = opened;
  await select(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]);
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  const decide = async () => {
    const [request] = await select<{ id: string }>(
      `select id from control_request where state = 'open' order by requested_at limit 1`,
    );
    return controlRequests(store).decide({ organizationId }, request?.id ?? '', {
      ...{ state: 'approved', by: berta.principalId, at: clock.now() },
    });
  };
  const setAccount = async (body: JsonObject) => {
    const answer = await run('set_bank_account', { body });
    expect(answer).toMatchObject({ ok: true });
    expect(await decide()).toEqual({ kind: 'decided' });
  };
  const setAccounts = async () => {
    await setAccount({ currency: 'EUR', name: 'Agentur Süd', iban: iban.ours });
    await setAccount({ seller: buy.seller, name: 'Médias & Fils', iban: iban.theirs, bic: 'PSSTFRPPPAR' });
  };
  const bring = async (number: string, amount: string): Promise<string> => {
    const text = `Invoice,Issued,Currency,Month,Seller buy,Amount\n${number},2026-10-02,EUR,2026-09,${buy.sellerMediaBuyId ?? ''},${amount}\n`;
    const answer = await read('import_invoice', {
      body: { seller: buy.seller, file: { name: 'a.csv', text } },
    });
    return textIn(rows(answer['invoices'])[0], 'invoice_id');
  };
  const approve = (id: string) => call(berta, 'approve_invoice', { params: { id } });
  const invoices: string[] = [];
  for (const [at, amount] of amounts.entries()) {
    const id = await bring(`INV-10${at + 1}`, amount);
    await approve(id);
    invoices.push(id);
  }
  const on = (what: string, id: string, body?: JsonObject, by = anna) =>
    call(by, what, { params: { id }, ...(body !== undefined && { body }) });
  const propose = (more: JsonObject = {}) =>
    run('propose_payments', { body: { due_until: '2026-12-31', ...more } });
  /** A proposal that is approved and exported: its transfer and its file. */
  const send = async () => {
    const made = await propose();
    expect(made).toMatchObject({ ok: true });
    expect(await on('approve_payments', 'P-1', undefined, berta)).toMatchObject(ok({ state: 'approved' }));
    const file = await on('export_payments', 'P-1', {});
    const shown = await on('show_payment_run', 'P-1');
    const order = shown.ok ? rows(shown.value['orders'])[0] : undefined;
    return { id: textIn(order, 'payment_id'), file: file.ok ? textIn(file.value, 'file') : '' };
  };
  const balance = async () =>
    Object.fromEntries(
      (
        await select<{ account: string; amount: string }>(
          `select account, trim_scale(sum(amount_micros) / 1000000)::text as amount from ledger_posting
           where organization_id = $1 and account not in ('media_spend', 'seller_payable')
           group by account having sum(amount_micros) <> 0`,
          [organizationId],
        )
      ).map(({ account, amount }) => [account, amount]),
    );
  const stateOf = async (id: string) => {
    const shown = await on('show_invoice', id);
    return shown.ok ? [shown.value['state'], shown.value['paid']] : shown;
  };
  const day = 24 * 3_600_000;
  return {
    ...{
      ...opened,
      decide,
      bring,
      approve,
      invoices,
      on,
      propose,
      send,
      balance,
      stateOf,
      setAccount,
      setAccounts,
    },
    later: () => clock.advance(day),
  };
}

const camt = (id: string, amount: string, sign: 'DBIT' | 'CRDT' = 'DBIT', reference = 'R1'): string => {
  const change = sign === 'DBIT' ? `-${amount}` : amount;
  const closing = (1000 + Number(change)).toFixed(2);
  return `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>S-${reference}</Id><Acct><Id><IBAN>${iban.ours}</IBAN></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${closing}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-10-06</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts></Ntry></Stmt></BkToCstmrStmt></Document>`;
};

const mt940 = (details: string, amount: string): string =>
  [
    ':20:STMT',
    `:25:${iban.ours}`,
    ':28C:00009/001',
    ':60F:C261005EUR1000,00',
    `:61:2610061006D${amount.replace('.', ',')}NTRFNONREF//B9`,
    `:86:116?00UEBERWEISUNG${details}`,
    `:62F:C261006EUR${(1000 - Number(amount)).toFixed(2).replace('.', ',')}`,
    '-',
  ].join('\r\n');

describe('a file for the bank', () => {
  const account = { name: 'Łukasz & Söhne // "Werbung" '.repeat(5), iban: iban.theirs };
  const transfers = ['EUR', 'USD', 'EUR'].map((currency, at) => ({
    ...{ id: String(at).repeat(32), seller: 'a', creditor: account, currency },
    amountMicros: 1_234_560_000n,
    invoices: Array.from({ length: 30 }, (_, number) => `RE-2026/${String(number)} äöü`),
  }));
  const debtors = new Map(['EUR', 'USD'].map((of) => [of, { ...account, bic: 'COBADEFFXXX' }]));
  const about = { madeAt: '2026-10-05T00:00:00Z', payOn: '2026-10-06', initiator: 'agency.example' };
  const file = pain001({ messageId: 'P-1-0123456789abcdef0123', ...about, debtors, transfers });

  it('has the names, order, lengths, characters and sums that the schema of pain.001.001.09 and SEPA demand', async () => {
    expect(faultsOfPain(await xmlTree(Buffer.from(file)))).toEqual([]);
  });

  it.each([
    ['<PmtMtd>TRF</PmtMtd>', ''],
    ['<NbOfTxs>3</NbOfTxs>', '<NbOfTxs>2</NbOfTxs>'],
    ['<ChrgBr>SLEV</ChrgBr>', '<ChrgBr>NONE</ChrgBr>'],
    ['<Ccy>EUR</Ccy>', '<Ccy>EUR</Ccy><Prtry>x</Prtry>'],
    ['<Cd>SEPA</Cd>', '<Cd>SDVA</Cd>'],
  ])('would be found without %s', async (part, other) => {
    expect(faultsOfPain(await xmlTree(Buffer.from(file.replace(part, other))))).not.toEqual([]);
  });
});

describe('a proposal of payments', () => {
  it('nets credit notes and names what it holds back with the reason', async () => {
    const { bring, approve, propose, setAccounts, later, on, anna, stateOf, invoices } = await payers(
      '300',
      '50',
    );
    await setAccounts();
    await bring('C-9', '-40');
    const waiting = await bring('INV-200', '77');
    const held = await bring('INV-201', '10');
    await approve(held);
    await on('hold_invoice', held, { reason: 'Wrong PO.' });
    expect(await propose()).toMatchObject(
      ok({
        orders: [],
        held: expect.arrayContaining([expect.objectContaining({ reason: expect.stringMatching(/new/) })]),
      }),
    );
    expect(await on('approve_payments', 'P-1')).toMatchObject(err({ code: 'CONFLICT' }));
    later();
    const made = await propose();
    expect(made).toMatchObject(ok({ number: 'P-2', state: 'proposed', amounts: { EUR: '310' } }));
    if (!made.ok) return;
    expect(rows(made.value['held']).map(({ number, reason }) => [number, reason])).toEqual(
      expect.arrayContaining([
        ['INV-200', 'It is not approved.'],
        ['INV-201', 'It is held: Wrong PO.'],
      ]),
    );
    expect(
      rows(rows(made.value['orders'])[0]?.['invoices'])
        .map(({ amount }) => amount)
        .toSorted(),
    ).toEqual([expect.any(String), expect.any(String)]);
    expect(await on('approve_payments', 'P-2', undefined, anna)).toMatchObject(err({ code: 'CONFLICT' }));
    const again = await propose();
    expect(again).toMatchObject(ok({ orders: [] }));
    expect(await on('pay_invoice', invoices[0] ?? '', { date: '2026-10-05' })).toMatchObject(
      err({ message: 'A proposal of payments pays this invoice.' }),
    );
    expect(await on('withdraw_payments', 'P-2')).toMatchObject(ok({ state: 'withdrawn' }));
    expect(await stateOf(waiting)).toEqual(['imported', '0']);
    expect(await propose()).toMatchObject(ok({ amounts: { EUR: '310' } }));
  });

  it('is approved, given to the bank as pain.001 and in transit, and booked by a statement once', async () => {
    const { send, setAccounts, later, run, invoices, balance, stateOf, verify, on } = await payers('300.50');
    await setAccounts();
    later();
    const { id, file } = await send();
    const endToEnd = id.replaceAll('-', '');
    expect(file).toContain('xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"');
    expect(file).toContain(`<EndToEndId>${endToEnd}</EndToEndId>`);
    expect(file).toContain('<InstdAmt Ccy="EUR">300.50</InstdAmt>');
    expect(file).toContain('<Nm>Medias + Fils</Nm>');
    expect(file).toContain('<Nm>Agentur Sued</Nm>');
    expect(file).toContain('<Ustrd>INV-101</Ustrd>');
    expect(await on('export_payments', 'P-1', {})).toMatchObject(ok({ file }));
    expect(await on('export_payments', 'P-1', { format: 'csv' })).toMatchObject(
      err({ code: 'CONFLICT', field: 'format' }),
    );
    expect(await balance()).toEqual({ in_transit: '-300.5' });
    expect(await on('withdraw_payments', 'P-1')).toMatchObject(err({ code: 'CONFLICT' }));
    const bank = (text: string) => run('import_bank_statement', { body: { file: { name: 'b.xml', text } } });
    expect(await bank(camt(endToEnd, '300.50').replace('699.50', '699.51'))).toMatchObject(
      err({ message: expect.stringMatching(/balances/) }),
    );
    expect(await bank(camt(endToEnd, '300.50'))).toMatchObject(
      ok({
        format: 'camt.053',
        pending: 1,
        entries: [{ state: 'booked', by: 'payment_id', payment_id: id }],
      }),
    );
    expect(await bank(camt(endToEnd, '300.50'))).toMatchObject(ok({ entries: [{ state: 'known' }] }));
    expect(await balance()).toEqual({ cash: '-300.5' });
    expect(await stateOf(invoices[0] ?? '')).toEqual(['paid', '300.5']);
    expect(await bank(camt(endToEnd, '300.50', 'DBIT', 'R3'))).toMatchObject(
      ok({ entries: [{ state: 'open', reason: expect.stringMatching(/paid twice/) }] }),
    );
    expect(await balance()).toEqual({ cash: '-300.5' });
    // It comes back: the payment is void, and the invoice is open again.
    expect(await bank(camt(endToEnd, '300.50', 'CRDT', 'R2'))).toMatchObject(
      ok({ entries: [{ state: 'returned', payment_id: id }] }),
    );
    expect(await balance()).toEqual({ seller_invoiced: '-300.5' });
    expect(await stateOf(invoices[0] ?? '')).toEqual(['approved', '0']);
    expect(await on('list_invoice_payments', invoices[0] ?? '')).toMatchObject(
      ok({ payments: [{ voided_at: expect.any(String) }] }),
    );
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('asks the bank for no day that is over', async () => {
    const { setAccounts, later, propose, on, berta } = await payers('20');
    await setAccounts();
    later();
    const made = await propose();
    await on('approve_payments', 'P-1', undefined, berta);
    later();
    expect(await on('export_payments', 'P-1', {})).toMatchObject({ ok: true });
    const shown = await on('show_payment_run', 'P-1');
    const days = [made, shown].map((run) => (run.ok ? textIn(run.value, 'pay_on') : ''));
    expect(days).toEqual([days[0], shiftDay(days[0] ?? '', 1)]);
    const again = await on('export_payments', 'P-1', {});
    expect(again.ok ? again.value['file'] : again).toContain(
      `<ReqdExctnDt><Dt>${days[1]}</Dt></ReqdExctnDt>`,
    );
  });

  it('takes the discount for early payment, in proportion from the tax', async () => {
    const { bring, approve, buy, run, setAccounts, later, send, balance, stateOf, on, verify } =
      await payers();
    await setAccounts();
    later();
    await run('set_term', { body: { seller: buy.seller, days: 30, discount: '2', discount_days: 60 } });
    const id = await bring('INV-300', '119.00');
    await approve(id);
    // Other days change nothing of the discount, and only a word takes it away.
    const days = (more: object) => run('set_term', { body: { seller: buy.seller, days: 45, ...more } });
    expect(await days({})).toEqual(ok({ seller: buy.seller, days: 45, discount: '2', discount_days: 60 }));
    const { id: payment, file } = await send();
    expect(file).toContain('<InstdAmt Ccy="EUR">116.62</InstdAmt>');
    clock.advance(24 * 3_600_000);
    expect(await on('record_payment', payment, { date: '2026-10-06' })).toMatchObject({ ok: true });
    expect(await balance()).toEqual({ cash: '-116.62', cash_discount: '-2.38' });
    expect(await stateOf(id)).toEqual(['paid', '119']);
    expect(await on('void_payment', payment, { reason: 'It bounced.' })).toMatchObject({ ok: true });
    expect(await balance()).toEqual({ seller_invoiced: '-119' });
    expect(await verify()).toMatchObject({ ok: true });
    expect(await days({ discount: null })).toEqual(ok({ seller: buy.seller, days: 45 }));
  });

  it('takes the discount on its last day, and no more on the day after it', async () => {
    const { bring, approve, buy, run, setAccounts, later, propose, on, berta } = await payers();
    await setAccounts();
    later();
    const last = shiftDay(isoOf(clock.now()).slice(0, 10), 1);
    const days = (Date.parse(last) - Date.parse('2026-10-02')) / (24 * 3_600_000);
    await run('set_term', { body: { seller: buy.seller, days: 30, discount: '2', discount_days: days } });
    await approve(await bring('INV-300', '119.00'));
    const after = await propose({ pay_on: shiftDay(last, 1) });
    expect(after).toMatchObject(ok({ orders: [{ amount: '119' }] }));
    await on('withdraw_payments', 'P-1');
    expect(await propose({ pay_on: last })).toMatchObject(ok({ orders: [{ amount: '116.62' }] }));
    expect(await on('approve_payments', 'P-2', undefined, berta)).toMatchObject({ ok: true });
    // The bank would pay it a day too late: less than the invoice would be paid.
    later();
    later();
    expect(await on('export_payments', 'P-2', {})).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/INV-300 is over/) }),
    );
    await on('withdraw_payments', 'P-2');
    expect(await propose()).toMatchObject(ok({ orders: [{ amount: '119' }] }));
  });

  it('does not hold once an invoice of it is held, and holds again when that is released', async () => {
    const { setAccounts, later, propose, on, berta, invoices } = await payers('20');
    await setAccounts();
    later();
    await propose();
    await on('approve_payments', 'P-1', undefined, berta);
    await on('hold_invoice', invoices[0] ?? '', { reason: 'Wrong PO.' });
    expect(await on('export_payments', 'P-1', {})).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/INV-101/) }),
    );
    await on('release_invoice', invoices[0] ?? '');
    expect(await on('export_payments', 'P-1', {})).toMatchObject({ ok: true });
  });

  it('does not hold once the account of its seller changed', async () => {
    const { setAccounts, setAccount, later, propose, on, berta, buy } = await payers('20');
    await setAccounts();
    later();
    await propose();
    await on('approve_payments', 'P-1', undefined, berta);
    await setAccount({ seller: buy.seller, name: 'Somebody', iban: 'GB82 WEST 1234 5698 7654 32' });
    expect(await on('export_payments', 'P-1', {})).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/account changed/) }),
    );
  });
});

describe('a bank statement', () => {
  it('as MT940 pays an approved invoice by its amount and its number, and proposes where it has no number', async () => {
    const { run, invoices, stateOf, verify, balance } = await payers('80.40', '90');
    const bank = (text: string) => run('import_bank_statement', { body: { file: { name: 'b.sta', text } } });
    expect(await bank(mt940('?20SVWZ+Rechnung INV?21-101 Media', '80.40'))).toMatchObject(
      ok({ format: 'mt940', entries: [{ state: 'booked', by: 'number', invoice_id: invoices[0] }] }),
    );
    expect(await stateOf(invoices[0] ?? '')).toEqual(['paid', '80.4']);
    const other = mt940('?20SVWZ+Danke', '90.00').replace('00009/001', '00010/001');
    expect(await bank(other)).toMatchObject(
      ok({ entries: [{ state: 'open', proposals: [{ invoice_id: invoices[1], number: 'INV-102' }] }] }),
    );
    expect(await balance()).toEqual({ cash: '-80.4', seller_invoiced: '-90' });
    expect(await bank('only a text')).toMatchObject(err({ field: 'file' }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('has transactions that are no payments, which are set aside and brought back', async () => {
    const { run, read, on } = await payers();
    const text = mt940('?20Kontoführung', '4.50');
    const bank = () => run('import_bank_statement', { body: { file: { name: 'b.sta', text } } });
    const list = async (state: string) =>
      rows((await read('list_bank_entries', { query: { state } }))['entries']);
    await bank();
    const [fee] = await list('open');
    const id = textIn(fee, 'entry_id');
    expect(await on('set_bank_entry_aside', id, { reason: 'A fee.' })).toEqual(ok({ entry_id: id }));
    expect(await bank()).toMatchObject(ok({ entries: [{ state: 'known' }] }));
    expect([await list('open'), await list('aside')]).toMatchObject([
      [],
      [{ amount: '-4.5', reason: 'A fee.' }],
    ]);
    expect(await on('set_bank_entry_aside', id, { reason: 'Again.' })).toMatchObject(
      err({ code: 'NOT_FOUND' }),
    );
    expect(await on('bring_bank_entry_back', id)).toMatchObject({ ok: true });
    expect([await list('open'), await list('aside')]).toMatchObject([[{ entry_id: id }], []]);
    expect(await on('bring_bank_entry_back', id)).toMatchObject(err({ code: 'NOT_FOUND' }));
  });

  it('has a transaction open again once its payment is taken back, and matches it no second time', async () => {
    const { run, read, on, invoices, stateOf } = await payers('80.40');
    const text = mt940('?20SVWZ+Rechnung INV?21-101 Media', '80.40');
    const bank = () => run('import_bank_statement', { body: { file: { name: 'b.sta', text } } });
    await bank();
    const paid = await on('list_invoice_payments', invoices[0] ?? '');
    const [payment] = paid.ok ? rows(paid.value['payments']) : [];
    await on('void_payment', textIn(payment, 'payment_id'), { reason: 'It paid another invoice.' });
    const list = async () => rows((await read('list_bank_entries', { query: {} }))['entries']);
    expect(await list()).toMatchObject([{ amount: '-80.4', reason: 'Its payment was taken back.' }]);
    expect(await bank()).toMatchObject(ok({ entries: [{ state: 'known' }] }));
    expect(await stateOf(invoices[0] ?? '')).toEqual(['approved', '0']);
    const id = textIn((await list())[0], 'entry_id');
    expect(await on('set_bank_entry_aside', id, { reason: 'It paid INV-7, by hand.' })).toMatchObject(
      ok({ entry_id: id }),
    );
    expect(await list()).toEqual([]);
  });

  it('keeps its transactions matched where another payment is taken back whose reference only begins like theirs', async () => {
    const { run, read, on, invoices } = await payers('80.40', '50.00');
    const text = mt940('?20SVWZ+Rechnung INV?21-101 Media', '80.40');
    await run('import_bank_statement', { body: { file: { name: 'b.sta', text } } });
    const [matched = '', other = ''] = invoices;
    await on('pay_invoice', other, { date: '2026-10-05', amount: '50', reference: 'bank run' });
    const paid = await on('list_invoice_payments', other);
    const [payment] = paid.ok ? rows(paid.value['payments']) : [];
    await on('void_payment', textIn(payment, 'payment_id'), { reason: 'It was not made.' });
    expect(await on('list_invoice_payments', matched)).toMatchObject(ok({ payments: [{ amount: '80.4' }] }));
    expect(rows((await read('list_bank_entries', { query: {} }))['entries'])).toEqual([]);
  });

  it('as MT940 finds our payment id though it is cut over two fields', async () => {
    const { send, setAccounts, later, run } = await payers('12.34');
    await setAccounts();
    later();
    const { id } = await send();
    const hex = id.replaceAll('-', '').toUpperCase();
    const text = mt940(`?20EREF+${hex.slice(0, 20)}?21${hex.slice(20)}?22SVWZ+INV-101`, '12.34');
    expect(await run('import_bank_statement', { body: { file: { name: 'b.sta', text } } })).toMatchObject(
      ok({ entries: [{ state: 'booked', by: 'payment_id', payment_id: id }] }),
    );
  });
});

it('the rest of an invoice is written off by two people, and taken back as a payment is', async () => {
  const { invoices, on, decide, stateOf, balance, verify, later } = await payers('100');
  const [id = ''] = invoices;
  const writeOff = () => on('write_off_invoice', id, { reason: 'Cents.' });
  expect(await writeOff()).toMatchObject(err({ message: expect.stringMatching(/has no rest/) }));
  await on('pay_invoice', id, { date: '2026-10-05', amount: '99.63' });
  expect(await writeOff()).toMatchObject({ ok: true });
  expect(await stateOf(id)).toEqual(['part_paid', '99.63']);
  later();
  expect(await decide()).toEqual({ kind: 'decided' });
  expect(await stateOf(id)).toEqual(['paid', '100']);
  expect(await balance()).toEqual({ cash: '-99.63', write_off: '-0.37' });
  const shown = await on('list_invoice_payments', id);
  const payments = shown.ok ? rows(shown.value['payments']) : [];
  expect(payments).toMatchObject([{ amount: '99.63' }, { amount: '0.37', written_off: true }]);
  expect(await writeOff()).toMatchObject(err({ message: 'Nothing is open of the invoice.' }));
  later();
  const back = await on('void_payment', textIn(payments[1], 'payment_id'), { reason: 'The seller insists.' });
  expect(back).toMatchObject({ ok: true });
  expect(await stateOf(id)).toEqual(['part_paid', '99.63']);
  expect(await balance()).toEqual({ cash: '-99.63', seller_invoiced: '-0.37' });
  expect(await verify()).toMatchObject({ ok: true });
});

it('an account with a wrong check digit or length is refused, and one that stands waits for another person', async () => {
  const { run, select } = await payers();
  const set = (iban: string) => run('set_bank_account', { body: { currency: 'EUR', name: 'A', iban } });
  expect(await set('DE89370400440532013001')).toMatchObject(err({ field: 'iban' }));
  expect(await set('DE8937040044053201300')).toMatchObject(err({ field: 'iban' }));
  expect(await set('DE89 3704 0044 0532 0130 00')).toMatchObject({ ok: true });
  expect(await select('select iban from bank_account')).toEqual([]);
});
