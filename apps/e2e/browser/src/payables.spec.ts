import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openByMenu, openWindow, signInBy, type Window } from './harness/browser.js';
import { looksRight } from './harness/look.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';
import { confirm, letIn } from './personas/acts.js';

/** What is disputed and what is paid, in a browser, by people of finance. */
let instance: SandboxInstance;
let fay: Window;
let finn: Window;

beforeAll(async () => {
  instance = await startSandboxInstance(['--market', 'prompt', '--no-campaign']);
  const file = join(instance.data, 'invoice.csv');
  const head = 'invoice_number,period,issued_on,currency,media_buy_id,amount,description';
  writeFileSync(file, `${head}\nINV-1,2026-10,2026-10-31,USD,pr-1,100.00,Media\n`);
  instance.command('invoices', 'import', file, '--seller', 'prompt', '--due', '2026-11-01');
  const { invoices } = await instance.read<{ invoices: { invoice_id: string }[] }>('/v1/invoices');
  const id = invoices[0]?.invoice_id ?? '';
  instance.command(
    ...['disputes', 'open', '--invoice', id, '--amount', '30', '--due', '2027-01-31'],
    ...['--reason', 'They billed a day on which nothing ran.'],
  );
  const operator = await openWindow();
  await signInBy(operator.page, instance.link());
  fay = await openWindow();
  await signInBy(fay.page, await letIn(operator.page, 'fay', 'finance'));
  // Somebody who can agree to what fay asks for.
  finn = await openWindow();
  await signInBy(finn.page, await letIn(operator.page, 'finn', 'finance'));
  await operator.close();
});
afterAll(async () => {
  await fay.close();
  await finn.close();
  await instance.stop();
});

