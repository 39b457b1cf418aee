import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicJwk } from '@switchyard/signing';
import type { Json } from './harness/buy-request.js';
import { jsonOf } from './harness/run-switchyard.js';
import { callTask } from './harness/call-task.js';
import { waitUntil } from './harness/wait-until.js';
import { postSealed, seal } from './relay/brand-agent.js';
import {
  everyTask,
  relayStage,
  sharedRelayStage,
  untilSealed,
  type Brand,
  type RelayStage,
} from './relay/relay-stage.js';
import { sealedBuy } from './relay/seller-answer.js';
import { sealedSeller, type SealedSeller } from './relay/sealed-seller.js';

/** The brand's own relay, and the next one, which is the only one that knows the seller. */
let near: RelayStage;
let far: RelayStage;
let brand: Brand;
/** The near relay as a principal of the far one, with a token and the brand's keys. */
let relayAtFar: { readonly principal_id: string; readonly token: string };
let paper: SealedSeller;

beforeAll(async () => {
  [near, far] = await Promise.all([sharedRelayStage({}), relayStage({ paper: { protocol: 'mcp' } })]);
  paper = far.seller('paper');
  brand = await near.brand('bikes', []);
  const jwks = join(far.folder.path, 'bikes.jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [publicJwk(brand.key, ['ads_use', 'adcp_use'])] }));
  relayAtFar = await jsonOf([
    'principals',
    'add',
    'bikes-by-near',
    '--kind',
    'brand',
    '--jwks',
    jwks,
    '--dialect',
    'adcp',
    '--data',
    far.folder.path,
  ]);
});

afterAll(async () => {
  await near.close();
  await far.close();
});

/** Adds a URL of the far relay as a seller of the near one, with the near relay's token there. */
async function next(slug: string, path: string): Promise<void> {
  const row = {
    slug,
    agent_url: `${far.instance().url}${path}`,
    token: relayAtFar.token,
    protocol: 'mcp',
    dialect: 'adcp',
  };
  await jsonOf(['sellers', 'import', '-', '--data', near.folder.path], JSON.stringify([row]));
  await near.cli(
    ...['delegations', 'grant', '--principal', brand.id, '--seller', slug, '--tasks', everyTask],
    ...['--until', '2100-01-01', '--evidence', 'their letter'],
  );
}

const recordsAt = (stage: RelayStage): Promise<readonly Json[]> =>
  stage.cli<readonly Json[]>('custody', 'list');

describe('a relay behind a relay', () => {
  it('accepts what the brand signed for that relay’s own endpoint, sealed until then, and signs again from there', async () => {
    await next('far', '/mcp');
    const to = await near.address('far', brand);
    expect(to.seller_mcp_url).toBe(`${far.instance().url}/mcp`);
    const requested = await callTask(
      'REST',
      { url: far.instance().url, token: relayAtFar.token },
      'get_products',
      {
        adcp_version: '3.1',
        buying_mode: 'brief',
        brief: 'anything',
        brand: { domain: 'bikes.example' },
      },
    );
    expect(requested.errors).toEqual([]);
    const buy = sealedBuy({
      packages: [{ product_id: 'paper:p1', pricing_option_id: 'cpm', budget: 1000 }],
    });
    const sealed = seal(brand.key, to, 'create_media_buy', buy);
    const reply = await postSealed(to, brand.token, sealed);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(reply.text).toContain('media_buy_id');

    // The near relay forwarded bytes; the far one read them, and signs for the seller.
    await untilSealed(near, [reply.record]);
    expect(await recordsAt(near)).toMatchObject([
      { record_id: reply.record, way: 'sealed', outcome: 'answered' },
    ]);
    const [theirs] = await waitUntil('the far relay has its record', async () => {
      const all = await recordsAt(far);
      return all.some(({ in_chain: isInChain }) => isInChain === true) ? all : undefined;
    });
    expect(theirs).toMatchObject({ way: 'resigned', principal_id: relayAtFar.principal_id });
    const received = paper.received.filter(({ tool }) => tool === 'create_media_buy');
    expect(received).toHaveLength(1);
    const [call] = received;
    expect(call?.headers['authorization']).toBe(`Bearer ${paper.token}`);
    // Nothing of the first hop is forwarded: no signature and no credential.
    expect(JSON.stringify([call?.headers, call?.args])).not.toContain(brand.key.kid);
    for (const secret of [brand.token, relayAtFar.token])
      expect(JSON.stringify([call?.headers, call?.body.toString()])).not.toContain(secret);
    // Each chain verifies by itself.
    for (const stage of [near, far])
      expect(await stage.cli('custody', 'verify')).toMatchObject({ ok: true, records: 1 });
  });

  it('cannot forward a signature for the last seller through two hops: the first one refuses it, and sends nothing', async () => {
    await next('beyond', '/relay/paper/mcp').catch(() => undefined);
    const before = paper.received.length;
    const forSeller = { seller_mcp_url: paper.agentUrl, seller_a2a_url: null };
    const sealed = seal(brand.key, forSeller, 'create_media_buy', sealedBuy());
    const url = `${near.instance().url}/relay/far/mcp`;
    const reply = await postSealed({ relay_mcp_url: url, relay_a2a_url: null }, brand.token, sealed);
    expect(reply).toMatchObject({ status: 401, code: 'request_signature_invalid' });
    // A relay's URL is not an agent: it answers no requests of its own, so no connection to it goes live.
    const through = `${near.instance().url}/relay/beyond/mcp`;
    const other = await postSealed({ relay_mcp_url: through, relay_a2a_url: null }, brand.token, sealed);
    expect(other.status).toBeGreaterThanOrEqual(400);
    expect(['RELAY_SELLER_NOT_FOUND', 'RELAY_SELLER_NOT_LIVE']).toContain(other.code);
    expect(paper.received).toHaveLength(before);
    await untilSealed(near, [reply.record, other.record]);
    // The far relay's other records are refusals of the near one's probe of a URL that is no agent.
    const passed = (await recordsAt(far)).filter(({ outcome }) => outcome !== 'refused');
    expect(passed).toHaveLength(1);
  });

  it('can be bypassed: the brand posts to the last relay what it signed for the last seller', async () => {
    await jsonOf([
      ...['delegations', 'grant', '--principal', relayAtFar.principal_id, '--seller', 'paper'],
      ...[
        '--tasks',
        everyTask,
        '--until',
        '2100-01-01',
        '--evidence',
        'their letter',
        '--data',
        far.folder.path,
      ],
    ]);
    const direct: Brand = { id: relayAtFar.principal_id, token: relayAtFar.token, key: brand.key };
    const reply = await far.relay(direct, 'paper', 'create_media_buy', sealedBuy());
    expect(reply).toMatchObject({ status: 200 });
    expect(paper.received.at(-1)).toMatchObject({ isSealed: true });
  });
});

describe('a seller that requires the signature of the relay as well', () => {
  let strict: SealedSeller;
  let words: Brand;

  beforeAll(async () => {
    strict = await sealedSeller({ protocol: 'mcp' });
    const { agentUrl, token } = strict;
    await far.onboard('strict', strict, { relay_signature: true });
    expect(await far.cli<readonly Json[]>('sellers', 'list')).toContainEqual(
      expect.objectContaining({ slug: 'strict', relay_signature: true, agent_url: agentUrl }),
    );
    expect(token).not.toBe('');
    words = await far.brand('boats', ['strict']);
  });

  it('accepts no sealed request: the refusal has its own code that names the other way, and is recorded', async () => {
    const before = strict.received.length;
    const reply = await far.relay(words, 'strict', 'create_media_buy', sealedBuy());
    expect(reply).toMatchObject({ status: 409, code: 'RELAY_SELLER_WANTS_OUR_SIGNATURE' });
    expect(reply.text).toMatch(/signed again/);
    expect(strict.received).toHaveLength(before);
    await untilSealed(far, [reply.record]);
    const [record] = await far.cli<readonly Json[]>('custody', 'list', '--principal', words.id);
    expect(record).toMatchObject({ outcome: 'refused', code: 'RELAY_SELLER_WANTS_OUR_SIGNATURE' });
  });

  it('gets what it requires on the other way: one signature, by Switchyard', async () => {
    const to = { url: far.instance().url, token: words.token };
    const requested = {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'anything',
      brand: { domain: 'bikes.example' },
    };
    expect((await callTask('REST', to, 'get_products', requested)).errors).toEqual([]);
    const packages = [{ product_id: 'strict:p1', pricing_option_id: 'cpm', budget: 1000 }];
    const made = await callTask('REST', to, 'create_media_buy', sealedBuy({ packages }));
    expect(made.errors).toEqual([]);
    const call = strict.received.findLast(({ tool }) => tool === 'create_media_buy');
    const input = String(call?.headers['signature-input']);
    expect(input.match(/sig\d*=/g)).toHaveLength(1);
    expect(input).not.toContain(words.key.kid);
    const [key] = (await far.cli<readonly Json[]>('keys', 'list')).filter(
      ({ principal }) => principal === 'boats',
    );
    expect(input).toContain(`keyid="${String(key?.['kid'])}"`);
  });
});
