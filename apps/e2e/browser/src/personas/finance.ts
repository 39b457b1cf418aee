import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { writeTable } from '@switchyard/tables';
import { openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import type { SandboxInstance } from '../harness/sandbox-instance.js';
import { confirm, letIn } from './acts.js';

interface Spend {
  readonly spend: readonly { readonly seller: string; readonly month: string; readonly spend: string }[];
}
interface Entries {
  readonly entries: readonly {
    readonly seller: string;
    readonly facts: { readonly detail?: Record<string, unknown> };
  }[];
}

/**
 * What the seller prompt bills: a hundred dollars more than it delivered, as its accounts department would send it, and
 * a line for the month before, in which nothing ran.
 */
async function plantedInvoices(instance: SandboxInstance) {
  const { spend } = await instance.read<Spend>('/v1/ledger/spend?by=seller,month');
  const { media_buys: buys } = await instance.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
  const buy = buys[0]?.media_buy_id ?? '';
  const { entries } = await instance.read<Entries>(`/v1/ledger/entries/${buy}`);
  const own = entries.find(
    ({ seller, facts }) => seller === 'prompt' && facts.detail?.['seller_media_buy_id'],
  );
  const { month = '', spend: delivered = '' } = spend.find(({ seller }) => seller === 'prompt') ?? {};
  const [whole = '', fraction = '0'] = delivered.split('.');
  const amount = `${BigInt(whole) + 100n}.${fraction}`;
  const sellersId = String(own?.facts.detail?.['seller_media_buy_id']);
  // On the first day of a month it is still the month before where some sellers are, and they deliver in it.
  const [first = month] = spend.map((row) => row.month).toSorted();
  const last = new Date(Date.parse(`${first}-01T00:00:00Z`) - 1).toISOString().slice(0, 7);
  const head = 'invoice_number,period,issued_on,currency,media_buy_id,amount,description\n';
  const csv = `${head}INV-9,${month},${month}-28,USD,${sellersId},${amount},"=HYPERLINK(""x"")<script>alert(1)</script>"\n`;
  const earlier = `${head}INV-8,${last},${last}-28,USD,${sellersId},55,Set-up\n`;
  return { month, last, buy, csv, earlier };
}

/** On paper a statement has whose it is, when it was printed and what it states, and nothing to press. */
async function printed(page: Page, month: string): Promise<void> {
  const note = page.getByRole('note', { name: 'Printed' });
  expect(await note.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  await note.getByText(/^Practice Agency\. Printed \d{1,2} \w{3} \d{4} \d\d:\d\d UTC by fay\./).waitFor();
  const seen = page.locator('button:visible, nav:visible, form:visible');
  expect(await seen.count()).toBe(0);
  await page.getByRole('table', { name: 'The statement' }).getByText(`${month}, `).waitFor();
  await page.getByRole('row', { name: /^All in USD/ }).waitFor();
  await page.emulateMedia({ media: 'screen' });
}

/** The differences, largest first, as a file with the same rows in the same order. */
async function putsInOrderAndExports(page: Page): Promise<void> {
  const differences = page.getByRole('region', { name: 'Differences' });
  await differences.getByRole('button', { name: 'Difference', exact: true }).click();
  await differences.locator('[aria-sort=descending]').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV: Differences' }).click(),
  ]);
  const [head = '', ...rows] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(head).toMatch(/^Difference,"Difference, currency",Cause,Seller,/);
  const amounts = rows.map((row) => Number(row.split(',')[0]));
  expect(amounts.length).toBe((await differences.getByRole('row').count()) - 1);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
}

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The same rows as a workbook. */
function workbookOf(csv: string): Promise<Buffer> {
  const [columns = [], ...rows] = csv
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return writeTable(
    { title: 'Invoice', madeAt: '2026-01-01T00:00:00Z', sections: [{ name: 'Invoice', columns, rows }] },
    'xlsx',
  );
}

