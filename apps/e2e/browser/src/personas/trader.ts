import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { openByMenu, openWindow, signInBy, type Window } from '../harness/browser.js';
import type { SandboxInstance } from '../harness/sandbox-instance.js';
import { choose, confirm, letIn } from './acts.js';

const sellers = ['prompt', 'courier', 'seed'];
const beans = {
  creative_id: 'beans-15s',
  name: 'Beans, 15 seconds',
  format_id: { agent_url: 'https://creatives.market.example', id: 'video_15s' },
  assets: {
    main: {
      asset_type: 'video',
      url: 'https://cdn.roaster.example/15s.mp4',
      width: 1920,
      height: 1080,
      duration_ms: 15_000,
    },
  },
};

/** Sends a brief, plans products of three sellers, buys over a limit, month by month, gets another person's approval, and pauses. */
export async function trader({ page: office }: Window, instance: SandboxInstance): Promise<void> {
  await openByMenu(office, 'Limits');
  const limit = office.getByRole('form', { name: 'Set a limit' });
  await limit.getByLabel('Per', { exact: true }).selectOption('all');
  for (const [whom, amount, above] of [
    ['each buy by itself', '5000', 'ask'],
    ['the whole organization', '500000', 'refuse'],
  ] as const) {
    await choose(limit, 'For', whom);
    await limit.getByLabel('Amount').fill(amount);
    await limit.getByLabel('What goes above it').selectOption(above);
    await limit.getByRole('button', { name: 'Set the limit' }).click();
  }
  await office.getByRole('region', { name: 'Limits' }).getByRole('row').nth(2).waitFor();
  await instance.task('sync_creatives', {
    adcp_version: '3.1',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    creatives: [beans],
  });
  await plantedCampaign(instance);
  const tom = await openWindow();
  const rita = await openWindow();
  const ben = await openWindow();
  try {
    await signInBy(tom.page, await letIn(office, 'tom', 'trader'));
    await signInBy(ben.page, await letIn(office, 'ben', 'trader'));
    await signInBy(rita.page, await letIn(office, 'rita', 'reviewer'));
    await givesTheCampaignAway(office);
    await plan(tom);
    await savesAndShares(tom, ben);
    await isHeldBack(tom);
    await goesUnderACampaign(tom);
    const months = await splitsByMonth(tom);
    await choosesACreative(tom);
    await buysOnce(tom);
    await tom.page.getByRole('link', { name: 'Approvals' }).last().waitFor();
    // Nothing runs before the approval, and the list must not state that it does.
    await openByMenu(tom.page, 'Buys');
    const held = tom.page.getByRole('region', { name: 'Buys' }).getByText('To approve', { exact: true });
    await held.first().waitFor();
    expect(await held.count()).toBe(1);
    await tom.page
      .getByRole('region', { name: 'Buys' })
      .getByRole('row')
      .nth(1)
      .getByRole('link')
      .first()
      .click();
    await tom.page.getByText(/^No seller was called yet/).waitFor();
    // A seller would refuse each of them.
    expect(
      await tom.page.getByRole('button', { name: /^(Pause|Change budgets|Cancel the buy)$/ }).count(),
    ).toBe(0);

    await openByMenu(rita.page, 'Inbox', 'To approve');
    const waiting = rita.page.getByRole('article').filter({ hasText: 'Over a limit' });
    await waiting.getByText('36,000').first().waitFor();
    await confirm(rita.page, 'Approve', 'The client agreed.');

    const known = await instance.read<{ media_buys: { media_buy_id: string }[] }>('/v1/buys');
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
    // A leg that waits for its seller cannot be paused. One of the three requires creatives at once, and refuses.
    await tom.page
      .getByRole('region', { name: 'Sellers' })
      .getByText(/^(Running|Begins later|Waits for a creative|Behind by .*)$/)
      .nth(sellers.length - 2)
      .waitFor();
    for (const name of ['Sellers', 'What happened'])
      await tom.page.getByRole('region', { name }).getByText('a package needs a creative').waitFor();
    // Each month is a package with days of its own.
    const packages = tom.page.getByRole('region', { name: 'Lines, a table' });
    for (const month of months)
      await packages
        .getByText(new RegExp(`^${month}-\\d\\d to ${month}-\\d\\d$`))
        .first()
        .waitFor();
    await placesElsewhere(tom);
    await assignsACreative(tom);
    await confirm(tom.page, 'Pause');
    await tom.page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    const bought = tom.page.url();
    await openByMenu(tom.page, 'Campaigns', 'Calendar');
    const flights = tom.page.getByRole('region', { name: 'Flights, a table' });
    await flights
      .getByRole('img', { name: /^Runs from / })
      .first()
      .waitFor();
    await flights.getByRole('row').nth(2).getByRole('link').first().focus();
    await tom.page.keyboard.press('Enter');
    await tom.page.getByRole('region', { name: 'What happened' }).waitFor();
    await tom.page.goto(bought);
    await cancelsForAFee(tom);
    expect([...tom.complaints, ...rita.complaints, ...ben.complaints]).toEqual([]);
  } finally {
    await tom.close();
    await rita.close();
    await ben.close();
  }
}