describe('somebody of finance', () => {
  it('has the letter of a dispute, writes down what the seller answers, closes it by its outcome and opens it again', async () => {
    const { page } = fay;
    await openByMenu(page, 'Invoices', 'Disputes');
    const disputes = page.getByRole('region', { name: 'Disputes' });
    await disputes.getByText('Answer due 31 Jan 2027').waitFor();
    await looksRight(page, 'disputes');
    await disputes.getByRole('row').nth(1).getByRole('link').first().click();
    const letter = page.getByRole('region', { name: 'Letter to the seller' });
    await letter.getByText('They billed a day on which nothing ran.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      letter.getByRole('button', { name: 'PDF' }).click(),
    ]);
    expect(
      readFileSync(await download.path())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    const said = page.getByRole('form', { name: 'Add what was said' });
    await said.getByLabel('Words').fill('We looked: that day counts.');
    await said.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByRole('region', { name: 'What was said' })
      .getByText('We looked: that day counts.')
      .waitFor();
    await looksRight(page, 'dispute');
    const close = page.getByRole('form', { name: 'Close the dispute' });
    await close.getByLabel('Outcome').selectOption('accepted');
    await close.getByLabel('Reason').fill('Their log shows it.');
    await close.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('Their log shows it.').waitFor();
    await close.waitFor({ state: 'detached' });
    await confirm(page, 'Open it again', 'The log was of another day.');
    await close.waitFor();
  });

  it('proposes payments, and asks for a bank account that another person has to agree to', async () => {
    const { page } = fay;
    await openByMenu(page, 'Invoices', 'Payments');
    await looksRight(page, 'payments');
    const propose = page.getByRole('form', { name: 'Propose payments' });
    await propose.getByRole('button', { name: 'Propose' }).click();
    await Promise.race([
      page.getByRole('heading', { level: 1, name: /^Payments / }).waitFor(),
      propose.getByRole('alert').waitFor(),
    ]);
    await page.goto(`${instance.url}/console/payments`);
    const account = page.getByRole('form', { name: 'Add or change a bank account' });
    await account.getByLabel('Account holder').fill('Practice Agency');
    await account.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00');
    await account.getByLabel('Currency').fill('EUR');
    await account.getByRole('button', { name: 'Ask for it' }).click();
    await account.getByText(/Another person must approve this first/).waitFor();
  });

  it('reads a file of a seller, answers only what fits two readings, and books its documents', async () => {
    const { page } = fay;
    await openByMenu(page, 'Invoices', 'Read a file');
    await page.getByRole('region', { name: 'File', exact: true }).getByLabel('Seller').selectOption('prompt');
    const rows = [
      'Rechnungsnummer;Rechnungsdatum;Leistungsmonat;Währung;Auftrag;Bezeichnung;Betrag',
      'RE-7;31.10.2026;2026-10;USD;PO-1;Media;1.234,50',
      'RE-7;31.10.2026;2026-10;USD;PO-2;Media;2.500,00',
    ];
    await page.locator('input[type=file]').setInputFiles({
      name: 'rechnung.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${rows.join('\n')}\n`),
    });
    await page.getByRole('button', { name: 'Read it' }).click();
    const book = page.getByRole('region', { name: 'Book' });
    await book.waitFor();
    const questions = page.getByRole('region', { name: 'Questions' });
    for (let asked = 0; asked < 4 && (await questions.count()) > 0; asked += 1) {
      const before = await questions.innerText();
      await questions.getByRole('button', { pressed: false }).first().click();
      await page.waitForFunction(
        `document.querySelector('[aria-label=Questions]')?.innerText !== ${JSON.stringify(before)}`,
      );
    }
    await looksRight(page, 'read-invoice');
    await book.getByRole('button', { name: /^Book / }).click();
    await book.getByRole('link', { name: 'RE-7' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoice RE-7' }).waitFor();
  });

  it('reads a German invoice with two answers: how its numbers are written, and which month it bills', async () => {
    const { page } = fay;
    await openByMenu(page, 'Invoices', 'Read a file');
    await page.getByRole('region', { name: 'File', exact: true }).getByLabel('Seller').selectOption('prompt');
    const rows = [
      'Harbor Medien GmbH;;;;',
      ';;;;',
      'Rechnungsnummer;Rechnungsdatum;Währung;Bezeichnung;Betrag',
      'RE-2026-118;31.10.2026;EUR;Anzeigen;2.750',
      'RE-2026-118;31.10.2026;EUR;Anzeigen Nachtrag;1.250',
    ];
    await page.locator('input[type=file]').setInputFiles({
      name: 'rechnung-118.csv',
      mimeType: 'text/csv',
      // As a German spreadsheet saves it: windows-1252.
      buffer: Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1'),
    });
    await page.getByRole('button', { name: 'Read it' }).click();
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.waitFor();
    await looksRight(page, 'german-invoice');
    const answered: string[] = [];
    for (const answer of [/2,?750/, /2026-10/]) {
      const choice = questions.getByRole('button', { name: answer }).first();
      answered.push(await choice.innerText());
      await choice.click();
      await choice.waitFor({ state: 'detached' });
    }
    await questions.waitFor({ state: 'detached' });
    expect(answered).toHaveLength(2);
    const book = page.getByRole('region', { name: 'Book' });
    await page.getByRole('region', { name: 'Invoice RE-2026-118' }).getByText('4,000').first().waitFor();
    await book.getByRole('button', { name: /^Book / }).click();
    await book.getByRole('link', { name: 'RE-2026-118' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoice RE-2026-118' }).waitFor();
    await page.getByText('4,000').first().waitFor();
  });

  it('holds an invoice and releases it, pays it in part, has its rest written off by two people, and takes the payment back', async () => {
    const { page } = fay;
    const { invoices } = await instance.read<{
      invoices: { invoice_id: string; number: string; total: string }[];
    }>('/v1/invoices');
    const { invoice_id: id, total } = invoices.find(({ number }) => number === 'RE-7') ?? fail();
    await page.goto(`${instance.url}/console/invoices/${id}`);
    await confirm(page, 'Hold', 'The buyer asks what the second line is.');
    await page.getByText('Held', { exact: true }).waitFor();
    await page.getByText('The buyer asks what the second line is.').waitFor();
    await looksRight(page, 'invoice-held');
    await confirm(page, 'Release');
    await page.getByRole('button', { name: 'Hold', exact: true }).waitFor();
    await finn.page.goto(`${instance.url}/console/invoices/${id}`);
    const approve = finn.page.getByRole('form', { name: 'Approve the invoice' });
    await approve.getByRole('button', { name: 'Approve', exact: true }).click();
    await finn.page.getByRole('button', { name: 'Take the approval back' }).waitFor();
    await page.reload();
    const pay = page.getByRole('form', { name: 'Record a payment' });
    await pay.getByLabel('Amount').fill(String(Number(total) - 1));
    await pay.getByRole('button', { name: 'Record the payment' }).click();
    await page.getByRole('button', { name: 'Write off the rest' }).click();
    const dialog = page.getByRole('dialog', { name: 'Write off the rest' });
    await dialog.getByLabel('Reason').fill('The bank kept a fee.');
    await dialog.getByRole('button', { name: 'Write off the rest' }).click();
    await dialog.getByText(/Another person must approve this first/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await finn.page.goto(`${instance.url}/console/inbox/approvals`);
    await finn.page.getByText(/Writes off the rest of the invoice RE-7/).waitFor();
    await confirm(finn.page, 'Approve', 'The bank says so.');
    await page.reload();
    const payments = page.getByRole('region', { name: 'Payments' });
    await payments.getByText('Written off').waitFor();
    await looksRight(page, 'invoice-paid');
    await confirm(page, 'Take back', 'It was another invoice.');
    await payments.getByText('Taken back').waitFor();
  });

  it('sets a transaction of the bank aside that is no payment, and brings it back', async () => {
    const { page } = fay;
    const statement = [
      ':20:1\n:25:DE89370400440532013000\n:28C:1/1\n:60F:C261006EUR1000,00',
      ':61:2610061006D4,50NCHGNONREF//B1\n:86:808?00Fee?20Account fee\n:62F:C261006EUR995,50\n-\n',
    ].join('\n');
    const file = join(instance.data, 'bank.sta');
    writeFileSync(file, statement);
    instance.command('payments', 'import', file);
    await page.goto(`${instance.url}/console/payments`);
    const entries = page.getByRole('region', { name: 'Transactions without a payment' });
    await entries.getByText(/Account fee/).waitFor();
    await confirm(page, 'Set aside', 'A fee of the bank.');
    await entries.getByText('Every transaction belongs to a payment').waitFor();
    await entries.getByLabel('Which transactions').selectOption('aside');
    await entries.getByText('A fee of the bank.').waitFor();
    await looksRight(page, 'payments-aside');
    await confirm(page, 'Bring back');
    await entries.getByText('Nothing is set aside').waitFor();
  });

  it('has met no error on the way', () => {
    expect(fay.complaints).toEqual([]);
  });
});

function fail(): never {
  throw new Error('It is not there.');
}
