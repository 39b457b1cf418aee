import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, ownerUrlOf, plainProduct, plainSeller } from '@switchyard/e2e-server';
import { startServer } from '@switchyard/testing';
import type { Locator } from 'playwright-core';
import { openStore, governanceCases } from '@switchyard/store';
import { openByMenu, openWindow, signInBy, type Window } from './harness/browser.js';
import { looksRight } from './harness/look.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';
import { confirm, letIn } from './personas/acts.js';

/** From a publisher's domain to a live seller, in a browser. */
let instance: SandboxInstance;
/** Who connects, and who lets go live. The operator made both of their links, and could act as either. */
let ada: Window;
let bea: Window;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await startSandboxInstance(['--market', 'prompt,desk,malformed', '--no-campaign']);
  const operator = await openWindow();
  await signInBy(operator.page, instance.link());
  ada = await openWindow();
  bea = await openWindow();
  await signInBy(ada.page, await letIn(operator.page, 'ada', 'admin'));
  await signInBy(bea.page, await letIn(operator.page, 'bea', 'admin'));
  await operator.close();
});
afterAll(async () => {
  await ada.close();
  await bea.close();
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
});

const offers = { json: JSON.stringify({ status: 'completed', products: [plainProduct] }) };

/** A publisher's domain with documents by path. */
async function publisher(documents: Readonly<Record<string, object>>): Promise<string> {
  const server = await startServer((request, response) => {
    const document = documents[request.url ?? ''];
    if (document === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  closers.push(() => server.close());
  return `127.0.0.1:${String(server.port)}`;
}

/** A right of the seller by-token ends in a month. */
async function opensACase(
  of: Partial<Parameters<ReturnType<typeof governanceCases>['open']>[1]> = {},
): Promise<void> {
  const { organizations } = await instance.read<{ organizations: { organization_id: string }[] }>(
    '/v1/organizations',
  );
  const scope = { organizationId: organizations[0]?.organization_id ?? '' };
  const store = openStore(ownerUrlOf(instance.data));
  try {
    const { rows } = await store.inTenant(scope, (client) =>
      client.query<{ id: string }>('select id from connection where slug = $1', ['by-token']),
    );
    const now = Date.now();
    await governanceCases(store).open(
      scope,
      {
        id: randomUUID(),
        connectionId: rows[0]?.id ?? '',
        owner: 'by-token',
        eventId: randomUUID(),
        kind: 'rights_revoked',
        state: 'open',
        rightsId: 'grant-17',
        reason: 'The contract with the speaker ends.',
        effectiveAt: now + 30 * 86_400_000,
        uses: [],
        actAt: now + 29 * 86_400_000,
        ...of,
      },
      now,
    );
  } finally {
    await store.close();
  }
}

/** The publisher of the market, by its control address. */
async function publisherOfMarket(): Promise<{ readonly domain: string; readonly agent_url: string }> {
  const port = readFileSync(join(instance.data, 'sandbox/control-port'), 'utf8');
  const answer = await fetch(`http://127.0.0.1:${port}/publisher`);
  return (await answer.json()) as { domain: string; agent_url: string };
}

const clientIds = new Map<string, string>();

/** Adds a client with a brand; it may use all sellers, or the named one alone. */
function clientWith(name: string, domain: string, seller?: string): void {
  const only = seller === undefined ? [] : ['--seller', seller];
  const { client_id: id } = instance.command('clients', 'add', name, ...only) as { client_id: string };
  clientIds.set(name, id);
  instance.command('brands', 'add', domain, '--client', id);
}

const brandOf = (domain: string) => ({
  adcp_version: '3.1',
  brand: { domain },
  account: { brand: { domain }, operator: 'agency.example' },
});

interface Product {
  readonly product_id: string;
  readonly pricing_options: readonly { readonly pricing_option_id: string }[];
  readonly format_ids: readonly object[];
}

/** The products of one seller that a client sees. */
async function productsFor(domain: string, seller: string): Promise<readonly Product[]> {
  const { products } = await instance.task<{ products: readonly Product[] }>('get_products', {
    ...brandOf(domain),
    buying_mode: 'wholesale',
  });
  return products.filter(({ product_id: id }) => id.startsWith(`${seller}:`));
}

function buy(domain: string, product: Product | undefined): Promise<{ readonly media_buy_id: string }> {
  const part = {
    product_id: product?.product_id,
    pricing_option_id: product?.pricing_options[0]?.pricing_option_id,
    budget: 1_000,
  };
  return instance.task('create_media_buy', buyRequest([part], brandOf(domain)));
}

/** The accounts of the buys in a seller's own books. */
async function boughtAt(agentUrl: string): Promise<readonly unknown[]> {
  const answer = await fetch(`${new URL(agentUrl).origin}/books`);
  return ((await answer.json()) as { account?: unknown }[]).map(({ account }) => account);
}

async function find(input: string): Promise<void> {
  const { page } = ada;
  await page.goto(`${instance.url}/console/sellers/new`);
  await page.getByLabel(/^Domain of the publisher/).fill(input);
}

describe('an administrator who connects a seller', () => {
  it('needs at most six clicks from a domain to a live seller behind OAuth, a second person among them; its first product is bought for one client, and another client does not see it', async () => {
    const { page } = ada;
    const { domain, agent_url: agentUrl } = await publisherOfMarket();
    const found = instance.command('sellers', 'find', domain) as {
      candidates: { agent_url: string; agrees: string }[];
    };
    expect(found.candidates).toMatchObject([{ agent_url: agentUrl, agrees: 'both' }, { agrees: 'both' }]);
    let clicks = 0;
    const click = async (of: Locator): Promise<void> => {
      clicks += 1;
      await of.click();
    };
    await find(domain);
    await looksRight(page, 'connect-domain');
    await click(page.getByRole('button', { name: 'Find its agents' }));
    const agents = page.getByRole('radiogroup', { name: 'Agent' });
    await agents.getByText('the publisher and the operator name it').first().waitFor();
    expect(await agents.getByRole('radio').first().isChecked()).toBe(true);
    await page
      .getByRole('region', { name: 'Not offered' })
      .getByText('https://agent.remnant.example/mcp')
      .waitFor();
    await looksRight(page, 'connect-agents');
    await click(page.getByRole('button', { name: 'Check this agent' }));
    const { host } = new URL(agentUrl);
    const signIn = page.getByRole('form', { name: 'Sign in' });
    await signIn.waitFor();
    await looksRight(page, 'connect-sign-in');
    await click(signIn.getByRole('button', { name: `Sign in at ${host}` }));
    await page.getByRole('heading', { name: 'Sign in at a seller' }).waitFor();
    await click(page.getByRole('link', { name: `Continue to ${host}` }));
    // The page of the seller's own server.
    await page.getByRole('heading', { name: 'Saltmarsh Gazette' }).waitFor();
    expect(new URL(page.url()).host).toBe(host);
    await page.getByRole('button', { name: 'Allow' }).click();
    const account = page.getByRole('region', { name: 'Account' });
    await account.getByRole('button', { name: 'Harvest Foods' }).waitFor();
    expect(page.url()).toContain('/console/sellers/new?draft=');
    await looksRight(page, 'connect-account');
    await click(account.getByRole('button', { name: 'Harvest Foods' }));
    const live = page.getByRole('region', { name: 'Go live' });
    await live.getByText(/^You added it/).waitFor();
    expect(await live.getByRole('button', { name: 'Let it go live' }).count()).toBe(0);
    await looksRight(page, 'connect-waits');
    const slug = new URL(page.url()).searchParams.get('draft') ?? '';

    await bea.page.goto(page.url());
    await click(bea.page.getByRole('button', { name: 'Let it go live' }));
    await bea.page.getByRole('link', { name: 'Open the seller' }).waitFor();
    await page.getByRole('link', { name: 'Open the seller' }).waitFor();
    await looksRight(page, 'connect-live');
    await page.getByRole('link', { name: 'Open the seller' }).click();
    await page.getByRole('button', { name: 'Live', exact: true }).first().waitFor();
    expect(clicks).toBeLessThanOrEqual(6);
    const { checks } = instance.command('sellers', 'checks', slug) as {
      checks: { key: string; state: string }[];
    };
    expect(checks.filter(({ state }) => state !== 'passed' && state !== 'skipped')).toEqual([]);

    clientWith('Nova Foods', 'nova.example');
    clientWith('Orion', 'orion.example', 'prompt');
    instance.command('accounts', 'sync', '--seller', slug);
    instance.command(
      'accounts',
      'use',
      ...['--seller', slug, '--client', clientIds.get('Nova Foods') ?? ''],
      ...['--account', 'acc_harvest'],
    );
    const [first] = await productsFor('nova.example', slug);
    expect(first).toBeDefined();
    expect(await productsFor('orion.example', slug)).toEqual([]);
    const bought = await buy('nova.example', first);
    expect(bought.media_buy_id).toMatch(/^mb_/);
    await expect(buy('orion.example', first)).rejects.toThrow('ACCOUNT_SETUP_REQUIRED');
    expect(await boughtAt(agentUrl)).toEqual([{ account_id: 'acc_harvest' }]);
  });

  it('enters a token again after the seller refused it, and the seller is a draft in the meantime', async () => {
    const { page } = ada;
    const seller = await plainSeller(
      (tool) => (tool === 'get_products' ? offers : { json: '{"media_buys":[]}' }),
      {
        takes: () => ['the-right-one', 'a-newer-one'],
      },
    );
    closers.push(() => seller.close());
    await find(seller.agentUrl);
    await page.getByRole('button', { name: 'Find its agents' }).click();
    await page.getByLabel('Short name').fill('prompt');
    await page.getByText('Another seller has this short name.').waitFor();
    expect(await page.getByRole('button', { name: 'Check this agent' }).isDisabled()).toBe(true);
    await page.getByLabel('Short name').fill('by-token');
    await page.getByRole('button', { name: 'Check this agent' }).click();
    const signIn = page.getByRole('form', { name: 'Sign in' });
    for (const token of ['a-wrong-one', 'the-right-one']) {
      await signIn.getByRole('textbox', { name: 'Token' }).fill(token);
      await signIn.getByRole('button', { name: 'Use this token' }).click();
      if (token === 'a-wrong-one')
        await signIn
          .getByText(/refuse|does not take|401/i)
          .first()
          .waitFor();
    }
    await page
      .getByRole('region', { name: 'Go live' })
      .getByText(/^You added it/)
      .waitFor();
    // Who asked may take it back, and not approve it.
    await page.goto(`${instance.url}/console/inbox/approvals`);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await looksRight(page, 'own-request');
    await openByMenu(page, 'Sellers');
    expect(await page.getByRole('link', { name: 'by-token', exact: true }).count()).toBe(0);
    await bea.page.goto(`${instance.url}/console/inbox/approvals`);
    await bea.page.getByText('by-token').first().waitFor();
    await confirm(bea.page, 'Approve');
    await bea.page.getByText('Approved: the change is made.').waitFor();
    await page.getByRole('link', { name: 'by-token', exact: true }).waitFor();
  });

  it('tries a new token before it is used, and goes back to the one before', async () => {
    const { page } = ada;
    await page.goto(`${instance.url}/console/sellers/by-token?tab=Keys+and+sign-in`);
    const form = page.getByRole('form', { name: 'Put in a new secret' });
    const keys = page.getByRole('region', { name: 'Keys and sign-in of the seller' });
    await form.getByRole('textbox', { name: 'New secret' }).fill('a-wrong-one');
    await form.getByRole('button', { name: 'Rotate' }).click();
    await form.getByText(/^The seller does not take it/).waitFor();
    await form.getByRole('textbox', { name: 'New secret' }).fill('a-newer-one');
    await form.getByRole('button', { name: 'Rotate' }).click();
    await form.getByText('The seller takes it.').waitFor();
    await keys.getByText('Before the current one').waitFor();
    await looksRight(page, 'seller-keys');
    await confirm(page, 'Go back to it');
    await page.getByText('The version before is in use again.').waitFor();
    await page.getByRole('link', { name: 'Checks', exact: true }).click();
    await page.getByRole('region', { name: 'Checks' }).getByText('Is live', { exact: true }).waitFor();
    await looksRight(page, 'seller-checks');
  });

  it('sets where the days of a seller begin, and takes it back', async () => {
    const { page } = ada;
    await page.goto(`${instance.url}/console/sellers/by-token?tab=Calendar`);
    const form = page.getByRole('form', { name: 'Set the calendar' });
    await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Nowhere');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await form.getByRole('alert').waitFor();
    await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
    await form.getByLabel('Reason').fill('Their desk says so.');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    const days = page.getByRole('region', { name: 'Days of the seller' });
    await days.getByText('(said by one of us)').waitFor();
    await days.getByText('Their desk says so.').waitFor();
    await looksRight(page, 'seller-calendar');
    await confirm(page, 'Clear');
    await days.getByText('(said by one of us)').waitFor({ state: 'detached' });
  });

  it('gives a client an account at a seller, and takes it back', async () => {
    const { page } = ada;
    await openByMenu(page, 'Sellers');
    await page
      .getByRole('region', { name: 'Sellers' })
      .getByRole('link', { name: /^seller-/ })
      .click();
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    const accounts = page.getByRole('region', { name: 'Accounts at the seller' });
    await accounts.getByText('Summit Travel').waitFor();
    const form = page.getByRole('form', { name: 'Let a client use an account' });
    await form.getByLabel('Client').selectOption('Nova Foods');
    await form.getByLabel('Account').selectOption('Summit Travel');
    await form.getByRole('button', { name: 'Use this account' }).click();
    await accounts.getByText('Nova Foods').waitFor();
    await page.getByRole('button', { name: 'Ask the seller now' }).click();
    await page.getByText('Nothing changed.').waitFor();
    await looksRight(page, 'seller-accounts');
    await accounts.getByRole('button', { name: 'Release: Nova Foods' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click();
    await accounts.getByText('Nova Foods').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await accounts.getByText('Nova Foods').waitFor();
  });

  it('signs in at the seller for one client, which has a login of its own from then on, and ends it', async () => {
    const { page } = ada;
    const [, first] = /sellers\/(seller-[^?]+)/.exec(page.url()) ?? [];
    const slug = first ?? '';
    const form = page.getByRole('form', { name: 'Give a client its own login' });
    const kinds = form.getByRole('group', { name: 'Kind of login' });
    await kinds.getByRole('button', { name: 'Sign in there' }).click();
    await form.getByLabel('Client of the login').selectOption('Orion');
    await form.getByRole('button', { name: 'Sign in there' }).last().click();
    await page.getByRole('heading', { name: 'Sign in at a seller' }).waitFor();
    await page.getByRole('link', { name: /^Continue to / }).click();
    // The seller's server knows this browser, and what was allowed in it: it asks no more.
    const logins = page.getByRole('region', { name: 'Logins of clients' });
    await logins.getByText('Orion').first().waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('Accounts');
    const { logins: stored } = instance.command('accounts', 'logins', '--seller', slug) as {
      logins: { client: string }[];
    };
    expect(stored.map(({ client }) => client)).toEqual(['Orion']);
    await logins.getByRole('button', { name: /^End/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await logins.getByText('Every client uses the common login').waitFor();
  });

  it('pauses what runs with a list that changed, or keeps it, from the page of its case', async () => {
    const { page } = ada;
    await opensACase({
      kind: 'property_list_changed',
      state: 'asked',
      rightsId: 'safe-places',
      reason: '1 of its entries were taken out, 2 are left.',
      changes: {
        read: {
          ...{ at: new Date().toISOString(), total: 2, added: 0, removed: 1 },
          ...{ added_entries: [], removed_entries: ['domain:b.example'] },
        },
      },
    });
    await openByMenu(page, 'Sellers', 'Cases');
    await page.getByRole('link', { name: 'The list safe-places of properties changed' }).click();
    await page.getByRole('region', { name: 'What changed' }).getByText('domain:b.example').waitFor();
    await looksRight(page, 'case-of-a-list');
    expect(await page.getByRole('button', { name: 'Withdraw now' }).count()).toBe(0);
    await confirm(page, 'Keep them running', 'The client has seen the list.');
    await page.getByRole('button', { name: 'done', exact: true }).waitFor();
    await confirm(page, 'Pause the lines', 'The client thought again.');
    await page.getByText('The client thought again.').waitFor();
  });

  it('adds the seller of a file, declares an account at it with another person, and gives a client a login of its own', async () => {
    const { page } = ada;
    const seller = await plainSeller(
      (tool, args) => {
        if (tool === 'get_products') return offers;
        const [row] = (args['accounts'] ?? []) as readonly object[];
        const opened = { ...row, action: 'created', status: 'active', account_id: 'acc-opened' };
        const isTrial = args['dry_run'] === true;
        const answer = { ...(isTrial && { dry_run: true }), accounts: [opened] };
        return { json: JSON.stringify(tool === 'sync_accounts' ? answer : { accounts: [], media_buys: [] }) };
      },
      {
        tools: ['list_accounts', 'sync_accounts'],
        takes: () => ['the-common-one', 'the-one-of-nova'],
      },
    );
    closers.push(() => seller.close());
    await page.goto(`${instance.url}/console/sellers/new`);
    const file = page.getByRole('form', { name: 'Import a file of another program' });
    const server = { url: seller.agentUrl, headers: { Authorization: 'Bearer the-common-one' } };
    const text = JSON.stringify({ mcpServers: { filed: server, local: { command: 'npx' } } });
    await file
      .locator('input[type=file]')
      .setInputFiles({ name: 'mcp.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await file.getByRole('button', { name: 'Show what it names' }).click();
    await file.getByText('its checks run').waitFor();
    await file.getByText(/is a program on the machine/).waitFor();
    await looksRight(page, 'import-seller-file');
    await file.getByRole('button', { name: 'Add 1 seller' }).click();
    await page.getByText(/^filed: /).waitFor();
    await bea.page.goto(`${instance.url}/console/sellers/new?draft=filed`);
    await bea.page.getByRole('button', { name: 'Let it go live' }).click();
    await bea.page.getByRole('link', { name: 'Open the seller' }).waitFor();

    await page.goto(`${instance.url}/console/sellers/filed?tab=Accounts`);
    const declare = page.getByRole('form', { name: 'Declare an account' });
    await declare.getByLabel('Domain of the brand').fill('nova.example');
    await declare.getByRole('button', { name: 'Ask what the seller would do' }).click();
    const waiting = page.getByRole('region', { name: 'Accounts to declare' });
    await waiting.getByText('It would answer: created, active').waitFor();
    const login = page.getByRole('form', { name: 'Give a client its own login' });
    await login.getByLabel('Client of the login').selectOption('Nova Foods');
    await login.getByRole('textbox', { name: 'Token' }).fill('a-wrong-one');
    await login.getByRole('button', { name: 'Use this login' }).click();
    await login.getByText(/does not accept this login/).waitFor();
    await login.getByRole('textbox', { name: 'Token' }).fill('the-one-of-nova');
    await login.getByRole('button', { name: 'Use this login' }).click();
    const logins = page.getByRole('region', { name: 'Logins of clients' });
    await logins.getByText('Nova Foods').first().waitFor();
    await looksRight(page, 'seller-logins');
    await bea.page.goto(`${instance.url}/console/sellers/filed?tab=Accounts`);
    await bea.page.getByRole('button', { name: /^Declare it/ }).click();
    await bea.page.getByRole('dialog').getByRole('button', { name: 'Declare it' }).click();
    await bea.page
      .getByRole('region', { name: 'Accounts at the seller' })
      .getByText('acc-opened')
      .first()
      .waitFor();
    await logins.getByRole('button', { name: /^End/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await logins.getByText('Every client uses the common login').waitFor();
  });

  it('withdraws what a right stops before its day, and opens the case again', async () => {
    const { page } = ada;
    await opensACase();
    await openByMenu(page, 'Sellers', 'Cases');
    await looksRight(page, 'cases');
    await page.getByRole('link', { name: 'The right grant-17 was taken back' }).click();
    await page.getByRole('heading', { level: 1, name: 'The right grant-17 was taken back' }).waitFor();
    await looksRight(page, 'case');
    await confirm(page, 'Withdraw now', 'The client wants it off today.');
    await page.getByRole('button', { name: 'done', exact: true }).waitFor();
    await page.getByText('The client wants it off today.').waitFor();
    await confirm(page, 'Open it again', 'A line was missed.');
    await page.getByText('A line was missed.').waitFor();
  });

  it('sends the report to a seller of garbage, finds its draft again and deletes it', async () => {
    const { page } = ada;
    const seller = await plainSeller(() => ({ json: '{"status":"completed","stuff":[1,2,3]}' }));
    closers.push(() => seller.close());
    await find(seller.agentUrl);
    await page.getByRole('button', { name: 'Find its agents' }).click();
    await page.getByLabel('Short name').fill('garbage');
    await page.getByRole('button', { name: 'Check this agent' }).click();
    await page.getByText('It cannot go live yet.').waitFor();
    const report = page.getByRole('region', { name: 'Report to the seller' });
    await report.getByText('Nobody can buy', { exact: true }).waitFor();
    await looksRight(page, 'connect-garbage');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      report.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('What it costs');
    await openByMenu(page, 'Sellers', 'Connect a seller');
    const drafts = page.getByRole('region', { name: 'Sellers being connected' });
    await drafts.getByText('A check failed').waitFor();
    await looksRight(page, 'connect-drafts');
    await confirm(page, 'Discard');
    await drafts.waitFor({ state: 'detached' });
  });

  it('is told what to do for a domain that names nobody', async () => {
    const { page } = ada;
    await find(await publisher({}));
    await page.getByRole('button', { name: 'Find its agents' }).click();
    await page
      .getByRole('region', { name: 'What was read' })
      .getByText(/adagents\.json/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Check this agent' }).count()).toBe(0);
  });

  it('has met no error on the way', () => {
    expect([...ada.complaints, ...bea.complaints]).toEqual([]);
  });
});
