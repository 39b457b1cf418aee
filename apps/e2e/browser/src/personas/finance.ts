import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openByMenu, type Window } from '../harness/browser.js';
import type { Practice } from '../harness/practice.js';

interface Spend {
  readonly spend: readonly { readonly seller: string; readonly month: string; readonly spend: string }[];
}
interface Entries {
  readonly entries: readonly {
    readonly seller: string;
    readonly facts: { readonly detail?: Record<string, unknown> };
  }[];
}

/** What the seller prompt bills: a hundred dollars more than it delivered, as its accounts department would send it. */
async function plantedInvoice(practice: Practice) {
  const { spend } = await practice.read<Spend>('/v1/ledger/spend?by=seller,month');
  const { media_buys: buys } = await practice.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
  const buy = buys[0]?.media_buy_id ?? '';
  const { entries } = await practice.read<Entries>(`/v1/ledger/entries/${buy}`);
  const own = entries.find(
    ({ seller, facts }) => seller === 'prompt' && facts.detail?.['seller_media_buy_id'],
  );
  const { month = '', spend: delivered = '' } = spend.find(({ seller }) => seller === 'prompt') ?? {};
  const [whole = '', fraction = '0'] = delivered.split('.');
  const amount = `${BigInt(whole) + 100n}.${fraction}`;
  const sellersId = String(own?.facts.detail?.['seller_media_buy_id']);
  const csv = `invoice_number,period,issued_on,currency,media_buy_id,amount,description\nINV-9,${month},${month}-28,USD,${sellersId},${amount},"=HYPERLINK(""x"")<script>alert(1)</script>"\n`;
  return { month, buy, csv };
}

/** On paper a statement has whose it is, when it was printed and what it states, and nothing to press. */
async function printed(page: Page, month: string): Promise<void> {
  const note = page.getByRole('note', { name: 'Printed' });
  expect(await note.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  await note.getByText(/^Practice Agency\. Printed \d{4}-\d\d-\d\d \d\d:\d\d UTC by operator\./).waitFor();
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

/** From a figure to its evidence; an invoice, its difference, the month's checklist, and a statement that is verified. */
export async function finance({ page }: Window, practice: Practice): Promise<void> {
  const { month, buy, csv } = await plantedInvoice(practice);
  await openByMenu(page, 'Spend');
  await page
    .getByRole('row', { name: /^prompt/ })
    .getByRole('link', { name: 'prompt' })
    .click();
  await page.getByRole('link', { name: buy }).click();
  await page.getByRole('heading', { name: 'Ledger entries of a buy' }).waitFor();
  await page.getByText('media spend').first().waitFor();

  await page.getByRole('link', { name: 'The report' }).first().waitFor();
  await openByMenu(page, 'Invoices');
  const form = page.getByRole('form', { name: 'Import an invoice' });
  await form.getByLabel('Seller', { exact: true }).selectOption('prompt');
  await form
    .locator('input[type=file]')
    .setInputFiles({ name: 'prompt.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await form.getByLabel('Column of media buy id').waitFor();
  await form.getByRole('button', { name: 'Look at it first' }).click();
  await form.getByText('Nothing is booked yet.').waitFor();
  await form.getByRole('button', { name: 'Book the invoice' }).click();
  await form.getByRole('link', { name: 'Open the invoice' }).click();
  // What a seller wrote is text: no script ran, and no element came of it.
  await page.getByText('<script>alert(1)</script>').waitFor();
  const lines = page.getByRole('region', { name: 'Lines' });
  await lines.getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('region', { name: 'Packages', exact: true }).waitFor();

  await openByMenu(page, 'Reconcile');
  const compare = page.getByRole('form', { name: 'Compare a month' });
  await compare.getByLabel('Month').fill(month);
  await compare.getByRole('button', { name: 'Compare' }).click();
  await compare.getByText(/[1-9]\d* differences are open/).waitFor();
  await putsInOrderAndExports(page);
  await page
    .getByRole('region', { name: 'Differences' })
    .getByRole('row')
    .filter({ hasText: 'prompt' })
    .getByRole('link', { name: /100/ })
    .click();
  await page.getByRole('form', { name: 'Comment' }).getByLabel('Text').fill('Asked Harbor Media by mail.');
  await page.getByRole('button', { name: 'Add the comment' }).click();
  await page.getByText('Asked Harbor Media by mail.', { exact: true }).first().waitFor();
  const resolve = page.getByRole('form', { name: 'Resolve' });
  await resolve.getByLabel('What becomes of it').selectOption('credit');
  await resolve.getByLabel('Reason').fill('credit note 7');
  await resolve.getByRole('button', { name: 'Resolve the difference' }).click();
  await page.getByRole('row', { name: /^Reason credit note 7/ }).waitFor();

  await openByMenu(page, 'Periods');
  await page.getByRole('link', { name: month, exact: true }).click();
  const checklist = page
    .getByRole('region', { name: `Month ${month}` })
    .getByRole('list', { name: 'Checklist' });
  await checklist.getByText(/To do: \d+ open differences?/).waitFor();

  await openByMenu(page, 'Statements');
  await page.getByLabel('Month').fill(month);
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByRole('button', { name: 'Verify it here' }).click();
  await page.getByText('The statement holds').waitFor();
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
  await page.getByRole('button', { name: `Download its signature statement-${month}.pdf.jws` }).waitFor();
  await page.getByRole('link', { name: 'Verify a statement' }).last().click();
  await page.getByLabel('Or its text').fill(file);
  await page.getByLabel(/^Compare its key/).check();
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('Right, Key: It is in the published key set.').waitFor();
  await page
    .getByLabel('Or its text')
    .fill(
      file.replace(
        /("spend": ")(\d)/,
        (_all, before: string, digit: string) => before + (digit === '9' ? '8' : '9'),
      ),
    );
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('The statement does not hold').waitFor();
  expect(await page.getByText('Wrong, Signature').count()).toBe(1);
}
