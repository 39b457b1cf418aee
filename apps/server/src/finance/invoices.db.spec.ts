import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { writeTable } from '@switchyard/tables';
import { err, ok, type JsonObject } from '@switchyard/values';
import { openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

const wrong: readonly [what: string, text: string, reason: RegExp][] = [
  ['an amount that no ledger holds', 'Net\n1e400\n', /larger than the ledger/],
  ['an amount with a decimal comma', 'Net;Units\n200,00;3\n', /Write it with a point/],
  ['a negative amount', 'Net\n-5\n', /negative/],
];

describe('an invoice file', () => {
  it.each(wrong)('with %s books nothing and names the row', async (_, text, reason) => {
    const { buy, run } = await finance(0);
    const defaults = { invoice_number: 'I', issued_on: '2026-10-02', period: '2026-09', currency: 'EUR' };
    const body = { seller: buy.seller, file: { name: 'i.csv', text }, mapping: { amount: 'Net' }, defaults };
    const read = await run('import_invoice', { body });
    expect(read).toMatchObject(
      ok({ invoice_id: null, refused: [{ row: 1, reason: expect.stringMatching(reason) }] }),
    );
  });

  it('that names a column twice is refused, and a truncated one books nothing and names the row', async () => {
    const { buy, run } = await finance(0);
    const bring = (text: string) =>
      run('import_invoice', { body: { seller: buy.seller, file: { name: 'i.csv', text } } });
    expect(await bring('amount,amount\n1,2\n')).toMatchObject(err({ field: 'file' }));
    for (const cut of ['amount,currency\n1,EUR\n2', 'amount,currency\n1,EUR\n2,"EU'])
      expect(await bring(cut)).toMatchObject(
        ok({ invoice_id: null, refused: expect.arrayContaining([{ row: 2, reason: expect.any(String) }]) }),
      );
    expect(await run('list_invoices')).toEqual(ok({ invoices: [] }));
  });

  it('that ends in its first row is refused for that row alone', async () => {
    const { buy, read } = await finance(0);
    const file = { name: 'i.csv', text: 'media_buy_id,amount\nx,"1' };
    expect(await read('import_invoice', { body: { seller: buy.seller, file } })).toMatchObject({
      invoice_id: null,
      refused: [{ row: 1, reason: expect.stringMatching(/cut off/) }],
    });
  });

  it('that was announced is read once all announced bytes have arrived and match, and is stored', async () => {
    const { buy, run, announce } = await finance(0);
    const defaults = { invoice_number: 'I-2', issued_on: '2026-10-02', period: '2026-09', currency: 'EUR' };
    const row = `${buy.sellerMediaBuyId ?? ''},${buy.packages[0] ?? ''},1.5,${'x'.repeat(1_000)}\n`;
    const bytes = Buffer.from(`Buy,Package,Net,Text\n${row.repeat(6_000)}`);
    const mapping = { media_buy_id: 'Buy', package_id: 'Package', amount: 'Net' };
    const announced = await announce('big.csv', bytes);
    const [id, size] = [textIn(announced, 'file_id'), Number(announced['part_bytes'])];
    const put = (part: number, content: Buffer) =>
      run('put_file_part', { params: { id, part: String(part) }, bytes: content });
    const read = (more: JsonObject = {}) =>
      run('import_invoice', { body: { seller: buy.seller, file_id: id, defaults, mapping, ...more } });
    expect(announced['parts']).toBe(2);
    expect(await put(0, bytes.subarray(0, size))).toMatchObject({ ok: true });
    expect(await put(1, bytes.subarray(size, size + 9))).toMatchObject({ ok: false });
    expect(await read()).toMatchObject(err({ message: expect.stringMatching(/cut off/) }));
    await put(1, Buffer.alloc(bytes.length - size, row));
    expect(await read()).toMatchObject(ok({ invoice_id: null, refused: [{}] }));
    await put(1, bytes.subarray(size));
    expect(await read({ dry_run: true })).toMatchObject(
      ok({
        invoice_id: null,
        preview: {
          columns: expect.arrayContaining([
            { column: 'Net', field: 'amount' },
            { column: 'Text', field: null },
          ]),
        },
      }),
    );
    const booked = await read();
    expect(booked).toMatchObject(ok({ lines: 6_000, total: '9000' }));
    const invoiceId = booked.ok ? textIn(booked.value, 'invoice_id') : '';
    expect(await run('show_invoice', { params: { id: invoiceId } })).toMatchObject(
      ok({
        file: 'big.csv',
        original_sha256: createHash('sha256').update(bytes).digest('hex'),
        line_total: 6_000,
      }),
    );
    // What an invoice was made of is not written over, and the mapping is remembered.
    expect(await put(0, bytes.subarray(0, size))).toMatchObject(err({ code: 'NOT_FOUND' }));
    const again = await run('import_invoice', {
      body: {
        seller: buy.seller,
        file_id: id,
        defaults: { ...defaults, invoice_number: 'I-3' },
        dry_run: true,
      },
    });
    expect(again).toMatchObject(ok({ total: '9000' }));
    const other = await finance(0);
    expect(
      await other.call(other.anna, 'import_invoice', { body: { seller: other.buy.seller, file_id: id } }),
    ).toMatchObject(err({ code: 'NOT_FOUND' }));
  });

  it('names itself in its answer, and our buy for each line with the seller’s own id', async () => {
    const { buy, run } = await finance(0);
    const defaults = { invoice_number: 'I-7', issued_on: '2026-10-02', currency: 'EUR', period: '2026-09' };
    const text = `media_buy_id,amount\n${buy.sellerMediaBuyId ?? ''},1\nunknown,2\n`;
    const imported = await run('import_invoice', {
      body: { seller: buy.seller, file: { name: 'i.csv', text }, defaults },
    });
    expect(imported).toMatchObject(ok({ seller: buy.seller, number: 'I-7' }));
    const params = { id: imported.ok ? textIn(imported.value, 'invoice_id') : '' };
    const shown = await run('show_invoice', { params });
    expect(shown.ok && shown.value['lines']).toEqual([
      {
        line: 1,
        amount: '1',
        type: 'media',
        seller_media_buy_id: buy.sellerMediaBuyId,
        media_buy_id: buy.mediaBuyId,
      },
      { line: 2, amount: '2', type: 'media', seller_media_buy_id: 'unknown' },
    ]);
  });

  it('may have lines with more decimals than its currency, and is paid as a whole', async () => {
    const { buy, run } = await finance(0);
    const defaults = { invoice_number: 'I-1', issued_on: '2026-10-02', currency: 'USD', period: '2026-09' };
    const file = { name: 'i.csv', text: 'amount\n1\n2.005\n3.0001\n' };
    const imported = await run('import_invoice', { body: { seller: buy.seller, file, defaults } });
    expect(imported).toMatchObject(ok({ total: '6.0051', refused: [] }));
    const params = { id: imported.ok ? textIn(imported.value, 'invoice_id') : '' };
    const pay = (body: JsonObject) => run('pay_invoice', { params, body: { date: '2026-10-03', ...body } });
    expect(await pay({})).toMatchObject(err({ message: 'This invoice is not approved yet.' }));
    await run('approve_invoice', { params });
    expect(await pay({ amount: '6.005' })).toMatchObject(err({ field: 'amount' }));
    expect(await pay({})).toMatchObject(ok({ amount: '6.0051', open: '0' }));
  });

  it('as a workbook is read in a thread of its own, and its PDF is stored beside the invoice', async () => {
    const { buy, run, bring, upload } = await finance(0);
    const document = {
      title: 't',
      madeAt: '2026-10-05T00:00:00.000Z',
      sections: [
        {
          name: 's',
          columns: ['Buy', 'Net'],
          rows: [
            [buy.sellerMediaBuyId ?? '', '12.5'],
            ['b', '1e400'],
          ],
        },
      ],
    };
    const defaults = { invoice_number: 'I-9', issued_on: '2026-10-02', currency: 'EUR', period: '2026-09' };
    const id = await upload('i.xlsx', await writeTable(document, 'xlsx'));
    const mapping = { media_buy_id: 'Buy', amount: 'Net' };
    const body = { seller: buy.seller, file_id: id, defaults, mapping };
    expect(await run('import_invoice', { body })).toMatchObject(
      ok({
        invoice_id: null,
        refused: [{ row: 2, reason: expect.stringMatching(/larger than the ledger/) }],
      }),
    );
    const bomb = Buffer.from('PK\u0003\u0004 no workbook');
    const hostile = await upload('bomb.xlsx', bomb);
    expect(await run('import_invoice', { body: { ...body, file_id: hostile } })).toMatchObject(
      err({ field: 'file', message: expect.stringMatching(/damaged/) }),
    );
    const invoice = await bring('INV-1', '300');
    const params = { id: invoice.ok ? textIn(invoice.value, 'invoice_id') : '' };
    const attach = async (bytes: Buffer) =>
      run('attach_to_invoice', { params, body: { file_id: await upload('i.pdf', bytes) } });
    expect(await attach(Buffer.from('MZ'))).toMatchObject(err({ message: 'The file is not a PDF.' }));
    const pdf = await writeTable(document, 'pdf');
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    expect(await attach(pdf)).toMatchObject(
      ok({ attachments: [{ name: 'i.pdf', sha256, bytes: pdf.length }] }),
    );
  });
});
