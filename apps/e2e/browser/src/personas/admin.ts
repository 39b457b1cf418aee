import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { menuLine, openAccount, openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import { startNewSeller, type NewSeller, type SandboxInstance } from '../harness/sandbox-instance.js';
import { confirm, letIn, useAPasskey } from './acts.js';

/**
 * Views sellers, suspends and resumes one, stops a key and ends the stop, checks that an invalid address keeps the
 * typed text, and adds a person, who then signs in with a passkey.
 */
export async function admin({ page }: Window, instance: SandboxInstance): Promise<void> {
  await openByMenu(page, 'Sellers');
  await page
    .getByRole('region', { name: 'Sellers' })
    .getByRole('link', { name: 'seed', exact: true })
    .click();
  await openSettings(page);
  await confirm(page, 'Suspend', 'Their contract ended.');
  await page.getByRole('row', { name: /^Health suspended/ }).waitFor();
  await confirm(page, 'Resume');
  await page.getByRole('row', { name: /^Health Live/ }).waitFor();
  await openTab(page, 'Overview');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Every step held').waitFor();

  await findsThePlaceAgain(page);
  await openByMenu(page, 'Sellers', 'Connect a seller');
  await connects(page, 'http://127.0.0.1:1/mcp', 'nobody-there');
  await page.getByText('It cannot go live yet.').waitFor();
  await confirm(page, 'Discard');
  await page.getByLabel(/^Domain of the publisher/).waitFor();

  await goesLive(page);
  await openByMenu(page, 'System', 'Who did what');
  const acts = page.getByRole('region', { name: 'Acts' });
  await acts.getByText('suspend seller').first().waitFor();
  // Finance has imported it, so it has a number. Later acts of finance are on the first page.
  await page.getByLabel('Act', { exact: true }).fill('import_invoice');
  await acts.getByRole('link', { name: 'invoice INV-9' }).first().waitFor();
  await findsByIdAndName(page, instance);
  await stopsAKey(page);
  await invitesTwice(page);

  const link = await letIn(page, 'vera', 'viewer');
  const vera = await openWindow();
  try {
    // Browsers allow passkeys for a host name, and not for an IP address.
    const url = instance.url.replace('127.0.0.1', 'localhost');
    await signInBy(vera.page, link.replace(instance.url, url));
    await useAPasskey(vera.page);
    await keepsWhatIsTyped(vera.page);
    await openByMenu(vera.page, 'Sellers');
    await vera.page.getByRole('link', { name: 'prompt', exact: true }).click();
    await openSettings(vera.page);
    await vera.page.getByRole('table', { name: 'The seller' }).waitFor();
    expect(await vera.page.getByRole('button', { name: 'Suspend', exact: true }).count()).toBe(0);
    expect(await menuLine(vera.page, 'People and access').count()).toBe(0);
    await vera.page.goto(`${url}/console/people`);
    await vera.page.getByRole('heading', { name: 'You may not open People and access' }).waitFor();
    expect(vera.complaints).toEqual([]);
  } finally {
    await vera.close();
  }
}

/** Gives the address of an agent and the short name that it gets here, and has its checks run. */
async function connects(page: Page, address: string, slug: string): Promise<void> {
  await page.getByLabel(/^Domain of the publisher/).fill(address);
  await page.getByRole('button', { name: 'Find its agents' }).click();
  await page.getByLabel('Short name').fill(slug);
  await page.getByRole('button', { name: 'Check this agent' }).click();
}

/**
 * A new seller is imported with its token, its checks pass, and it is live. It shows its products to everybody, so the
 * page that connects one seller would not ask for the token.
 */
async function goesLive(page: Page): Promise<void> {
  const seller = await startNewSeller();
  try {
    await importsSellers(page, seller);
    await page.goto(new URL('/console/sellers/newcomer?tab=Settings', page.url()).href);
    await page.getByRole('row', { name: /^Health Live/ }).waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).first().click();
    await page.getByRole('dialog').getByText('npx switchyard sellers test newcomer').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await isRefused(page, seller);
    await confirm(page, 'Remove');
    await page.getByRole('heading', { level: 1, name: 'Sellers' }).waitFor();
  } finally {
    await seller.stop();
  }
}