/** Books a file of the seller prompt: the mapping of its columns first, and then the invoice. */
async function bringsInvoice(page: Page, file: string | Buffer): Promise<void> {
  await openByMenu(page, 'Invoices');
  const form = page.getByRole('form', { name: 'Import an invoice' });
  await form.getByLabel('Seller', { exact: true }).selectOption('prompt');
  await form
    .locator('input[type=file]')
    .setInputFiles(
      typeof file === 'string'
        ? { name: 'prompt.csv', mimeType: 'text/csv', buffer: Buffer.from(file) }
        : { name: 'prompt.xlsx', mimeType: workbookType, buffer: file },
    );
  await form
    .getByText(/^We read the file like this/)
    .first()
    .waitFor();
  // The columns of a workbook are known once the server has read it.
  expect(await form.getByLabel('Column of media buy id').count()).toBe(typeof file === 'string' ? 1 : 0);
  await form.getByRole('button', { name: 'Preview' }).click();
  await form.getByText('Nothing is booked yet.').waitFor();
  expect(await form.getByLabel('Column of media buy id').inputValue()).toBe('media_buy_id');
  const preview = form.getByRole('region', { name: 'How the file is read' });
  await preview.getByRole('row', { name: /^amount Amount \d/ }).waitFor();
  await form.getByRole('button', { name: 'Book the invoice' }).click();
  await form.getByRole('link', { name: 'Open the invoice' }).click();
}

/** Somebody of the finance department does the month's work, by clicking alone and with their role alone. */
export async function finance({ page: office }: Window, instance: SandboxInstance): Promise<void> {
  const invoices = await plantedInvoices(instance);
  const fay = await openWindow();
  try {
    await signInBy(fay.page, await letIn(office, 'fay', 'finance'));
    await worksOffTheMonth(fay.page, invoices);
    await closesTheMonthBefore(fay.page, invoices);
    await paysWhatIsDue(fay.page, office);
    expect(fay.complaints).toEqual([]);
  } finally {
    await fay.close();
  }
}

