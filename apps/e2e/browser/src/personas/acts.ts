import type { Locator, Page } from 'playwright-core';
import { openAccount, openByMenu, signOut } from '../harness/browser.js';

/** Presses a button and confirms its dialog. */
export async function confirm(page: Page, label: string, reason?: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: label });
  if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Selects from a list that is searched by typing. */
export async function choose(form: Locator, label: string, option: string): Promise<void> {
  await form.getByRole('combobox', { name: label }).click();
  await form.page().getByRole('option', { name: option, exact: true }).click();
}

/** Adds a person with a role in the organization, and returns the person's sign-in link. */
export async function letIn(page: Page, name: string, role: string): Promise<string> {
  await openByMenu(page, 'People and access');
  const form = page.getByRole('form', { name: 'Add somebody' });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Role').selectOption(role);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const card = page.getByRole('region', { name: 'One person' });
  await card.getByRole('heading', { name }).waitFor();
  await confirm(page, 'Make a sign-in link');
  return (await card.getByText('#link=').textContent()) ?? '';
}

/** Registers a passkey with a virtual authenticator, signs out, and signs in with the passkey alone. */
export async function useAPasskey(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('WebAuthn.enable');
  await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await openAccount(page);
  const form = page.getByRole('form', { name: 'Passkeys' });
  await form.getByLabel('Name of the new passkey').fill('My laptop');
  await form.getByRole('button', { name: 'Add a passkey' }).click();
  await form.getByRole('list', { name: 'Passkeys' }).getByText('My laptop').waitFor();
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.locator('#main').waitFor();
}