/** Opens a tab of the page of an object. */
const openTab = (page: Page, title: string): Promise<void> =>
  page
    .getByRole('navigation', { name: /.+/ })
    .getByRole('link', { name: title, exact: true })
    .first()
    .click();
const openSettings = (page: Page): Promise<void> => openTab(page, 'Settings');

/** A look at an import says what it changes; then each row has its result, and a seller that fails hides no other. */
async function importsSellers(page: Page, { address, token }: NewSeller): Promise<void> {
  await openByMenu(page, 'Sellers', 'Connect a seller');
  const form = page.getByRole('form', { name: 'Import sellers' });
  const row = { slug: 'newcomer', agent_url: address, protocol: 'mcp', dialect: 'adcp', token };
  const rows = [row, { ...row, slug: 'absent', agent_url: 'http://127.0.0.1:1/mcp' }];
  const look = form.getByRole('button', { name: 'Preview' });
  await form.getByLabel('Or its text').fill('no JSON');
  await look.click();
  await form.getByText('The text is not JSON.').waitFor();
  await form.getByLabel('Or its text').fill(JSON.stringify([...rows, { ...row, slug: 'seed' }]));
  await look.click();
  const changes = form.getByRole('region', { name: 'What the import changes' });
  await changes.getByRole('row', { name: /^newcomer .* new$/ }).waitFor();
  await changes.getByRole('row', { name: /^seed .*address, before .*another token$/ }).waitFor();
  await form.getByLabel('Or its text').fill(JSON.stringify(rows));
  await look.click();
  await form.getByRole('button', { name: 'Import 2 sellers' }).click();
  const results = page.getByRole('status').filter({ hasText: '1 of 2 sellers are live.' });
  await results.getByRole('row', { name: /^newcomer live/ }).waitFor();
  await results.getByRole('row', { name: /^absent failed .*refuses connections/ }).waitFor();
  expect(await form.getByLabel('Or its text').inputValue()).toBe('');
  await page.goto(new URL('/console/sellers/absent', page.url()).href);
  await confirm(page, 'Remove');
  await page.getByRole('heading', { level: 1, name: 'Sellers' }).waitFor();
}

/** A secret that the seller refuses is not put in. A seller that refuses the key in use is named by its page, the list and the inbox. */
async function isRefused(page: Page, seller: NewSeller): Promise<void> {
  const own = page.url();
  await page.getByRole('link', { name: 'rotate or revoke' }).click();
  const form = page.getByRole('form', { name: 'Put in a new secret' });
  await form.getByLabel('Credential', { exact: true }).selectOption({ index: 1 });
  await form.getByRole('textbox', { name: 'New secret' }).fill('not-of-the-seller');
  await form.getByRole('button', { name: 'Rotate' }).click();
  await form.getByText(/^The seller does not take it/).waitFor();
  await page.goto(own);
  await page.getByRole('row', { name: /^Health Live/ }).waitFor();
  await seller.replaceToken();
  await openTab(page, 'Overview');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('A step failed').waitFor();
  await openByMenu(page, 'Inbox');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'newcomer' })
    .getByText(/cannot be used|refused our key/)
    .first()
    .waitFor();
  await openByMenu(page, 'Sellers');
  const which = page.getByRole('group', { name: 'Which sellers' });
  await which.getByRole('button', { name: /^Need attention/ }).click();
  const failing = page.getByRole('region', { name: 'Sellers' });
  await failing.getByText('Key refused').waitFor();
  await which.getByRole('button', { name: /^Answer as usual/ }).click();
  await failing.getByRole('link', { name: 'prompt', exact: true }).waitFor();
  expect(await failing.getByText('Key refused').count()).toBe(0);
  await page.goto(own);
  await page.getByRole('row', { name: /^Health Key refused/ }).waitFor();
}

