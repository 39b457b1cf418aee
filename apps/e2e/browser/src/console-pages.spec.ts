import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finance } from './personas/finance.js';
import { admin } from './personas/admin.js';
import { trader } from './personas/trader.js';
import { outage } from './personas/outage.js';
import { hostileNames } from './personas/hostile.js';
import { brand } from './personas/brand.js';
import { roles } from './personas/roles.js';
import { openWindow, settled, signInBy, type Window } from './harness/browser.js';
import { startSandboxInstance, type SandboxInstance } from './harness/sandbox-instance.js';
import { addressesOf } from './harness/registered-pages.js';
import { violationsIn } from './harness/look.js';

/** The addresses of earlier releases. */
const moved: Readonly<Record<string, string>> = {
  '/flights': '/campaigns/calendar',
  '/approvals': '/inbox/approvals',
  '/signals': '/audiences',
  '/plan': '/plans/new',
  '/spend': '/reports',
  '/spend/mb_1': '/reports/entries/mb_1',
  '/statements': '/reports/statements',
  '/statements/verify': '/verify',
  '/aging': '/invoices/age',
  '/onboard': '/sellers/new',
  '/events': '/webhooks',
  '/outgoing': '/webhooks/out',
  '/roles': '/people/roles',
  '/delegations': '/agents',
  '/relay': '/agents/calls',
  '/relay/r_1': '/calls/r_1',
  '/audit': '/system/acts',
  '/keys': '/developers',
};

/** An amount with more digits than its currency has. */
const tooExact = /[\d,]+\.\d{3,}\s(?:USD|EUR)\b/g;

let instance: SandboxInstance;
let operator: Window;

beforeAll(async () => {
  instance = await startSandboxInstance();
  operator = await openWindow();
  await signInBy(operator.page, instance.link());
});
afterAll(async () => {
  await operator.close();
  await instance.stop();
});

describe('the console in a browser', () => {
  it('asks before a one-time link signs a person in, which leaves the address bar and works only once', async () => {
    const link = instance.link();
    const first = await openWindow();
    const second = await openWindow();
    try {
      // Whoever only opens it, as a scanner of messages does, uses nothing up.
      await second.page.goto(link);
      await second.page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor();
      await signInBy(first.page, link);
      expect(first.page.url()).not.toContain('link=');
      await second.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await second.page.getByRole('alert').waitFor();
      expect(await second.page.locator('#main').count()).toBe(0);
    } finally {
      await first.close();
      await second.close();
    }
  });

  it('finance closes a month with its role alone: invoices, differences, checklist, and a statement that is verified', () =>
    finance(operator, instance));

  it('an administrator activates, suspends and resumes a seller, and invites a person who sees what their role allows', () =>
    admin(operator, instance));

  it('reports an unreachable server and an ended session, and shows no page of another person', () =>
    outage(operator, instance));

  it('a trader buys from three sellers over a limit, another person approves, and the buy is paused', () =>
    trader(operator, instance));

  it('a brand enables its own signing, reads the trail of a signed request, and verifies its chain in the browser', () =>
    brand(operator, instance));

  it('requests only what the role of its user allows', () => roles(operator));

  it('shows a hostile seller’s name as text that reverses nothing and fits on a phone', () =>
    hostileNames(operator));

  it.each([
    ['/buys/mb_nobody', 'Buy'],
    ['/sellers/nobody', 'Seller'],
    ['/invoices/00000000-0000-4000-8000-000000000000', 'Invoice'],
    ['/reconcile/00000000-0000-4000-8000-000000000000', 'Difference'],
    ['/calls/00000000-0000-4000-8000-000000000000', 'Trail of one request'],
  ])('gives the page %s a title when its object cannot be read', async (address, title) => {
    const { page } = operator;
    await page.goto(`${instance.url}/console${address}`);
    await page.getByRole('main').getByRole('alert').waitFor();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.title()).toBe(`${title} - Switchyard`);
  });

  it.each(Object.entries(moved))(
    'leads from the old address %s to %s, with what follows it',
    async (old, now) => {
      const { page } = operator;
      await page.goto(`${instance.url}/console${old}?q=kept`);
      await page.waitForURL(`${instance.url}/console${now}?q=kept`);
    },
  );

  it('has no WCAG 2.2 AA violation, no error and no CSP violation on any page, in both themes', async () => {
    const pages = (await addressesOf(instance)).map((address) => `/console${address}`);
    const addresses = [...pages, '/sign-in', await consentAddress()];
    const halves = [0, 1].map((half) => addresses.filter((_address, at) => at % 2 === half));
    expect(await Promise.all(halves.map(faultsIn))).toEqual([[], []]);
  });

  it('logs no error while people work', () => {
    expect(operator.complaints).toEqual([]);
  });
});

/** What axe finds on these pages in both themes, and what the browser complained of. */
async function faultsIn(addresses: readonly string[]): Promise<readonly string[]> {
  const window = await openWindow({ scheme: 'light' });
  const { page } = window;
  const found: string[] = [];
  try {
    await signInBy(page, instance.link());
    for (const address of addresses) {
      await page.goto(`${instance.url}${address}`);
      await settled(page);
      found.push(...(await violationsIn(page)).map((violation) => `${address}, ${violation}`));
      const shown = await page.locator('body').innerText();
      found.push(...[...shown.matchAll(tooExact)].map(([amount]) => `${address} shows ${amount}`));
    }
    return [...found, ...window.complaints];
  } finally {
    await window.close();
  }
}

/** The address at which a program that registered itself asks for access. */
async function consentAddress(): Promise<string> {
  const callback = 'http://127.0.0.1:9/done';
  const registered = await fetch(`${instance.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Desk assistant',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: id } = (await registered.json()) as { readonly client_id: string };
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: callback,
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: `${instance.url}/mcp`,
    scope: 'read write',
  });
  return `/oauth/authorize?${query.toString()}`;
}
