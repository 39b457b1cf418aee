import { expect } from '@jest/globals';
import { openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import type { Practice } from '../harness/practice.js';
import { confirm, letIn } from './acts.js';

const sellers = ['prompt', 'courier', 'seed'];

/** Asks, puts products of three sellers in the plan, buys over a limit, is approved by another person, and pauses. */
export async function trader({ page: office }: Window, practice: Practice): Promise<void> {
  await openByMenu(office, 'Limits');
  const limit = office.getByRole('form', { name: 'Set a limit' });
  await limit.getByLabel('For', { exact: false }).first().fill('each-buy');
  await limit.getByLabel('Amount').fill('5000');
  await limit.getByLabel('Per', { exact: true }).selectOption('all');
  await limit.getByRole('button', { name: 'Set the limit' }).click();
  await office.getByRole('region', { name: 'Limits' }).getByText('each-buy').waitFor();
  const tom = await openWindow();
  const rita = await openWindow();
  try {
    await signInBy(tom.page, await letIn(office, 'tom', 'trader'));
    await signInBy(rita.page, await letIn(office, 'rita', 'reviewer'));
    await plan(tom);
    await confirm(tom.page, 'Buy');
    await tom.page.getByRole('link', { name: 'Approvals' }).last().waitFor();

    await openByMenu(rita.page, 'Approvals');
    const waiting = rita.page.getByRole('article').filter({ hasText: 'Over a limit' });
    await waiting.getByText('36,000').first().waitFor();
    await confirm(rita.page, 'Approve', 'The client agreed.');

    const known = await practice.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
    expect(known.media_buys.length).toBeGreaterThan(0);
    await openByMenu(tom.page, 'Buys');
    await tom.page.getByRole('region', { name: 'Buys' }).getByRole('row').nth(2).waitFor();
    await tom.page
      .getByRole('region', { name: 'Buys' })
      .getByRole('row')
      .nth(1)
      .getByRole('link')
      .first()
      .click();
    for (const seller of sellers)
      await tom.page.getByRole('main').getByText(seller, { exact: true }).first().waitFor();
    await confirm(tom.page, 'Pause');
    await tom.page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    expect([...tom.complaints, ...rita.complaints]).toEqual([]);
  } finally {
    await tom.close();
    await rita.close();
  }
}

async function plan({ page }: Window): Promise<void> {
  await openByMenu(page, 'Ask the market');
  await page.getByLabel('Brief').fill('video for a bike shop');
  await page.getByLabel('Brand').fill('roaster.example');
  await page.getByRole('button', { name: 'Ask the sellers' }).click();
  const offers = page.getByRole('region', { name: 'Compare products' });
  for (const seller of sellers)
    await offers
      .getByRole('row')
      .filter({
        has: page.getByRole('cell', { name: seller, exact: true }),
        hasText: 'USD',
        hasNotText: 'from ',
      })
      .getByRole('button', { name: /^Add/ })
      .first()
      .click();
  await openByMenu(page, 'Plan and buy');
  const budgets = page.getByRole('textbox', { name: /^Budget of/ });
  expect(await budgets.count()).toBe(sellers.length);
  for (let at = 0; at < sellers.length; at += 1) await budgets.nth(at).fill('12000');
  const last = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Last day').fill(last);
}
