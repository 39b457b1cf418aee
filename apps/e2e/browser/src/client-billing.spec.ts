import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openByMenu, openWindow, signInBy, type Window } from './harness/browser.js';
import { looksRight } from './harness/look.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';
import { choose, confirm, letIn } from './personas/acts.js';

/** What a client pays, in a browser: two people of finance, and somebody outside who has a link. */
let instance: SandboxInstance;
let fay: Window;
let finn: Window;

beforeAll(async () => {
  instance = await startSandboxInstance(['--market', 'prompt', '--no-campaign']);
  instance.command('clients', 'add', 'Nova Foods');
  const operator = await openWindow();
  await signInBy(operator.page, instance.link());
  [fay, finn] = [await openWindow(), await openWindow()];
  await signInBy(fay.page, await letIn(operator.page, 'fay', 'finance'));
  await signInBy(finn.page, await letIn(operator.page, 'finn', 'finance'));
  await operator.close();
});
afterAll(async () => {
  await fay.close();
  await finn.close();
  await instance.stop();
});

async function fill(page: Page, form: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const inputs = page.getByRole('form', { name: form });
  for (const [label, text] of Object.entries(texts))
    await inputs.getByLabel(new RegExp(`^${label} ?\\*?$`)).fill(text);
}

/** The other person approves everything that waits. */
async function approveAll(page: Page, changes: number): Promise<void> {
  await page.goto(`${instance.url}/console/inbox/approvals`);
  const cards = page.getByRole('article');
  await cards.nth(changes - 1).waitFor();
  for (let left = changes; left > 0; left -= 1) {
    await confirm(page, 'Approve');
    await page.waitForFunction(`document.querySelectorAll('article').length === ${String(left - 1)}`);
  }
}

const nova = {
  Name: 'Nova Foods SA',
  Street: '1 rue du Port',
  'Post code': '13002',
  City: 'Marseille',
  Country: 'FR',
};

