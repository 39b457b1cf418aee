import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import type { Json } from './harness/buy-request.js';
import { waitUntil } from './harness/wait-until.js';
import { postSealed, seal, type RelayReply } from './relay/brand-agent.js';
import { publishedKeys, type PublishedKeys } from './relay/published-keys.js';
import {
  everyTask,
  sharedRelayStage,
  untilSealed,
  type Brand,
  type RelayStage,
} from './relay/relay-stage.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';

let stage: RelayStage;
let site: PublishedKeys;
let brand: Brand;

const question = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'anything',
  brand: { domain: 'bikes.example' },
};

beforeAll(async () => {
  stage = await sharedRelayStage({ paper: { protocol: 'mcp' } });
  site = await publishedKeys();
  brand = await stage.brand('bikes', ['paper']);
});

afterAll(async () => {
  await stage.close();
  await site.close();
});

const signedBy = async (key: SigningKey, as: Brand = brand) =>
  seal(key, await stage.address('paper', as), 'get_products', question);

const post = async (sealed: Awaited<ReturnType<typeof signedBy>>, as: Brand = brand): Promise<RelayReply> =>
  postSealed(await stage.address('paper', as), as.token, sealed);

const reached = (): number => stage.seller('paper').received.filter(({ isSealed }) => isSealed).length;

function keyFile(name: string, key: SigningKey): string {
  const path = join(stage.folder.path, `${name}.jwks.json`);
  writeFileSync(path, JSON.stringify({ keys: [publicJwk(key, ['ads_use', 'adcp_use'])] }));
  return path;
}

describe('a brand that replaces its key while its requests are in progress', () => {
  const fresh = generateSigningKey('bikes-2027');

  it('is refused with an unregistered key', async () => {
    expect(await post(await signedBy(fresh))).toMatchObject({
      status: 401,
      code: 'request_signature_key_unknown',
    });
    expect(reached()).toBe(0);
  });

  it('has the new key accepted with its first request, and the old one beside it', async () => {
    await stage.cli(
      ...['signers', 'add', 'bikes', '--jwks', keyFile('fresh', fresh)],
      ...['--agent-url', 'https://bikes.example/agent'],
    );
    expect((await post(await signedBy(fresh))).status).toBe(200);
    expect((await post(await signedBy(brand.key))).status).toBe(200);
  });

  it('has the old key refused once it is removed, and requests in progress continue', async () => {
    const early = await signedBy(brand.key);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    stage.seller('paper').says('create_media_buy', async (args) => {
      await held;
      return madeBuy('sb_under_way', args);
    });
    const before = reached();
    const underWay = stage.relay(brand, 'paper', 'create_media_buy', sealedBuy());
    await waitUntil('the seller has it', () => (reached() > before ? true : undefined));

    const signers = await stage.cli<readonly Json[]>('signers', 'list');
    const old = signers.find(({ kids }) => JSON.stringify(kids) === JSON.stringify([brand.key.kid]));
    await stage.cli('signers', 'remove', String(old?.['signer_id']));

    // Signed while the key was valid, and sent after it was removed.
    const refused = await post(early);
    expect(refused).toMatchObject({ status: 401, code: 'request_signature_key_unknown' });
    expect(refused.headers.get('www-authenticate')).toBe('Signature error="request_signature_key_unknown"');
    expect(reached()).toBe(before + 1);
    expect((await post(await signedBy(fresh))).status).toBe(200);

    answer();
    const done = await underWay;
    expect(done).toMatchObject({ status: 200 });
    expect(done.text).toContain('sb_under_way');
    await untilSealed(stage, [refused.record, done.record]);
    const shown = async (id: string) => (await stage.cli<{ record: Json }>('custody', 'show', id)).record;
    expect(await shown(refused.record)).toMatchObject({
      outcome: 'refused',
      code: 'request_signature_key_unknown',
      arrived: { signatureInput: expect.stringContaining(`keyid="${brand.key.kid}"`) },
    });
    expect(await shown(done.record)).toMatchObject({
      outcome: 'answered',
      arrived: { keyid: brand.key.kid },
    });
  });
});

describe('a brand whose keys are published at its own address', () => {
  const [old, fresh] = [generateSigningKey('cars-2026'), generateSigningKey('cars-2027')];
  let cars: Brand;

  it('is authenticated by its published keys', async () => {
    site.publish(old);
    const added = await stage.cli<{ principal_id: string; token: string }>(
      ...['principals', 'add', 'cars', '--kind', 'brand', '--jwks', site.jwksUri],
      ...['--agent-url', site.agentUrl],
    );
    cars = { id: added.principal_id, token: added.token, key: old };
    await stage.cli(
      ...['delegations', 'grant', '--principal', cars.id, '--seller', 'paper', '--tasks', everyTask],
      ...['--until', '2100-01-01', '--evidence', 'their letter'],
    );
    expect((await post(await signedBy(old, cars), cars)).status).toBe(200);
  });

  it('has its next key accepted without a registration, and the old one while it is published', async () => {
    expect(await post(await signedBy(fresh, cars), cars)).toMatchObject({
      code: 'request_signature_key_unknown',
    });
    site.publish(old, fresh);
    // An unknown key refetches a key set only after a pause, so the new key is found a moment later.
    await waitUntil('the new key is found', async () =>
      (await post(await signedBy(fresh, cars), cars)).status === 200 ? true : undefined,
    );
    expect((await post(await signedBy(old, cars), cars)).status).toBe(200);
  });

  it('is never authenticated by another brand’s key, with any token', async () => {
    const stolen = await signedBy(fresh, cars);
    const elsewhere = await stage.brand('boats', ['paper']);
    expect(await post(stolen, elsewhere)).toMatchObject({ code: 'request_signature_key_unknown' });
  });

  it('has a key refused that its list revokes, from the next reading of that list on', async () => {
    const early = await signedBy(fresh, cars);
    site.revoke(fresh.kid);
    let last = 0;
    const refused = await waitUntil('the list is read again', async () => {
      // One request each second: the list is fetched again with the first request after its minute.
      if (Date.now() - last < 1_000) return undefined;
      last = Date.now();
      const reply = await post(await signedBy(fresh, cars), cars);
      return reply.status === 200 ? undefined : reply;
    });
    const revoked = { status: 401, code: 'request_signature_key_revoked' };
    expect(refused).toMatchObject(revoked);
    const before = reached();
    // All signatures by the revoked key are refused, old and new; those by the other key are accepted.
    expect(await post(early, cars)).toMatchObject(revoked);
    expect(await post(await signedBy(fresh, cars), cars)).toMatchObject(revoked);
    expect(reached()).toBe(before);
    expect((await post(await signedBy(old, cars), cars)).status).toBe(200);
    expect(reached()).toBe(before + 1);
    await untilSealed(stage, [refused.record]);
    const shown = await stage.cli<{ record: Json }>('custody', 'show', refused.record);
    expect(shown.record).toMatchObject({
      outcome: 'refused',
      code: 'request_signature_key_revoked',
      arrived: {
        signatureInput: expect.stringContaining(`keyid="${fresh.kid}"`),
        steps: expect.arrayContaining([expect.objectContaining({ ok: false, seen: 'listed' })]),
      },
    });
  });
});
