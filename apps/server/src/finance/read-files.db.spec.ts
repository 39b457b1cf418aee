import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { jobRepository, principalDirectory } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import { runJobs, runnable } from '../platform/jobs/run-jobs.js';
import { jobStarter } from '../platform/jobs/start-job.js';
import { importJob } from './import-invoices.js';
import { openFinance, textIn } from './testkit/finance.js';

const { finance, store, clock, deps } = await openFinance();

const caseBytes = (name: string): Buffer =>
  readFileSync(new URL(`../../../../libs/domain/ledger/src/reading/testkit/files/${name}`, import.meta.url));

const idsIn = (answer: JsonObject): readonly unknown[] =>
  (answer['questions'] as readonly JsonObject[]).map(({ id }) => id);

/** A department, and what it does with one of the files of the reader's tests. */
async function reading() {
  const opened = await finance();
  const { buy, read, run, upload } = opened;
  const bodyOf = async (name: string, more: JsonObject = {}, put: readonly [string, string][] = []) => {
    const text = put.reduce(
      (all, [what, by]) => all.replaceAll(what, by),
      caseBytes(name).toString('latin1'),
    );
    return { seller: buy.seller, file_id: await upload(name, Buffer.from(text, 'latin1')), ...more };
  };
  const preview = async (name: string, more: JsonObject = {}, put: readonly [string, string][] = []) =>
    read('preview_invoices', { body: await bodyOf(name, more, put) });
  const bring = async (name: string, more: JsonObject = {}, put: readonly [string, string][] = []) =>
    run('import_invoice', { body: await bodyOf(name, more, put) });
  return { ...opened, preview, bring };
}

const month = { answers: { service_days: '2026-09' } };

