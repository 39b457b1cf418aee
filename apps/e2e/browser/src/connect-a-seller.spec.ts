import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthSeller, plainProduct, plainSeller } from '@switchyard/e2e-server';
import { startServer } from '@switchyard/testing';
import type { Locator } from 'playwright-core';
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
  instance = await startSandboxInstance(['--market', 'prompt', '--no-campaign']);
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

async function find(input: string): Promise<void> {
  const { page } = ada;
  await page.goto(`${instance.url}/console/sellers/new`);
  await page.getByLabel(/^Domain of the publisher/).fill(input);
}

describe('an administrator who connects a seller', () => {
  it('needs at most six clicks from a domain to a seller behind OAuth that is live, with the one of a second person', async () => {
    const { page } = ada;
    const accounts = [
      { account_id: 'acc_us', name: 'Northlight US', status: 'active' },
      { account_id: 'acc_uk', name: 'Northlight UK', status: 'active' },
    ];
    const seller = await oauthSeller({ accounts });
    const other = await plainSeller(() => offers);
    closers.push(
      () => seller.close(),
      () => other.close(),
    );
    const domain = await publisher({
      '/.well-known/adagents.json': {
        authorized_agents: [
          { url: seller.agentUrl, authorized_for: 'all', delegation_type: 'direct', exclusive: true },
          { url: other.agentUrl, authorized_for: 'rest', delegation_type: 'ad_network' },
          {
            url: 'https://agent.remnant.example/mcp',
            authorized_for: 'rest',
            effective_until: '2020-01-01T00:00:00Z',
          },
        ],
      },
      '/.well-known/brand.json': { agents: [{ type: 'sales', id: 's', url: seller.agentUrl }] },
    });
    let clicks = 0;
    const click = async (of: Locator): Promise<void> => {
      clicks += 1;
      await of.click();
    };
    await find(domain);
    await looksRight(page, 'connect-domain');
    await click(page.getByRole('button', { name: 'Find its agents' }));
    const agents = page.getByRole('radiogroup', { name: 'Agent' });
    await agents.getByText('the publisher and the operator name it').waitFor();
    expect(await agents.getByRole('radio').first().isChecked()).toBe(true);
    await page
      .getByRole('region', { name: 'Not offered' })
      .getByText('https://agent.remnant.example/mcp')
      .waitFor();
    await looksRight(page, 'connect-agents');
    await click(page.getByRole('button', { name: 'Check this agent' }));
    const { host } = new URL(seller.server.issuer);
    const signIn = page.getByRole('form', { name: 'Sign in' });
    await signIn.waitFor();
    await looksRight(page, 'connect-sign-in');
    await click(signIn.getByRole('button', { name: `Sign in at ${host}` }));
    await page.getByRole('heading', { name: 'Sign in at a seller' }).waitFor();
    await click(page.getByRole('link', { name: `Continue to ${host}` }));
    const account = page.getByRole('region', { name: 'Account' });
    await account.getByRole('button', { name: 'Northlight US' }).waitFor();
    expect(page.url()).toContain('/console/sellers/new?draft=');
    await looksRight(page, 'connect-account');
    await click(account.getByRole('button', { name: 'Northlight US' }));
    const live = page.getByRole('region', { name: 'Go live' });
    await live.getByText(/^You added it/).waitFor();
    expect(await live.getByRole('button', { name: 'Let it go live' }).count()).toBe(0);
    await looksRight(page, 'connect-waits');

    await bea.page.goto(page.url());
    await click(bea.page.getByRole('button', { name: 'Let it go live' }));
    await bea.page.getByRole('link', { name: 'Open the seller' }).waitFor();
    await page.getByRole('link', { name: 'Open the seller' }).waitFor();
    await looksRight(page, 'connect-live');
    await page.getByRole('link', { name: 'Open the seller' }).click();
    await page.getByRole('button', { name: 'live', exact: true }).first().waitFor();
    expect(clicks).toBeLessThanOrEqual(6);
  });

  it('enters a token again after the seller refused it, and the seller is a draft in the meantime', async () => {
    const { page } = ada;
    const seller = await plainSeller(
      (tool) => (tool === 'get_products' ? offers : { json: '{"media_buys":[]}' }),
      {
        takes: () => ['the-right-one'],
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
    await openByMenu(page, 'Sellers');
    expect(await page.getByRole('link', { name: 'by-token', exact: true }).count()).toBe(0);
    await bea.page.goto(`${instance.url}/console/inbox/approvals`);
    await bea.page.getByText('by-token').first().waitFor();
    await confirm(bea.page, 'Approve');
    await page.getByRole('link', { name: 'by-token', exact: true }).waitFor();
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
