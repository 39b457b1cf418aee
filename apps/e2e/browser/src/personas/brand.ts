import { Buffer } from 'node:buffer';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { openByMenu, openWindow, settled, type Window } from '../harness/browser.js';
import type { SandboxInstance } from '../harness/sandbox-instance.js';
import { confirm } from './acts.js';

const kid = 'bikes-2026';
const lastDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

/**
 * A brand signs in with its token, grants a delegation for itself, sends a request that it signed to the address that the
 * page names, reads its trail and proves its chain. The office grants one for another principal, reads the record of a
 * forwarded request, and verifies the chains.
 */
export async function brand({ page }: Window, instance: SandboxInstance): Promise<void> {
  await delegatesItself(page, instance);
  await openByMenu(page, 'Brand agents');
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
  for (const text of await outcome.getByRole('option').allTextContents()) {
    await outcome.selectOption(text);
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

/** The trail of the sealed request: how its signature was judged, and that its very bytes were passed on. */
async function readsTheTrail(page: Window['page'], bodyHash: string): Promise<void> {
  await openByMenu(page, 'Calls');
  const passed = page.getByRole('region', { name: 'What was passed on' });
  const row = passed.getByRole('row').filter({ hasText: 'Passed on unchanged' });
  await row.getByText('answered', { exact: true }).waitFor();
  await row.getByRole('link').first().click();
  const arrived = page.getByRole('region', { name: 'What arrived, and how it was judged' });
  await arrived.getByText('content digest').first().waitFor();
  for (const stage of ['What arrived, and how it was judged', 'What was passed on'])
    await page.getByRole('region', { name: stage }).getByText(bodyHash).waitFor();
  await page.getByRole('region', { name: 'What the seller answered' }).getByRole('row').first().waitFor();
}

/** The chain is read again by the server, in the browser, and as the file that the brand keeps. */
async function provesTheChain(page: Window['page']): Promise<void> {
  await openByMenu(page, 'Calls');
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('The chain holds').waitFor();
  await page.getByRole('button', { name: 'Verify it in this browser' }).click();
  await page.getByText('The chain of custody is valid').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the chain' }).click(),
  ]);
  const file = readFileSync(await download.path(), 'utf8');
  await page.goto(new URL('/console/verify', page.url()).href);
  const text = page.getByLabel('Or its text');
  const verify = page.getByRole('button', { name: 'Verify', exact: true });
  await text.fill(file);
  await verify.click();
  await page.getByText('The chain of custody is consistent, signer unknown').waitFor();
  await text.fill(file.replace('get_products', 'create_media_buy'));
  await verify.click();
  await page.getByText('The chain of custody is invalid').waitFor();
}

/** Makes the signing key of docs/guides/brand.md, and has the office register it. A private key is refused. */
async function registersKey(office: Window['page']): Promise<KeyObject> {
  const pair = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const privateKey = createPrivateKey(pair.privateKey);
  const mark = { kid, alg: 'EdDSA', use: 'sig', adcp_use: 'request-signing', key_ops: ['verify'] };
  const setOf = (key: KeyObject): string =>
    JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), ...mark }] });
  await openByMenu(office, 'Developers');
  const form = office.getByRole('form', { name: 'Register an agent that signs' });
  await form.getByLabel('Signs as').selectOption('bikes');
  await form.getByLabel('Address of the agent').fill('https://bikes.example/mcp');
  await form.getByLabel('Where its public keys are').selectOption('In a file, or as text');
  const register = form.getByRole('button', { name: 'Register' });
  await form.getByLabel('Or its text').fill(setOf(privateKey));
  await register.click();
  await form.getByText(/^A key set holds public keys alone/).waitFor();
  await form.getByLabel('Or its text').fill(setOf(createPublicKey(pair.publicKey)));
  await register.click();
  await office.getByRole('region', { name: 'Agents that sign' }).getByText(kid).first().waitFor();
  return privateKey;
}

/** One request for products, signed for the seller's own address by RFC 9421. */
function sealed(key: KeyObject, url: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'get_products',
      arguments: { buying_mode: 'brief', brief: 'bikes', brand: { domain: 'bikes.example' } },
    },
  });
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64url')}:`;
  const covered = {
    '@method': 'POST',
    '@target-uri': url,
    '@authority': new URL(url).host,
    'content-type': 'application/json',
    'content-digest': digest,
  };
  const names = Object.keys(covered).map((name) => `"${name}"`);
  const created = Math.floor(Date.now() / 1_000);
  const nonce = randomBytes(16).toString('base64url');
  const params = `(${names.join(' ')});created=${created};expires=${created + 250};nonce="${nonce}";keyid="${kid}";alg="ed25519";tag="adcp/request-signing/v1"`;
  const lines = Object.entries(covered).map(([name, value]) => `"${name}": ${value}`);
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  const signature = sign(null, Buffer.from(base), key).toString('base64url');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'content-digest': digest,
      'signature-input': `sig1=${params}`,
      signature: `sig1=:${signature}:`,
    },
  };
}

async function delegatesItself(office: Window['page'], instance: SandboxInstance): Promise<void> {
  await openByMenu(office, 'People and access');
  const add = office.getByRole('form', { name: 'Add somebody' });
  await add.getByLabel('Name').fill('bikes');
  await add.getByLabel('Kind').selectOption('brand');
  await add.getByLabel('Domain of the brand').fill('bikes.example');
  await add.getByRole('button', { name: 'Add', exact: true }).click();
  const card = office.getByRole('region', { name: 'One person' });
  await card.getByRole('heading', { name: 'bikes' }).waitFor();
  await confirm(office, 'Make a token');
  const token = (await card.getByText(/^sy_/).textContent()) ?? '';
  const key = await registersKey(office);
  const bikes = await openWindow();
  try {
    const { page } = bikes;
    await page.goto(`${instance.url}/console/`);
    await page.getByRole('textbox', { name: 'Password' }).fill(token);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await openByMenu(page, 'What it may do');
    const form = page.getByRole('form', { name: 'Grant a delegation' });
    await form.getByRole('textbox', { name: 'To the seller' }).fill('prompt');
    await form.getByLabel('Tasks').fill('get_products');
    await form.getByRole('textbox', { name: 'Until' }).fill(lastDay);
    await form.getByRole('button', { name: 'Grant', exact: true }).click();
    const addresses = page.getByRole('status', { name: 'Where to send requests to prompt' });
    await addresses.getByText('/relay/prompt/mcp').waitFor();
    const [to = '', signedFor = ''] = await addresses.locator('code').allTextContents();
    const own = page
      .getByRole('region', { name: 'Delegations' })
      .getByRole('row')
      .filter({ hasText: 'bikes' });
    await own.getByText('active').waitFor();
    const { headers, body } = sealed(key, signedFor);
    const answer = await fetch(to, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body,
    });
    expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 });
    await readsTheTrail(page, createHash('sha256').update(body).digest('hex'));
    await provesTheChain(page);
    expect(bikes.complaints).toEqual([]);
  } finally {
    await bikes.close();
  }
}
