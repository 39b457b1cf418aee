import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openWindow, settled, signInBy, type Window } from './harness/browser.js';
import { looksRight } from './harness/look.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';
import { letIn } from './personas/acts.js';

/** How many clicks and fields a trader needs for what is done every day, counted in a browser on the product. */
const sellers = ['Harbor Media', 'Courier Network', 'Atelier Broadcast', 'Lantern Video'] as const;
let instance: SandboxInstance;
let tina: Window;
let counts = { clicks: 0, fields: 0 };

const click = async (of: Locator): Promise<void> => {
  counts.clicks += 1;
  await of.click();
};
const type = async (of: Locator, text: string): Promise<void> => {
  counts.fields += 1;
  await of.fill(text);
};
const day = (inDays: number): string => new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  instance = await startSandboxInstance(['--market', 'prompt,courier,human,behind', '--no-campaign']);
  instance.command('clients', 'add', 'Nova Foods');
  const { clients } = await instance.read<{ clients: { client_id: string }[] }>('/v1/clients');
  const client = ['--client', clients[0]?.client_id ?? ''];
  instance.command('brands', 'add', 'nova.example', ...client);
  instance.command(
    ...['campaigns', 'add', 'Nova autumn launch', ...client, '--brand', 'nova.example'],
    ...['--budget', '60000', '--currency', 'USD', '--from', day(0), '--to', day(30)],
  );
  const operator = await openWindow();
  await signInBy(operator.page, instance.link());
  tina = await openWindow({ width: 1440 });
  await signInBy(tina.page, await letIn(operator.page, 'tina', 'trader'));
  await operator.close();
});
afterAll(async () => {
  await tina.close();
  await instance.stop();
});

describe('a trader', () => {
  it('buys over four sellers in at most 12 clicks and 5 fields, from Home to an order', async () => {
    const { page } = tina;
    await settled(page);
    await click(page.getByRole('link', { name: /^Ask \d+ sellers/ }));
    await type(page.getByLabel('Brief'), 'video and display for breakfast, United States');
    // Two clicks: the list, and the campaign in it. Brand and days come with it.
    counts.clicks += 2;
    await page.getByLabel('Campaign', { exact: true }).selectOption({ label: 'Nova autumn launch' });
    await click(page.getByRole('button', { name: 'Ask the sellers' }));
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    const offers = page.getByRole('region', { name: 'Products', exact: true }).getByRole('listitem');
    for (const seller of sellers)
      await click(offers.filter({ hasText: seller }).first().getByRole('button', { name: /^Add/ }));
    await click(page.getByRole('link', { name: 'Plan: 4 lines' }));
    const budgets = page.getByRole('textbox', { name: /^Budget of/ });
    await budgets.nth(3).waitFor();
    for (const at of sellers.keys()) await type(budgets.nth(at), '10,000');
    await click(page.getByRole('button', { name: 'Buy', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Buy' });
    await click(dialog.getByRole('button', { name: 'Buy', exact: true }));
    await page
      .getByRole('link', { name: /^(Open the buy|buys)$/ })
      .first()
      .waitFor();
    expect(counts.clicks).toBeLessThanOrEqual(12);
    expect(counts.fields).toBeLessThanOrEqual(5);
    const { media_buys: buys } = await instance.read<{ media_buys: { sellers: unknown[] }[] }>('/v1/buys');
    expect(buys.map((buy) => buy.sellers.length)).toEqual([4]);
  });

  it('sees an overspend on Home and mends it in 2 clicks, at all its sellers at the same time', async () => {
    const { page } = tina;
    const { campaigns } = await instance.read<{ campaigns: { campaign_id: string }[] }>('/v1/campaigns');
    const id = campaigns[0]?.campaign_id ?? '';
    instance.command('campaigns', 'set', id, '--budget', '30000');
    await page.goto(`${instance.url}/console/`);
    const need = page.getByRole('link', { name: 'Nova autumn launch is over its budget' });
    await need.waitFor();
    counts = { clicks: 0, fields: 0 };
    await click(page.getByRole('button', { name: /^Lower budgets ?: Nova autumn launch/ }));
    const dialog = page.getByRole('dialog', { name: 'Lower budgets by 10,000' });
    await dialog.getByRole('region', { name: 'New budgets' }).waitFor();
    await looksRight(page, 'advice');
    await click(dialog.getByRole('button', { name: 'Lower budgets' }));
    await dialog.waitFor({ state: 'detached' });
    // The line leaves by itself.
    await need.waitFor({ state: 'detached' });
    expect(counts).toEqual({ clicks: 2, fields: 0 });
    const { media_buys: buys } = await instance.read<{ media_buys: { current_total_budget: string }[] }>(
      '/v1/buys',
    );
    expect(buys.map((buy) => buy.current_total_budget)).toEqual(['30000']);
  });

  it('has met no error on the way', () => {
    expect(tina.complaints).toEqual([]);
  });
});
