import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import type { Practice } from '../harness/practice.js';
import { confirm, letIn, useAPasskey } from './acts.js';

/**
 * Watches sellers, suspends and resumes one, stops a key and ends the stop, sees that a failed address keeps what was
 * typed, and lets a person in, who signs in with a passkey from then on.
 */
export async function admin({ page }: Window, practice: Practice): Promise<void> {
  await openByMenu(page, 'Sellers');
  await page
    .getByRole('region', { name: 'Sellers' })
    .getByRole('link', { name: 'seed', exact: true })
    .click();
  await confirm(page, 'Suspend', 'Their contract ended.');
  await page.getByRole('row', { name: /^Health suspended/ }).waitFor();
  await confirm(page, 'Resume');
  await page.getByRole('row', { name: /^Health live/ }).waitFor();
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Every step held').waitFor();

  await openByMenu(page, 'Onboard');
  await page.getByLabel('Short name').fill('nobody-there');
  await page.getByLabel('Address of its agent').fill('http://127.0.0.1:1/mcp');
  await page.getByRole('button', { name: 'Onboard', exact: true }).click();
  await page.getByRole('main').getByRole('alert').first().waitFor();
  expect(await page.getByLabel('Address of its agent').inputValue()).toBe('http://127.0.0.1:1/mcp');

  await openByMenu(page, 'Keys');
  await confirm(page, 'Emergency stop');
  await confirm(page, 'End the emergency stop');

  await openByMenu(page, 'Audit');
  await page.getByRole('region', { name: 'Acts' }).getByText('suspend seller').first().waitFor();

  const link = await letIn(page, 'vera', 'viewer');
  const vera = await openWindow();
  try {
    // Browsers have passkeys at a name, and none at an IP address.
    const url = practice.url.replace('127.0.0.1', 'localhost');
    await signInBy(vera.page, link.replace(practice.url, url));
    await useAPasskey(vera.page);
    await keepsWhatIsTyped(vera.page);
    await openByMenu(vera.page, 'Sellers');
    await vera.page.getByRole('link', { name: 'prompt', exact: true }).click();
    await vera.page.getByRole('table', { name: 'The seller' }).waitFor();
    expect(await vera.page.getByRole('button', { name: 'Suspend', exact: true }).count()).toBe(0);
    expect(
      await vera.page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).count(),
    ).toBe(0);
    await vera.page.goto(`${url}/console/people`);
    await vera.page.getByRole('heading', { name: 'You may not open People' }).waitFor();
    expect(vera.complaints).toEqual([]);
  } finally {
    await vera.close();
  }
}

/** A session that ends while a form is filled in: its person signs in again and finds it as it was. */
async function keepsWhatIsTyped(page: Page): Promise<void> {
  await openByMenu(page, 'Your account');
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