/** A plan is stored under a name, and a colleague sees it once it is shared, and not before. */
async function savesAndShares({ page }: Window, { page: colleague }: Window): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Save' });
  await dialog.getByLabel('Name of the plan').fill('Beans in winter');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Beans in winter' }).waitFor();
  await openByMenu(colleague, 'Plans');
  await colleague.getByText('No plan is saved yet').waitFor();
  await confirm(page, 'Share');
  await page.getByRole('button', { name: 'Stop sharing' }).waitFor();
  await colleague.reload();
  await colleague.getByRole('link', { name: 'Beans in winter' }).click();
  await colleague
    .getByRole('textbox', { name: /^Budget of/ })
    .first()
    .waitFor();
  expect(await colleague.getByRole('textbox', { name: /^Budget of/ }).count()).toBe(sellers.length);
  // What one of them changes, the other one is told of before it is overwritten.
  await colleague
    .getByRole('textbox', { name: /^Budget of/ })
    .first()
    .fill('12,500');
  await colleague.getByText(/^saved .* by ben/).waitFor();
  await page
    .getByRole('textbox', { name: /^Budget of/ })
    .first()
    .fill('12,100');
  await page.getByText('ben changed this plan after you had opened it.').waitFor();
  await page.getByRole('button', { name: 'Read theirs' }).click();
  await page.getByText('ben changed this plan').waitFor({ state: 'detached' });
  expect(
    await page
      .getByRole('textbox', { name: /^Budget of/ })
      .first()
      .inputValue(),
  ).toBe('12,500');
  await page
    .getByRole('textbox', { name: /^Budget of/ })
    .first()
    .fill('12000');
  await page.getByText(/^saved .* by tom/).waitFor();
}

/** What a seller refused stands on the page of the buy in money, and goes back to the market with it. */
async function placesElsewhere({ page }: Window): Promise<void> {
  const bought = page.url();
  await page.getByText(/^[\d,]+ of 36,000 USD do not run\.$/).waitFor();
  await page.getByText(/ refused \(12,000\)\.$/).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Place elsewhere' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ask the market' }).waitFor();
  await page.locator('input[inputmode=decimal][value="12000"]').waitFor();
  await openByMenu(page, 'Home');
  await page.getByRole('link', { name: /^Place elsewhere: / }).waitFor();
  await page.goto(bought);
}