/** October 2026, of 2026-10. */
const nameOf = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** While a step is to do, the question about the close says so and cannot be confirmed. */
async function cannotBeClosed(page: Page, month: string): Promise<void> {
  const close = `Close ${nameOf(month)}`;
  await page.getByRole('button', { name: close }).click();
  const dialog = page.getByRole('dialog', { name: close });
  await dialog.getByText(/left before you can close/).waitFor();
  expect(await dialog.getByRole('button', { name: close }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

type Invoices = Awaited<ReturnType<typeof plantedInvoices>>;

/** A line of the month before is billed for nothing: found and decided by keyboard, and the month is closed. */
async function closesTheMonthBefore(page: Page, { last, earlier }: Invoices): Promise<void> {
  await bringsInvoice(page, await workbookOf(earlier));
  await page.getByRole('heading', { level: 1, name: 'Invoice INV-8' }).waitFor();
  const attach = page.getByRole('form', { name: 'Attach a PDF' });
  await attach
    .locator('input[type=file]')
    .setInputFiles({ name: 'inv-8.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') });
  await attach.getByRole('button', { name: 'Attach', exact: true }).click();
  await page.getByRole('row', { name: /^Attachments inv-8\.pdf/ }).waitFor();
  await openByMenu(page, 'Home');
  await page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').first().waitFor();
  await openByMenu(page, 'Inbox');
  const due = page.getByRole('listitem').filter({ hasText: `${last} is over and not closed` });
  await due.getByText(/it is not compared/).waitFor();
  await due.getByRole('link', { name: `${last} is over and not closed`, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: `Close ${nameOf(last)}` }).waitFor();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByText('not compared yet').waitFor();
  await cannotBeClosed(page, last);
  await confirm(page, 'Compare it');
  await steps.getByRole('link', { name: 'Decide 1' }).press('Enter');
  await decidesByKeys(page, last);

  await openByMenu(page, 'Month close');
  await steps.getByText(/^1 of 1/).waitFor();
  // A figure of this month may have come in meanwhile.
  if ((await steps.getByRole('button', { name: 'Compare it' }).count()) > 0)
    await confirm(page, 'Compare it');
  await steps.getByText('nothing changed since').waitFor();
  await confirm(page, `Close ${nameOf(last)}`);
  await page.getByRole('button', { name: 'Closed', exact: true }).waitFor();
  await openByMenu(page, 'Inbox');
  await due.waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('link', { name: 'Make a statement' }).click();
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByRole('button', { name: 'Verify it here' }).click();
  await page.getByText('The statement is valid').waitFor();
  await page.getByRole('table', { name: 'The statement' }).getByText(`${last}, closed`).waitFor();
}

/** One difference is taken and decided with two keys and a reason, and stands among those that are decided. */
async function decidesByKeys(page: Page, month: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: `Reconcile ${nameOf(month)}` }).waitFor();
  const detail = page.getByRole('article', { name: 'One difference' });
  await detail.getByRole('heading', { name: /^Invoiced 55\.00 USD more than delivered/ }).waitFor();
  await page.getByRole('form', { name: 'Assign' }).getByLabel('Owner').press('Enter');
  await page.getByRole('button', { name: 'Mine 1' }).waitFor();
  // Keys do nothing while somebody types.
  await page.locator('#main').focus();
  await page.keyboard.press('a');
  await detail.getByRole('button', { name: /^Accept the invoice/, pressed: true }).waitFor();
  await detail.getByText(/^Books: .*55\.00 USD on “Payable to sellers”/).waitFor();
  await detail.getByLabel('Reason').fill('agreed with the seller');
  await page.keyboard.press('Control+Enter');
  await page.getByText('No difference is open.').waitFor();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await detail.getByText('agreed with the seller').waitFor();
  await detail.getByText('Accept the invoice').waitFor();
}

/** From what is due to its invoice, which another person approves before it is paid and leaves the list. */
async function paysWhatIsDue(page: Page, office: Page): Promise<void> {
  await openByMenu(page, 'Invoices', 'By age');
  const aging = page.getByRole('region', { name: 'Aging' });
  await aging.getByRole('link', { name: 'prompt' }).click();
  await page.getByRole('region', { name: 'Invoices' }).getByRole('link', { name: 'INV-8' }).click();
  const pay = page.getByRole('form', { name: 'Record a payment' });
  await page.getByRole('heading', { level: 1, name: 'Invoice INV-8' }).waitFor();
  await page.getByRole('row', { name: /^Attachments inv-8\.pdf/ }).waitFor();
  expect(await pay.count()).toBe(0);
  await approves(office, page.url());
  await page.reload();
  expect(await pay.getByLabel('Amount').inputValue()).toBe('55');
  await pay.getByLabel('Reference').fill('bank 4711');
  await pay.getByRole('button', { name: 'Record the payment' }).click();
  await page.getByRole('row', { name: 'Paid 55.00 USD' }).waitFor();
  await pay.waitFor({ state: 'detached' });
}

/** Another person of finance approves an invoice. The operator could not: he has made fay's link, and can act as fay. */
async function approves(office: Page, invoice: string): Promise<void> {
  const finn = await openWindow();
  try {
    await signInBy(finn.page, await letIn(office, 'finn', 'finance'));
    await finn.page.goto(invoice);
    const approve = finn.page.getByRole('form', { name: 'Approve the invoice' });
    await approve.getByRole('button', { name: 'Approve', exact: true }).click();
    await approve.waitFor({ state: 'detached' });
    expect(finn.complaints).toEqual([]);
  } finally {
    await finn.close();
  }
}

