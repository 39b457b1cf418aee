import { expect } from '@jest/globals';
import { openByMenu, openWindow, settled, type Window } from '../harness/browser.js';
import type { Practice } from '../harness/practice.js';
import { confirm } from './acts.js';

const lastDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

/**
 * A brand signs in with its token, grants a delegation for itself, and reads the relay's addresses. The office grants one
 * for another principal, reads the record of a forwarded request, and verifies the chain.
 */
export async function brand({ page }: Window, practice: Practice): Promise<void> {
  await delegatesItself(page, practice);
  await openByMenu(page, 'Delegations');
  const form = page.getByRole('form', { name: 'Grant a delegation' });
  await form.getByLabel('Who delegates').selectOption({ label: 'operator (person)' });
  await form.getByLabel('To the seller').selectOption('prompt');
  await form.getByRole('textbox', { name: 'Until' }).fill(lastDay);
  await form.getByLabel('Budget').fill('50000');
  await form.getByRole('button', { name: 'Grant', exact: true }).click();
  const granted = page
    .getByRole('region', { name: 'Delegations' })
    .getByRole('row')
    .filter({ hasText: 'operator' });
  await granted.getByText('active').waitFor();
  await granted.getByRole('link', { name: 'Trail' }).click();
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('The chain holds').waitFor();
  const outcome = page.getByLabel('Outcome');
  for (const one of await outcome.getByRole('option').allTextContents()) {
    await outcome.selectOption(one);
    await settled(page);
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
  }
  await outcome.selectOption('All');
  const passed = page.getByRole('region', { name: 'What was passed on' });
  await passed.getByRole('row').nth(1).getByRole('link').click();
  for (const stage of [
    'What arrived, and how it was judged',
    'What was passed on',
    'What the seller answered',
  ])
    await page.getByRole('heading', { name: stage }).waitFor();
}

async function delegatesItself(office: Window['page'], practice: Practice): Promise<void> {
  await openByMenu(office, 'People');
  const add = office.getByRole('form', { name: 'Add somebody' });
  await add.getByLabel('Name').fill('bikes');
  await add.getByLabel('Kind').selectOption('brand');
  await add.getByLabel('Domain of the brand').fill('bikes.example');
  await add.getByRole('button', { name: 'Add', exact: true }).click();
  const card = office.getByRole('region', { name: 'One person' });
  await card.getByRole('heading', { name: 'bikes' }).waitFor();
  await confirm(office, 'Make a token');
  const token = (await card.getByText(/^sy_/).textContent()) ?? '';
  const bikes = await openWindow();
  try {
    const { page } = bikes;
    await page.goto(`${practice.url}/console/`);
    await page.getByRole('textbox', { name: 'Password' }).fill(token);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await openByMenu(page, 'Delegations');
    const form = page.getByRole('form', { name: 'Grant a delegation' });
    await form.getByLabel('To the seller').fill('prompt');
    await form.getByRole('textbox', { name: 'Until' }).fill(lastDay);
    await form.getByRole('button', { name: 'Grant', exact: true }).click();
    const addresses = page.getByRole('status', { name: 'Where to send requests to prompt' });
    await addresses.getByText('/relay/prompt/mcp').waitFor();
    const own = page
      .getByRole('region', { name: 'Delegations' })
      .getByRole('row')
      .filter({ hasText: 'bikes' });
    await own.getByText('active').waitFor();
    expect(bikes.complaints).toEqual([]);
  } finally {
    await bikes.close();
  }
}
