import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
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

/** The page of one offer, and back. */
async function showsAProduct(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Products', exact: true }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Add to the plan' }).waitFor();
  await looksRight(page, 'product');
  for (const tab of ['Formats', 'Prices', 'Bought before'])
    await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click();
  await page.goto(`${instance.url}/console/ask`);
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
}

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
    await showsAProduct(page);
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

  it('pauses everything of a campaign in 2 clicks, and asks the sellers to let it run again', async () => {
    const { page } = tina;
    const { campaigns } = await instance.read<{ campaigns: { campaign_id: string }[] }>('/v1/campaigns');
    await page.goto(`${instance.url}/console/campaigns/${campaigns[0]?.campaign_id ?? ''}`);
    for (const [label, done] of [
      ['Pause everything', '1 buy is paused.'],
      ['Resume', '1 buy may run again.'],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: label });
      await dialog.getByRole('checkbox').first().waitFor();
      await looksRight(page, label);
      await dialog.getByRole('button', { name: label, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(done).waitFor();
    }
    const { media_buys: buys } = await instance.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
    const buy = `/v1/buys/${buys[0]?.media_buy_id ?? ''}`;
    const { legs } = await instance.read<{ legs: { task: string; task_status: string }[] }>(buy);
    const answers = legs.filter(({ task }) => task === 'update_media_buy').slice(-2 * sellers.length);
    expect(answers.map(({ task_status: status }) => status)).toEqual(
      Array<string>(2 * sellers.length).fill('completed'),
    );
  });

  it('sees a buy in a panel beside the list with Space, and is back at its row with Escape, as at the button of any other dialog', async () => {
    const { page } = tina;
    await page.goto(`${instance.url}/console/buys`);
    const name = page.getByRole('region', { name: 'Buys' }).getByRole('row').nth(1).getByRole('link').first();
    await name.focus();
    await page.keyboard.press('Space');
    const panel = page.getByRole('dialog');
    await panel.getByRole('link', { name: 'Open the page' }).waitFor();
    expect(new URL(page.url()).searchParams.get('peek')).toMatch(/^mb_/);
    await looksRight(page, 'peek');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('peek')).toBeNull();
    // The first dialog of each kind is mounted by its opening.
    await page.goto(`${instance.url}${(await name.getAttribute('href')) ?? ''}`);
    for (const opener of ['button.find', 'button.pill']) {
      await page.locator(opener).first().press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.locator(`${opener}:focus`).waitFor();
    }
  });

  it('uploads a picture, sees it, and puts it into the library as a creative', async () => {
    const { page } = tina;
    await page.goto(`${instance.url}/console/creatives/new`);
    const form = page.getByRole('form', { name: 'The creative' });
    await form.locator('input[type=file]').setInputFiles({
      name: 'banner.exe',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('MZ'),
    });
    await form.getByText(/^This is none of PNG/).waitFor();
    await form.locator('input[type=file]').setInputFiles({
      name: 'banner.png',
      mimeType: 'image/png',
      buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 250 } }),
    });
    await page.getByRole('region', { name: 'preview' }).locator('img').waitFor();
    await form.getByRole('combobox', { name: 'Brand' }).click();
    await page.getByRole('option', { name: /^nova\.example/ }).click();
    await form.getByLabel('Format').selectOption({ label: 'Medium rectangle' });
    await looksRight(page, 'new-creative');
    await form.getByRole('button', { name: 'Put it into the library' }).click();
    await page.getByRole('heading', { level: 1, name: 'banner' }).waitFor();
    const image = page.getByRole('main').locator('img');
    await image.waitFor();
    // It is loaded from this instance, under a policy that lets it do nothing.
    const stored = await fetch((await image.getAttribute('src')) ?? '');
    expect([stored.status, stored.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringMatching(/^sandbox;/),
    ]);
    await looksRight(page, 'creative');
    for (const tab of ['Where it runs', 'Checks by seller'])
      await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click();
    await page.goto(`${instance.url}/console/creatives`);
    await page.getByRole('link', { name: 'banner', exact: true }).waitFor();
  });

  it('moves the clock of the practice market', async () => {
    const { page } = tina;
    await page.goto(`${instance.url}/console/`);
    const clock = page.getByRole('group', { name: 'Clock of the market' });
    await clock.getByRole('button', { name: 'Pause' }).click();
    await clock.getByRole('button', { name: 'Pause', pressed: true }).waitFor();
    const at = async () =>
      (await instance.read<{ clock: { market_time: string } }>('/v1/practice/clock')).clock.market_time;
    const before = await at();
    await clock.getByRole('button', { name: 'Next day' }).click();
    await page.getByText('The next campaign day has come.').waitFor();
    expect(Date.parse(await at()) - Date.parse(before)).toBe(1_000);
    await looksRight(page, 'practice-clock');
  });

  it('shows a campaign with its calendar and its creatives', async () => {
    const { page } = tina;
    const { campaigns } = await instance.read<{ campaigns: { campaign_id: string }[] }>('/v1/campaigns');
    await page.goto(`${instance.url}/console/campaigns/${campaigns[0]?.campaign_id ?? ''}`);
    await page.getByRole('link', { name: 'Calendar', exact: true }).last().click();
    await page
      .getByRole('img', { name: /^Runs from / })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Creatives', exact: true }).last().click();
    await page.getByText('No line has a creative yet').waitFor();
  });

  it('has met no error on the way', () => {
    expect(tina.complaints).toEqual([]);
  });
});
