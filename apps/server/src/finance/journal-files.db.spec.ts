import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonObject } from '@switchyard/values';
import { openFinance, textIn } from './testkit/finance.js';

const { finance } = await openFinance();

/** A batch with delivery of a client, an invoice with a fee and tax of it, and a credit note. */
async function exported() {
  const made = await finance(2);
  const { read, run, buy, select, organizationId } = made;
  await select(`update organization set reporting_currency = 'EUR' where id = $1`, [organizationId]);
  const client = await made.addClient({ netsuite: 'N-7', sap: 'S-7', finance: 'F-7' });
  const id = buy.sellerMediaBuyId ?? '';
  const text = `Invoice,Issued,Currency,Month,Seller buy,Description,Type,Amount\nA-1,2026-10-02,EUR,2026-09,${id},Media,media,20.00\nA-1,2026-10-02,EUR,2026-09,,Data,fee,3.00\nC-1,2026-10-03,EUR,2026-09,${id},Refund,media,-1.50\n`;
  const brought = await run('import_invoice', {
    body: { seller: buy.seller, file: { name: 'a.csv', text } },
  });
  expect(brought).toMatchObject({ ok: true });
  const set = (account: string, code: string, more: JsonObject = {}) =>
    read('set_book_code', { body: { account, code, ...more } });
  for (const account of ['media_spend', 'seller_payable', 'seller_invoiced', 'seller_fees'])
    await set(account, `10 ${account}`);
  const batch = await read('export_journal', { body: { period: '2026-09', format: 'csv' } });
  expect(batch).toMatchObject({ batch: { number: 1 } });
  const files = async (format: string, part?: string) => {
    const query = { format, ...(part !== undefined && { part }) };
    return run('render_journal_batch', { params: { id: '1' }, query });
  };
  const rowsOf = async (format: string, part?: string, at = 0) => {
    const answer = await files(format, part);
    if (!answer.ok) throw new Error(answer.error.message);
    const file = (answer.value['files'] as readonly JsonObject[])[at];
    const [head = [], ...rows] = textIn(file, 'content')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    return rows.map((row) => Object.fromEntries(head.map((name, column) => [name, row[column]])));
  };
  return { ...made, client, set, files, rowsOf };
}

describe('the files of a batch', () => {
  it('are refused with the list of the codes that are missing, of each system its own', async () => {
    const { files, set, buy } = await exported();
    expect(await files('netsuite')).toMatchObject(
      err({
        code: 'CONFLICT',
        message: `These have no code in netsuite yet: subsidiary, vendor:${buy.seller}.`,
      }),
    );
    expect(await files('sap')).toMatchObject(
      err({ message: expect.stringMatching(/company_code, vendor:/) }),
    );
    expect(await files('xero')).toMatchObject(
      err({ message: expect.stringMatching(/no_tax, tracking, vendor:/) }),
    );
    await set('subsidiary', '-', { system: 'netsuite' });
    await set(`vendor:${buy.seller}`, 'V1');
    expect(await files('netsuite')).toMatchObject(ok({ number: 1, part: 'journal' }));
    expect(await files('sap')).toMatchObject(
      err({ message: 'These have no code in sap yet: company_code.' }),
    );
    expect(await set('media_spend', '66', { system: 'sap' })).toMatchObject({ account: 'sap/media_spend' });
  });

  it('never hold one amount twice: the journal has what has no document, and bills and credits have the rest', async () => {
    const { set, rowsOf, buy } = await exported();
    await set('subsidiary', '7');
    await set(`vendor:${buy.seller}`, 'V1');
    const journal = await rowsOf('netsuite');
    expect(
      journal.map((row) => [row['Memo']?.split(' ')[0], row['Account'], row['Debit'], row['Credit']]),
    ).toEqual([
      ['delivery', '10 media_spend', '10.00', ''],
      ['delivery', '10 seller_payable', '', '10.00'],
      ['delivery', '10 media_spend', '10.00', ''],
      ['delivery', '10 seller_payable', '', '10.00'],
    ]);
    expect(journal[0]).toMatchObject({
      ...{ Date: '09/01/2026', 'Posting Period': 'Sep 2026', Subsidiary: '7', Currency: 'EUR', Entity: 'V1' },
      Class: 'N-7',
    });
    const heads = await rowsOf('netsuite', 'bills');
    expect(heads).toMatchObject([
      { 'Reference No.': 'A-1', Vendor: 'V1', Date: '10/02/2026', Subsidiary: '7' },
    ]);
    const lines = await rowsOf('netsuite', 'bills', 1);
    expect(lines.map((row) => [row['External ID'], row['Account'], row['Amount']]).sort()).toEqual([
      [`${buy.seller}-A-1`, '10 seller_fees', '3.00'],
      [`${buy.seller}-A-1`, '10 seller_payable', '20.00'],
    ]);
    expect(await rowsOf('netsuite', 'credits', 1)).toMatchObject([
      { 'External ID': `${buy.seller}-C-1`, Account: '10 seller_payable', Amount: '1.50' },
    ]);
  });

  it('are what SAP, QuickBooks and Xero take', async () => {
    const { set, rowsOf, buy } = await exported();
    for (const [key, code] of [
      [`vendor:${buy.seller}`, 'V1'],
      ['company_code', '1000'],
      ['no_tax', 'Tax Exempt'],
      ['tracking', 'Client'],
    ] as const)
      await set(key, code);
    expect((await rowsOf('sap'))[0]).toMatchObject({
      ...{
        BUKRS: '1000',
        BLART: 'SA',
        BUDAT: '20260901',
        XBLNR: 'SW00001-00001',
        WRSOL: '10.00',
        ZUONR: 'S-7',
        MWSKZ: '',
      },
    });
    const invoice = await rowsOf('sap', 'bills');
    expect(invoice.map((row) => [row['BLART'], row['BSCHL'], row['LIFNR'], row['WRBTR']])).toEqual([
      ['KR', '31', 'V1', '23.00'],
      ['KR', '40', '', expect.any(String)],
      ['KR', '40', '', expect.any(String)],
    ]);
    expect((await rowsOf('sap', 'credits')).map((row) => [row['BLART'], row['BSCHL'], row['WRBTR']])).toEqual(
      [
        ['KG', '21', '1.50'],
        ['KG', '50', '1.50'],
      ],
    );
    expect((await rowsOf('quickbooks'))[0]).toMatchObject({
      ...{
        'Journal Date': '09/01/2026',
        'Account Name': '10 media_spend',
        Debits: '10.00',
        Name: 'V1',
        Class: 'F-7',
      },
    });
    expect((await rowsOf('xero'))[1]).toMatchObject({
      ...{ '*Date': '1 Sep 2026', '*Amount': '-10.00', '*TaxRate': 'Tax Exempt', TrackingOption1: 'F-7' },
    });
    expect(await rowsOf('xero', 'credits')).toMatchObject([
      { '*ContactName': 'V1', '*InvoiceNumber': 'C-1', '*UnitAmount': '-1.50', '*TaxType': 'Tax Exempt' },
    ]);
  });

  it('of a manual journal of Xero are in its base currency alone', async () => {
    const { set, files, select, organizationId, buy } = await exported();
    await set(`vendor:${buy.seller}`, 'V1');
    await select(`update organization set reporting_currency = 'USD' where id = $1`, [organizationId]);
    expect(await files('xero')).toMatchObject(err({ message: expect.stringMatching(/base currency, USD/) }));
  });
});