/** What the seller quoted for a cancellation stands in the question, and with its part afterwards. */
async function cancelsForAFee({ page }: Window): Promise<void> {
  const fee = /50 % of what is left is due, at most [\d.]+ USD\./;
  await page.getByRole('button', { name: 'Cancel the buy' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel the buy' });
  await dialog.getByText(fee).first().waitFor();
  await dialog.getByRole('button', { name: 'Cancel the buy' }).click();
  await page.getByRole('region', { name: 'Sellers' }).getByText(fee).first().waitFor();
}

/** The answer to the order is lost. The same order, sent again, is no second buy. */
async function buysOnce({ page }: Window): Promise<void> {
  const lost = async (route: Route): Promise<void> => {
    await route.fetch();
    await route.abort();
  };
  await page.route('**/v1/tasks/create_media_buy', lost, { times: 1 });
  await confirm(page, 'Buy');
  await page.getByText('The server did not answer.').waitFor();
  await confirm(page, 'Buy');
}

/** Assigns a creative of the library to a package without one; the package is then no longer offered. */
async function assignsACreative({ page }: Window): Promise<void> {
  await page.getByRole('link', { name: 'Assign creatives' }).click();
  const form = page.getByRole('form', { name: 'Assign a creative' });
  const packages = form.getByLabel('To the package');
  const chosen = (await packages.getByRole('option').nth(1).textContent()) ?? '';
  await packages.selectOption({ index: 1 });
  await form.getByLabel('Creative', { exact: true }).selectOption('beans-15s');
  await form.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByText(/^The seller has the creative/).waitFor();
  await packages.getByRole('option', { name: chosen }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
}

/** An invalid plan cannot be confirmed; a corrected one can. */
async function isHeldBack({ page }: Window): Promise<void> {
  const budget = page.getByRole('textbox', { name: /^Budget of/ }).first();
  await budget.fill('900000');
  await page.getByRole('button', { name: 'Buy', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Buy' });
  await dialog.getByText('It would be refused. Change the plan first.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Buy', exact: true }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await budget.fill('12000');
}

/** What the plan of a campaign has left in each month stands beside what this buy adds. */
async function goesUnderACampaign({ page }: Window): Promise<void> {
  await page.getByLabel('Campaign', { exact: true }).selectOption({ label: 'Winter beans' });
  // What is free of its budget, and what this plan passes it by, stand above the lines.
  await page.getByRole('img', { name: /this plan is 36,000 USD, 16,000 USD over the budget/ }).waitFor();
  const checks = page.getByRole('region', { name: 'Before you buy' });
  await checks.getByText('16,000 USD over the campaign').waitFor();
  const months = page.getByRole('region', { name: 'Plan by month' });
  await months.getByRole('row', { name: /^\S+ 100 USD 0 USD [\d,.]+ USD over by [\d,.]+ USD$/ }).waitFor();
}

/** Another person becomes the owner of the campaign; nobody who does not exist can. */
async function givesTheCampaignAway(office: Page): Promise<void> {
  await openByMenu(office, 'Campaigns');
  const row = office.getByRole('row').filter({ hasText: 'Winter beans' });
  await row.getByRole('button', { name: 'Edit the campaign' }).click();
  const dialog = office.getByRole('dialog', { name: 'Edit the campaign' });
  const confirmed = dialog.getByRole('button', { name: 'Edit the campaign' });
  expect(await confirmed.isDisabled()).toBe(true);
  await dialog.getByLabel('Owner').fill('nobody');
  await confirmed.click();
  await dialog.getByText('No active principal with this name or id can see the campaign.').waitFor();
  await dialog.getByLabel('Owner').fill('tom');
  await confirmed.click();
  await row.getByText('tom', { exact: true }).waitFor();
}

/** A campaign with a plan for the current month. */
async function plantedCampaign(instance: SandboxInstance): Promise<void> {
  const days = 86_400_000;
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  instance.command('clients', 'add', 'Roaster');
  const { clients } = await instance.read<{ clients: { client_id: string; name: string }[] }>('/v1/clients');
  const id = clients.find(({ name }) => name === 'Roaster')?.client_id ?? '';
  instance.command('brands', 'add', 'roaster.example', '--client', id);
  const flight = ['--from', day(Date.now()), '--to', day(Date.now() + 60 * days)];
  const whose = ['--client', id, '--brand', 'roaster.example'];
  const plan = ['--budget', '20000', '--currency', 'USD', '--plan', `${day(Date.now()).slice(0, 7)}=100`];
  instance.command('campaigns', 'add', 'Winter beans', ...whose, ...plan, ...flight);
}

/** Each month becomes a package of each product; the sums stay. Returns the months. */
async function splitsByMonth({ page }: Window): Promise<readonly string[]> {
  await page.getByLabel('A line for each month').check();
  const packages = page.getByRole('region', { name: 'Packages', exact: true });
  const budgets = packages.getByRole('textbox', { name: /^Budget of .* in \d{4}-\d\d$/ });
  await budgets.first().waitFor();
  const labels = await Promise.all((await budgets.all()).map((budget) => budget.getAttribute('aria-label')));
  const months = [...new Set(labels.map((label) => label?.slice(-'2026-01'.length) ?? ''))];
  expect(months.length).toBeGreaterThan(1);
  expect(await budgets.count()).toBe(months.length * sellers.length);
  for (const budget of await budgets.all()) await budget.fill(String(12_000 / months.length));
  expect(await packages.locator('tbody').getByText('12,000', { exact: true }).count()).toBe(sellers.length);
  await packages.getByRole('row', { name: /^In all, USD .*36,000/ }).waitFor();
  await fitsOnAPhone(page);
  return months;
}

/** How much wider the content of an element is, in pixels, after the menu has left: a transition of some frames. */
function overflowOf(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`new Promise((done) => {
    let frames = 300;
    const look = () => {
      const { scrollWidth, clientWidth } = document.querySelector('${selector}');
      if (scrollWidth === clientWidth || frames-- === 0) done(scrollWidth - clientWidth);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** At the width of a phone, packages and plan by month are read without scrolling sideways. */
async function fitsOnAPhone(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ['Packages', 'Plan by month'])
    expect([name, await overflowOf(page, `[aria-label="${name}"]`)]).toEqual([name, 0]);
  expect(await overflowOf(page, 'html')).toBe(0);
  await page.setViewportSize(before);
}

/** A package starts with a creative of the library. */
async function choosesACreative({ page }: Window): Promise<void> {
  const packages = page.getByRole('region', { name: 'Packages', exact: true });
  await packages
    .getByRole('combobox', { name: /^Add a creative to/ })
    .first()
    .selectOption('beans-15s');
  await packages.getByRole('button', { name: /^Remove the creative beans-15s/ }).waitFor();
}

/** A filter narrows the offers and stands in the address; two offers stand side by side, with what the budget buys. */
async function comparesTwo(page: Page): Promise<void> {
  const offers = page.getByRole('region', { name: 'Products', exact: true }).getByRole('listitem');
  const all = await offers.count();
  await page.getByRole('button', { name: 'Brand, campaign and budget' }).click();
  await page.getByLabel('Budget').fill('22,000');
  const auction = page.getByRole('group', { name: 'Price' }).getByRole('checkbox', { name: 'fixed' });
  await auction.check();
  expect(new URL(page.url()).searchParams.get('price')).toBe('fixed');
  expect(await offers.count()).toBeLessThan(all);
  for (const at of [0, 1])
    await offers
      .nth(at)
      .getByRole('button', { name: /^Compare/ })
      .click();
  await page.getByRole('region', { name: 'To compare' }).getByText('2 to compare').waitFor();
  await page.locator('#main').focus();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: '2 offers side by side' });
  await dialog.getByRole('row', { name: /^Impressions for 22,000/ }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.goto(new URL('/console/ask', page.url()).href);
  await offers.nth(all - 1).waitFor();
}

async function plan({ page }: Window): Promise<void> {
  await openByMenu(page, 'Ask the market');
  await page.getByLabel('Brief').fill('video for a bike shop');
  // No brand is named: the prices have their currency all the same.
  await page.getByRole('button', { name: 'Ask the sellers' }).click();
  const offers = page.getByRole('region', { name: 'Products', exact: true }).getByRole('listitem');
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await offers.first().waitFor();
  const rows = await offers.count();
  await page.reload();
  await offers.first().waitFor();
  expect(await page.getByLabel('Brief').inputValue()).toBe('video for a bike shop');
  expect(await offers.count()).toBe(rows);
  await comparesTwo(page);
  for (const seller of sellers)
    await offers
      .filter({ has: page.getByText(seller, { exact: true }), hasText: 'USD' })
      .filter({ hasText: seller === 'courier' ? /(?<!non-)guaranteed/ : 'CPM' })
      .filter({ hasText: 'fixed' })
      .first()
      .getByRole('button', { name: /^Add/ })
      .click();
  await openByMenu(page, 'Plans');
  await page.getByRole('main').getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('combobox', { name: 'Brand' }).click();
  await page.getByRole('option', { name: 'roaster.example, Roaster' }).click();
  const budgets = page.getByRole('textbox', { name: /^Budget of/ });
  expect(await budgets.count()).toBe(sellers.length);
  // Either style of numbers is understood, and what was understood stays.
  for (let at = 0; at < sellers.length; at += 1) await budgets.nth(at).fill(at === 0 ? '12.000' : '12,000');
  await page.getByRole('textbox', { name: 'Last day' }).focus();
  expect(await budgets.first().inputValue()).toBe('12,000');
  const last = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await page.getByRole('textbox', { name: 'Last day' }).fill(last);
}