describe('two people of finance', () => {
  it('enter a company and a rule, which hold once the other one has approved them', async () => {
    const { page } = fay;
    await openByMenu(page, 'Client billing', 'Rules and companies');
    await fill(page, 'Add a company', {
      ...{ Name: 'Practice Agency GmbH', Street: 'Hafenstr. 1', 'Post code': '20457', City: 'Hamburg' },
      ...{ Country: 'DE', 'Tax id': 'DE123456789', 'Numbers begin with': 'PA-', Currency: 'EUR' },
      IBAN: 'DE89 3704 0044 0532 0130 00',
    });
    const company = page.getByRole('form', { name: 'Add a company' });
    await company.getByRole('button', { name: 'Ask for the company' }).click();
    await company.getByText(/Another person must approve this first/).waitFor();
    const rule = page.getByRole('form', { name: 'Add a rule' });
    await rule.getByLabel('What the client pays').selectOption('fixed_month');
    await fill(page, 'Add a rule', { Amount: '500', Currency: 'EUR', From: '2026-01-01' });
    await rule.getByRole('button', { name: 'Ask for it' }).click();
    await rule.getByText(/Another person must approve this first/).waitFor();
    const waiting = page.getByRole('region', { name: 'Waits for a second person' });
    await waiting.getByText('2 changes').waitFor();
    await looksRight(page, 'billing-rules');
    await approveAll(finn.page, 2);
    await page.reload();
    await page
      .getByRole('region', { name: 'Companies that bill' })
      .getByText('Practice Agency GmbH')
      .waitFor();
    await page.getByRole('region', { name: 'Rules of what clients pay' }).getByText('500').waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it('run a month, look at the draft, and issue it only as another person than who drafted it', async () => {
    const { page } = fay;
    const client = page.getByRole('form', { name: 'Say how a client is billed' });
    await choose(client, 'Client', 'client Nova Foods');
    await fill(page, 'Say how a client is billed', {
      ...nova,
      'Tax, percent': '19',
      'Mail for reminders': 'pay@nova.example',
    });
    await client.getByRole('button', { name: 'Set it' }).click();
    await page.getByRole('region', { name: 'Billed clients' }).getByText('Nova Foods SA').waitFor();
    await openByMenu(page, 'Client billing', 'Documents');
    const run = page.getByRole('form', { name: 'Run a month' });
    await choose(run, 'Client', 'client Nova Foods');
    await fill(page, 'Run a month', {
      ...{ Month: '2026-09', 'A line beside the rules': 'Workshop, 4 hours' },
      ...{ 'Its amount without tax': '480.00', 'Its currency': 'EUR' },
    });
    await run.getByRole('button', { name: 'Draft it' }).click();
    const drafted = page.getByRole('region', { name: 'Drafted' });
    await drafted.getByText('2 lines').waitFor();
    await looksRight(page, 'billing');
    await drafted.getByRole('link', { name: 'Draft for Nova Foods' }).click();
    const lines = page.getByRole('region', { name: 'Lines of the document' });
    await lines.getByRole('row', { name: /To pay.*1,166\.20/ }).waitFor();
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue' });
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click();
    await dialog.getByText('You made this draft: another person issues it.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await finn.page.goto(page.url());
    await confirm(finn.page, 'Issue');
    await finn.page.getByRole('heading', { level: 1, name: 'Invoice PA-00001' }).waitFor();
  });

  it('download its files, share it by a link that opens without sign-in, and end the link', async () => {
    const { page } = finn;
    for (const [name, begin] of [
      ['PDF', '%PDF-'],
      ['E-invoice (UBL)', '<?xml'],
      ['XLSX', 'PK'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ]);
      const bytes = readFileSync(await download.path());
      expect([
        download.suggestedFilename().startsWith('PA-00001.'),
        bytes.subarray(0, begin.length).toString(),
      ]).toEqual([true, begin]);
    }
    const share = page.getByRole('form', { name: 'Share a link' });
    await share.getByLabel('Days until it ends').fill('7');
    await share.getByRole('button', { name: 'Make a link' }).click();
    const link = (await share.getByLabel('The link').textContent()) ?? '';
    const outside = await openWindow();
    await outside.page.goto(link);
    await outside.page.getByRole('heading', { level: 1, name: /PA-00001/ }).waitFor();
    await outside.page.getByText('Workshop, 4 hours').waitFor();
    await looksRight(outside.page, 'shared-invoice');
    const links = page.getByRole('region', { name: 'Links to it' });
    await page.reload();
    await links.getByText('opened 1 time').waitFor();
    await looksRight(page, 'billing-document');
    await confirm(page, 'End the link');
    await links.getByText('revoked').waitFor();
    const answer = await outside.page.reload();
    expect(answer?.status()).toBe(404);
    await outside.close();
  });

  it('enter what the client has paid, credit a part of it, and see the margin and what is owed', async () => {
    const { page } = finn;
    await fill(page, 'Enter a payment', { Amount: '1000', Reference: 'bank 17' });
    await page.getByRole('button', { name: 'Enter it' }).click();
    await page.getByRole('region', { name: 'Payments of the client' }).getByText('bank 17').waitFor();
    await page.getByText('Paid in part').first().waitFor();
    await fill(page, 'Credit it', {
      'Amount without tax': '100',
      Reason: 'One hour of the workshop fell out',
    });
    await page.getByRole('button', { name: 'Draft a credit note' }).click();
    await page
      .getByRole('region', { name: 'Lines of the document' })
      .getByText('-119')
      .or(page.getByText('−119'))
      .first()
      .waitFor();
    await fay.page.goto(page.url());
    await confirm(fay.page, 'Issue');
    await fay.page.getByRole('heading', { level: 1, name: 'Credit note PA-00002' }).waitFor();
    await openByMenu(fay.page, 'Client billing', 'Margin');
    await fay.page.getByLabel(/^Month/).fill('2026-09');
    await fay.page.getByRole('region', { name: 'Margin' }).getByRole('row').nth(1).waitFor();
    await looksRight(fay.page, 'billing-margin');
  });

  it('have met no error on the way', () => {
    expect([...fay.complaints, ...finn.complaints]).toEqual([]);
  });
});