/** From a figure to its evidence; an invoice, its difference, the month's checklist, and a statement that is verified. */
async function worksOffTheMonth(page: Page, { month, buy, csv }: Invoices): Promise<void> {
  await openByMenu(page, 'Reports');
  await page
    .getByRole('row', { name: /^prompt/ })
    .getByRole('link', { name: 'prompt' })
    .click();
  // The link has the id until the name of the buy is read.
  await page.getByTitle(buy, { exact: true }).click();
  await page.getByRole('heading', { name: 'Ledger entries of a buy' }).waitFor();
  await page.getByText('media spend').first().waitFor();

  await page.getByRole('link', { name: 'The report' }).first().waitFor();
  await bringsInvoice(page, csv);
  // What a seller wrote is text: no script ran, and no element came of it.
  await page.getByText('<script>alert(1)</script>').waitFor();
  const lines = page.getByRole('region', { name: 'Lines' });
  await lines.getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('region', { name: 'Lines, a table' }).waitFor();

  await page.goto(new URL(`/console/reconcile/${month}`, page.url()).href);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByText(/[1-9]\d* differences are open/).waitFor();
  await page.getByRole('link', { name: 'All as a table' }).click();
  await putsInOrderAndExports(page);
  await page
    .getByRole('region', { name: 'Differences' })
    .getByRole('row')
    .filter({ hasText: 'prompt' })
    .getByRole('link', { name: /100/ })
    .click();
  const detail = page.getByRole('article', { name: 'One difference' });
  await detail.getByRole('heading', { name: /^Invoiced 100\.00 USD more than delivered/ }).waitFor();
  await page
    .getByRole('form', { name: 'Add the note' })
    .getByLabel('Note')
    .fill('Asked Harbor Media by mail.');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByRole('list', { name: 'Notes' }).getByText('Asked Harbor Media by mail.').waitFor();
  await detail.getByRole('button', { name: /^Credit note/ }).click();
  await detail.getByLabel('Reason').fill('credit note 7');
  await detail.getByRole('button', { name: /^Decide, next/ }).click();
  await page.getByText('1 decided, 0 of them disputed').waitFor();

  await page.goto(new URL(`/console/close/${month}`, page.url()).href);
  await page
    .getByRole('region', { name: 'Steps' })
    .getByText(/^1 of \d+, \d+ left/)
    .waitFor();

  await openByMenu(page, 'Reports', 'Statements');
  await page.getByLabel('Month').fill(month);
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByRole('button', { name: 'Verify it here' }).click();
  await page.getByText('The statement is valid').waitFor();
  await printed(page, month);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download statement/ }).click(),
  ]);
  const file = readFileSync(await download.path(), 'utf8');
  const [paper] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as PDF' }).click(),
  ]);
  expect(
    readFileSync(await paper.path())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  const [beside] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download its signature statement-${month}.pdf.jws` }).click(),
  ]);
  await page.getByRole('link', { name: 'Verify a document' }).last().click();
  const chosen = page.locator('input[type=file]');
  const pdf = {
    name: 'statement.pdf',
    mimeType: 'application/pdf',
    buffer: readFileSync(await paper.path()),
  };
  await chosen.first().setInputFiles(pdf);
  await chosen.last().setInputFiles({
    name: 'statement.pdf.jws',
    mimeType: 'application/jose+json',
    buffer: readFileSync(await beside.path()),
  });
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('The statement is consistent, signer unknown').waitFor();
  await page.getByRole('button', { name: 'No file' }).click();
  await page.getByLabel('Or its text').fill(file);
  await page.getByLabel(/^Compare its key/).check();
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText(/Right, Signer: The published key set says/).waitFor();
  await page
    .getByLabel('Or its text')
    .fill(
      file.replace(
        /("spend": ")(\d)/,
        (_all, before: string, digit: string) => before + (digit === '9' ? '8' : '9'),
      ),
    );
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('The statement is invalid').waitFor();
  expect(await page.getByText('Wrong, Signature').count()).toBe(1);
}