describe('a file of a seller', () => {
  it('is shown as it was read, and nothing is booked', async () => {
    const { preview, run } = await reading();
    const german = await preview('05-decimal-comma.csv');
    expect(german).toMatchObject({
      recognised: { format: 'text', separator: ';', numbers: 'comma', encoding: { name: 'windows-1252' } },
      documents: [
        { number: 'RE-77', issued: '2026-11-20', currency: 'EUR', net: '1234.5', service_from: null },
      ],
      refused: [],
    });
    // This clock is in October: the day of issue is in the future.
    expect(idsIn(german)).toEqual(['issued', 'service_days']);
    expect(await preview('36c-title-and-sum.xlsx')).toMatchObject({
      recognised: { format: 'workbook', sheet: 'Invoice', header_row: 4 },
      documents: [{ net: '150', lines: [{ amount: '100' }, { amount: '50' }] }],
      checks: [{ check: 'total', ok: true }],
    });
    expect(await preview('36d-qty-times-rate.xlsx')).toMatchObject({
      documents: [{ net: '1020' }],
      checks: [{ check: 'formulas', ok: true }],
    });
    expect(await preview('36e-exponent.xlsx')).toMatchObject({ documents: [{ net: '1234.5' }] });
    expect(await preview('63-ubl-invoice.xml')).toMatchObject({
      recognised: { format: 'ubl' },
      documents: [
        {
          kind: 'invoice',
          number: 'HM-950',
          service_from: '2026-11-01',
          service_to: '2026-11-30',
          net: '100',
          tax: '19',
          gross: '119',
          lines: [
            { type: 'media', amount: '100', units: '12345', names: [{ kind: 'po', text: 'PO-2301' }] },
            { type: 'tax', amount: '19' },
          ],
        },
      ],
      questions: [{ id: 'issued' }],
      refused: [],
    });
    expect(await run('list_invoices')).toEqual(ok({ invoices: [] }));
  });

  it('asks the same questions each time, and is booked with their answers', async () => {
    const { preview, bring } = await reading();
    const first = await preview('13-two-invoices.csv');
    expect(idsIn(first)).toEqual(idsIn(await preview('13-two-invoices.csv')));
    const asked = await bring('13-two-invoices.csv');
    expect(asked).toMatchObject(
      ok({ invoice_id: null, invoices: [], questions: [{ id: 'issued' }, { id: 'service_days' }] }),
    );
    const answers = { issued: '2026-10-02', service_days: '2026-09' };
    const booked = await bring('13-two-invoices.csv', { answers });
    const days = { service_from: '2026-09-01', service_to: '2026-09-30' };
    expect(booked).toMatchObject(
      ok({
        invoices: [
          { number: 'VX-1011', kind: 'invoice', ...days, net: '12.5', tax: '0', gross: '12.5' },
          { number: 'VX-1012', kind: 'invoice', ...days, net: '13.5' },
        ],
      }),
    );
  });

  it('is booked whole or not at all, and a number is known however it is written', async () => {
    const { buy, run, verify } = await reading();
    const bring = (number: string, more = '') =>
      run('import_invoice', {
        body: {
          seller: buy.seller,
          file: {
            name: 'i.csv',
            text: `Invoice,Issued,Currency,Month,Amount\n${number},2026-10-02,EUR,2026-09,12.50\n${more}`,
          },
        },
      });
    expect(await bring('NW 2611')).toMatchObject(ok({ invoices: [{ number: 'NW 2611' }] }));
    expect(await bring('NW-2700,2026-10-02,EUR,2026-09,1.00\nnw-2611')).toMatchObject(
      err({ code: 'CONFLICT', message: expect.stringMatching(/already has an invoice nw-2611.*as NW 2611/) }),
    );
    expect(await run('list_invoices')).toMatchObject(ok({ invoices: [{ number: 'NW 2611' }] }));
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('with net, tax, a fee and a credit is compared by its media, owes its gross, and balances', async () => {
    const { buy, run, read, select, verify } = await reading();
    const id = buy.sellerMediaBuyId ?? '';
    const rows = [
      `A-1,02.10.2026,EUR,${id},Display,300.00,57.00,357.00`,
      'A-1,02.10.2026,EUR,,Serving fee,10.00,1.90,11.90',
      'A-1,02.10.2026,EUR,,Invalid traffic refund,-5.00,-0.95,-5.95',
    ];
    const text = `Invoice,Issued,Currency,Seller buy,Line item,Net,VAT,Gross\n${rows.join('\n')}\nTotal,,,,,305.00,57.95,362.95\n`;
    const booked = await run('import_invoice', {
      body: { seller: buy.seller, file: { name: 'a.csv', text } },
    });
    // The buy has one month that nobody billed.
    expect(booked).toMatchObject(
      ok({
        invoices: [
          { net: '305', tax: '57.95', gross: '362.95', service_from: '2026-09-01', service_to: '2026-09-30' },
        ],
      }),
    );
    const postings = await select(
      `select p.account, p.amount_micros::text as amount from ledger_posting p join ledger_entry e on e.id = p.entry_id
       where e.kind = 'invoice' order by 1`,
    );
    expect(postings).toEqual([
      { account: 'input_tax', amount: '57950000' },
      { account: 'seller_fees', amount: '10000000' },
      { account: 'seller_invoiced', amount: '-362950000' },
      { account: 'seller_payable', amount: '295000000' },
    ]);
    expect(await verify()).toMatchObject({ ok: true });
    expect(await read('show_aging')).toMatchObject({ aging: [{ total: '362.95' }] });
    expect(await read('reconcile', { body: { period: '2026-09' } })).toMatchObject({
      matched: 0,
      breaks: expect.arrayContaining([
        expect.objectContaining({ kind: 'unordered_fee', invoiced: '10' }),
        // The credit belongs to what its document bills.
        expect.objectContaining({ invoiced: '295', difference: '-5' }),
      ]),
    });
  });

  it('that names our own id is held against the buy', async () => {
    const { bring, buy, run } = await reading();
    const put: readonly [string, string][] = [
      ['{{our_media_buy_id}}', buy.mediaBuyId],
      ['2026-11-28', '2026-10-02'],
      ['USD', 'EUR'],
      ['3032.10', '300.00'],
    ];
    const booked = await bring('26-our-buy-id.csv', {}, put);
    expect(booked).toMatchObject(ok({ invoices: [{ net: '300', service_from: '2026-09-01' }] }));
    const [first] = (booked.ok ? booked.value['invoices'] : []) as readonly JsonObject[];
    expect(await run('show_invoice', { params: { id: textIn(first, 'invoice_id') } })).toMatchObject(
      ok({ lines: [{ media_buy_id: buy.mediaBuyId, type: 'media' }] }),
    );
  });

  it('that bills far more than its buy may cost is asked about, and beyond a hundred times refused', async () => {
    const { bring, buy } = await reading();
    const put = (amount: string): readonly [string, string][] => [
      ['{{seller_media_buy_id}}', buy.sellerMediaBuyId ?? ''],
      ['2026-11-28', '2026-10-02'],
      ['USD', 'EUR'],
      ['1251010000', amount],
    ];
    expect(await bring('61-amount-in-micros.csv', month, put('300000000'))).toMatchObject(
      ok({ questions: [{ id: 'factor' }] }),
    );
    const inUnits = { answers: { ...month.answers, factor: 'units' } };
    expect(await bring('61-amount-in-micros.csv', inUnits, put('300000000'))).toMatchObject(
      ok({ invoices: [], refused: [{ reason: expect.stringMatching(/may still cost/) }] }),
    );
    const inMicros = { answers: { ...month.answers, factor: 'micros' } };
    expect(await bring('61-amount-in-micros.csv', inMicros, put('300000000'))).toMatchObject(
      ok({ invoices: [{ net: '300' }] }),
    );
  });

  it('that says another total than its person is refused, and so is what is no table', async () => {
    const { bring, run, buy } = await reading();
    const answers = { issued: '2026-10-02', service_days: '2026-09' };
    expect(await bring('09b-total-only.csv', { answers, control_total: '151' })).toMatchObject(
      ok({ invoices: [], refused: [{ reason: expect.stringMatching(/You said 151/) }] }),
    );
    expect(await bring('09b-total-only.csv', { answers, control_total: '150' })).toMatchObject(
      ok({ invoices: [{ gross: '150' }] }),
    );
    const file = { name: 'x.csv', text: 'only a text' };
    expect(await run('import_invoice', { body: { seller: buy.seller, file } })).toMatchObject(
      err({ field: 'file' }),
    );
  });

  it('that is a credit note is owed back, and is not paid', async () => {
    const { bring, run, read, verify } = await reading();
    const answers = { issued: '2026-10-02', service_days: '2026-09' };
    const booked = await bring('02-credit-note.csv', { answers });
    expect(booked).toMatchObject(ok({ invoices: [{ kind: 'credit_note', gross: '-310' }] }));
    const [first] = (booked.ok ? booked.value['invoices'] : []) as readonly JsonObject[];
    const params = { id: textIn(first, 'invoice_id') };
    expect(await run('pay_invoice', { params, body: { date: '2026-10-03' } })).toMatchObject(
      err({ code: 'CONFLICT' }),
    );
    expect(await read('show_aging')).toMatchObject({ aging: [{ current: '-310', total: '-310' }] });
    expect(await verify()).toMatchObject({ ok: true });
  });
});

describe('a file that a job reads', () => {
  const jobs = jobRepository(store);
  const noItems = { open: () => Promise.resolve([]), seal: () => Promise.resolve(ok([])) };
  const starter = jobStarter({ jobs, items: noItems, clock, newId: randomUUID, notify: () => undefined });

  /** A job that imports 300 of one buy, and what runs it; `worker` replaces parts of what a worker does with the store. */
  const importing = async () => {
    const opened = await finance();
    const { buy, upload, anna, select, organizationId } = opened;
    await select('update principal set permissions = $1', [JSON.stringify(allPermissions)]);
    const order = buy.sellerMediaBuyId ?? '';
    const text = `Invoice,Issued,Currency,Month,Seller buy,Amount\nJ-1,2026-10-02,EUR,2026-09,${order},300.00\n`;
    const input = { seller: buy.seller, file_id: await upload('a.csv', Buffer.from(text)) };
    const { id } = must(await starter.start(importJob, anna, { input }));
    const told: unknown[] = [];
    const work = (worker: Partial<typeof jobs> = {}) => {
      clock.advance(120_000);
      return runJobs(
        {
          jobs: { ...jobs, ...worker },
          ...{ items: noItems, principals: principalDirectory(store), isStopped: () => false, clock },
          onUnexpected: (error) => told.push(error),
        },
        runnable([importJob], deps),
        'database',
        { organizationId },
        new AbortController().signal,
      );
    };
    const ended = async () => {
      const [row] = await select<{ state: string; result: JsonObject | null }>(
        'select state, result from job where id = $1',
        [id],
      );
      return row;
    };
    const booked = async () => (await select<{ id: string }>('select id from invoice')).map((row) => row.id);
    return { ...opened, id, work, ended, booked, told };
  };

  it('is booked once, and says what it has booked, also where its process ended between the commit and the end', async () => {
    const { work, ended, booked, told } = await importing();
    await work({ end: () => Promise.reject(new Error('the process ended')) });
    expect([(await booked()).length, told.length > 0, (await ended())?.state]).toEqual([1, true, 'running']);
    await work();
    const [invoice] = await booked();
    expect(await booked()).toHaveLength(1);
    expect(await ended()).toMatchObject({
      state: 'succeeded',
      result: {
        lines: 1,
        total: '300',
        documents: 1,
        invoices: [{ invoice_id: invoice, number: 'J-1', gross: '300' }],
      },
    });
  });

  it('that somebody stops before its commit books nothing, and is booked when it is repeated', async () => {
    const { work, ended, booked, told, id, organizationId } = await importing();
    await work({
      save: async (scope, lease, progress, at) => {
        if (progress.phase === 'booking') await jobs.cancel({ organizationId }, id, clock.now());
        return jobs.save(scope, lease, progress, at);
      },
    });
    expect([await booked(), (await ended())?.state, told]).toEqual([[], 'canceled', []]);
    await jobs.retry({ organizationId }, id, clock.now(), (cursor) => ({ cursor, forgets: false }));
    await work();
    expect([(await booked()).length, (await ended())?.state]).toEqual([1, 'succeeded']);
  });
});