/** The palette opens what an id or the beginning of a name means. */
async function findsByIdAndName(page: Page, instance: SandboxInstance): Promise<void> {
  const { keys } = await instance.read<{ keys: { kid: string }[] }>('/v1/keys');
  const { media_buys: buys } = await instance.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
  const { invoices } = await instance.read<{ invoices: { invoice_id: string }[] }>('/v1/invoices');
  for (const [text, address] of [
    [keys[0]?.kid ?? '', /\/developers/],
    [buys[0]?.media_buy_id ?? '', /\/buys\/mb_/],
    [invoices[0]?.invoice_id ?? '', /\/invoices\/./],
    ['financ', /\/roles\?role=finance/],
    ['2026-10', /\/close\/2026-10/],
    ['overdue', /\/invoices\/age/],
  ] as const) {
    await openByMenu(page, 'System');
    await page.keyboard.press('Control+K');
    const dialog = page.getByRole('dialog', { name: 'Search or do' });
    await dialog.getByRole('combobox').fill(text);
    await dialog.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  }
}

/** Scrolls a list, opens another page, and finds the list at the same row on going back. */
async function findsThePlaceAgain(page: Page): Promise<void> {
  await openByMenu(page, 'Webhooks');
  const events = page.getByRole('region', { name: 'Events', exact: true });
  await events.getByRole('row').nth(5).waitFor();
  await events.evaluate((box) => (box.scrollTop = 300));
  await openByMenu(page, 'Sellers');
  await page.goBack();
  await page.waitForFunction("document.querySelector('[aria-label=Events]')?.scrollTop === 300");
}

/** Stops a key, sees the reason on the page, and starts the key again. An unknown key shows an error. */
async function stopsAKey(page: Page): Promise<void> {
  await openByMenu(page, 'Developers');
  const row = page.getByRole('region', { name: 'Keys' }).getByRole('row').nth(1);
  await row.getByRole('button', { name: 'Emergency stop' }).click();
  const dialog = page.getByRole('dialog', { name: 'Emergency stop' });
  await dialog.getByText(/^Nothing is signed with it any more/).waitFor();
  await dialog.getByLabel('Reason').fill('It may be known to others.');
  await dialog.getByRole('button', { name: 'Emergency stop' }).click();
  await row.getByText('stopped', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'stopped', exact: true }).click();
  await page.getByText('It may be known to others.').first().waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await confirm(page, 'End the emergency stop');
  await row.getByText('stopped', { exact: true }).waitFor({ state: 'detached' });

  const byName = page.getByRole('region', { name: 'Stop a key by its id' });
  await byName.getByLabel('Key id').fill('nobody-has-it');
  await byName.getByRole('button', { name: 'Emergency stop' }).click();
  await dialog.getByRole('button', { name: 'Emergency stop' }).click();
  await page.getByText(/No key of this id is known here/).waitFor();
  await byName.getByRole('button', { name: 'End the emergency stop' }).click();
  await page
    .getByRole('dialog', { name: 'End the emergency stop' })
    .getByRole('button', { name: 'End the emergency stop' })
    .click();
  await byName.getByRole('button', { name: 'Emergency stop', exact: true }).waitFor();
}

/** A second invitation of a person ends the first one, and the page states that. */
async function invitesTwice(page: Page): Promise<void> {
  await openByMenu(page, 'People and access');
  const form = page.getByRole('form', { name: 'Invite somebody' });
  for (const role of ['viewer', 'trader']) {
    await form.getByLabel('E-mail address').fill('ann@agency.example');
    await form.getByLabel('Role').selectOption(role);
    await form.getByRole('button', { name: 'Invite', exact: true }).click();
    await form
      .getByRole('list', { name: 'Open invitations' })
      .getByText(`ann@agency.example, ${role}`)
      .waitFor();
  }
  await form.getByText('The invitation that was open for this address has ended').waitFor();
  expect(await form.getByText('ann@agency.example, viewer').count()).toBe(0);
}

/** A session ends while a form is filled in: the person signs in again and the form is unchanged. */
async function keepsWhatIsTyped(page: Page): Promise<void> {
  await openAccount(page);
  const address = page.getByRole('textbox', { name: 'E-mail address' });
  await address.fill('vera@agency.example');
  await page.getByRole('textbox', { name: 'New password' }).fill('a password of hers');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Set the password' }).click();
  const again = page.getByRole('dialog', { name: /^Your session has ended/ });
  await again.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await again.waitFor({ state: 'hidden' });
  expect(await address.inputValue()).toBe('vera@agency.example');
}
