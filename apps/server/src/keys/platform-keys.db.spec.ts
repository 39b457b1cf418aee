import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AwsSigner } from '@switchyard/kms';
import {
  defaultRotationTimes,
  memoryReplayStore,
  noRevocations,
  requestProfile,
  verifySignature,
} from '@switchyard/signing';
import { credentialStore, openStore, platformKeyStore } from '@switchyard/store';
import {
  createOrganization,
  createPrincipal,
  memoryKeyManagement,
  openTestStore,
  startKmsDouble,
  testClock,
  type KmsDouble,
} from '@switchyard/testing';
import { must, ok } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { keySet } from './key-set.js';
import { createPlatformKeys, type PlatformKeys } from './platform-keys.js';

let double: KmsDouble;
let service: AwsSigner;
const clock = testClock();

const { store, stop } = await openTestStore(openStore);

beforeAll(async () => {
  double = await startKmsDouble();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  service = new AwsSigner({ endpoint: double.endpoint, region: 'local', credentials, maxAttempts: 1 });
});

afterAll(async () => {
  service.close();
  await double.close();
});
afterAll(stop);

const kmsKeys: string[] = [];

async function world() {
  const { id: organizationId } = await createOrganization(store);
  const principal = await createPrincipal(store, organizationId);
  const vault = createVault({
    kms: memoryKeyManagement(),
    store: credentialStore(store),
    clock,
    newId: () => randomUUID(),
    randomBytes,
  });
  const own = createPlatformKeys({
    store: platformKeyStore(store),
    vault,
    service,
    clock,
    isStopped: () => Promise.resolve(false),
    randomBytes,
    times: defaultRotationTimes,
    kmsKeys,
  });
  return { own, vault, scope: { organizationId }, principalId: principal.id };
}

const names = { requestTag: 'ads/request-signing/v1', webhookTag: '', useMember: 'ads_use' };
const message = {
  method: 'POST',
  url: 'https://seller.example/mcp',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
};

/** The kid that signed, as a stranger finds out who has nothing but our published keys. */
async function signAndVerify({
  own,
  scope,
  principalId,
}: Awaited<ReturnType<typeof world>>): Promise<string> {
  const signer = own.signerFor(scope, principalId, { purpose: 'create_media_buy' });
  const signed = await signer.sign(message, { tag: names.requestTag, coversDigest: true });
  if (!signed.ok) return signed.error.message;
  const keys = await own.published();
  const headers = { ...message.headers, host: 'seller.example', ...signed.value };
  const verdict = await verifySignature(
    { ...message, headers: Object.entries<string>(headers) },
    requestProfile(names),
    {
      keys: {
        resolve: (keyid) => {
          const { publicJwk: jwk } = keys.find((key) => key.publicJwk['kid'] === keyid)!;
          return Promise.resolve(ok({ jwk, agentUrl: 'https://us.example/mcp' }));
        },
      },
      replays: memoryReplayStore(10, () => clock.now()),
      revocations: noRevocations,
    },
    clock.now(),
  );
  return verdict.ok ? verdict.signer.keyid : verdict.code;
}

const states = async (own: PlatformKeys, scope: { organizationId: string }) =>
  Object.fromEntries((await own.list(scope)).map(({ kid, state }) => [kid, state]));

describe('a key of Switchyard', () => {
  it('is created once when it is first needed, and published without its private half', async () => {
    const tenant = await world();
    const [first] = await Promise.all([signAndVerify(tenant), signAndVerify(tenant), signAndVerify(tenant)]);
    expect(await states(tenant.own, tenant.scope)).toEqual({ [first]: 'live' });
    const jwk = (await tenant.own.published()).find(({ publicJwk }) => publicJwk['kid'] === first)?.publicJwk;
    expect(Object.keys(jwk ?? {}).sort()).toEqual(
      ['adcp_use', 'ads_use', 'alg', 'crv', 'key_ops', 'kid', 'kty', 'use', 'x'].sort(),
    );
    const uses = await store.inTenant(tenant.scope, (client) =>
      client.query(`select 1 from credential_use where actor = 'signer'`),
    );
    expect(uses.rowCount).toBe(3);
  });

  it('is published at once by every process: a seller may fetch it for the first signed request', async () => {
    const [here, there] = [await world(), await world()];
    const made = await here.own.ensure(here.scope, here.principalId);
    const kid = made.ok ? made.value.kid : '';
    const kids = async ({ own }: typeof here) =>
      (await own.published()).map(({ publicJwk }) => publicJwk['kid']);
    expect(await kids(here)).toContain(kid);
    expect(await kids(there)).toContain(kid);
  });

  it('is rotated so that verification never fails: publish, wait, switch, retire', async () => {
    const tenant = await world();
    const old = await signAndVerify(tenant);
    const rotated = await tenant.own.rotate(tenant.scope, tenant.principalId);
    const next = rotated.ok ? rotated.value.kid : '';
    expect(await tenant.own.rotate(tenant.scope, tenant.principalId)).toMatchObject({
      error: { code: 'CONFLICT' },
    });
    expect([await tenant.own.advance(tenant.scope), await signAndVerify(tenant)]).toEqual([0, old]);
    clock.advance(defaultRotationTimes.wait);
    expect([await tenant.own.advance(tenant.scope), await signAndVerify(tenant)]).toEqual([2, next]);
    expect(await states(tenant.own, tenant.scope)).toEqual({ [old]: 'retiring', [next]: 'live' });
    clock.advance(defaultRotationTimes.retire);
    expect(await tenant.own.advance(tenant.scope)).toBe(1);
    expect(await states(tenant.own, tenant.scope)).toEqual({ [old]: 'retired', [next]: 'live' });
    expect((await tenant.own.published()).map(({ publicJwk }) => publicJwk['kid'])).not.toContain(old);
    const sealed = await tenant.vault.list(tenant.scope);
    expect(sealed.ok && sealed.value.filter(({ retiredAt }) => retiredAt === undefined)).toHaveLength(1);
  });

  it('signs statements and heads for the organization alone, and stays published after it is retired', async () => {
    const { own, scope } = await world();
    const sign = () =>
      own.signDocument(scope, { purpose: 'statement' }, (kid, alg) => Buffer.from(`${alg} ${kid}`));
    const [made] = await Promise.all([sign(), sign(), sign()]);
    const { publicJwk } = must(made);
    expect([publicJwk['ads_use'], publicJwk['adcp_use']]).toEqual(['proof-signing', 'proof-signing']);
    expect(await own.list(scope)).toMatchObject([
      { kid: publicJwk['kid'], signsProofs: true, state: 'live' },
    ]);
    const next = must(await own.rotate(scope, undefined));
    for (const wait of [defaultRotationTimes.wait, defaultRotationTimes.retire]) {
      clock.advance(wait);
      await own.advance(scope);
    }
    expect(must(await sign()).publicJwk['kid']).toBe(next.kid);
    const sets = async (state: 'current' | 'retired') =>
      keySet(await own.published(), state, false).filter(({ kid }) => kid === publicJwk['kid']);
    expect(await sets('current')).toEqual([]);
    const [retired] = await sets('retired');
    expect(retired).toMatchObject({
      x: publicJwk['x'],
      switchyard: { signs: ['proofs'], former_use: 'proof-signing', retired_at: expect.any(String) },
    });
    expect(Object.keys(retired ?? {})).not.toContain('ads_use');
  });

  it('names its organization in the key set only once the domain is proved', async () => {
    const { own, scope } = await world();
    const { publicJwk } = must(
      await own.signDocument(scope, { purpose: 'statement' }, (kid) => Buffer.from(kid)),
    );
    const ownerIn = async (isLocal = false) =>
      keySet(await own.published(), 'current', isLocal).find(({ kid }) => kid === publicJwk['kid'])?.[
        'switchyard'
      ];
    expect(await ownerIn()).toEqual({ signs: ['proofs'] });
    expect(await ownerIn(true)).toHaveProperty('organization');
    const { rows } = await store.inTenant(scope, (client) =>
      client.query<{ domain: string }>('update organization set domain_proved_at = now() returning domain'),
    );
    expect(await ownerIn()).toEqual({ organization: rows[0]?.domain, signs: ['proofs'] });
  });

  it('may be in a key service, and its signatures verify like any other', async () => {
    const tenant = await world();
    const arn = double.addSigningKey();
    kmsKeys.push(arn);
    const rotated = await tenant.own.rotate(tenant.scope, tenant.principalId, arn);
    expect(rotated).toMatchObject({ value: { custody: { kind: 'kms', keyId: arn } } });
    await tenant.own.advance(tenant.scope);
    expect(rotated.ok && (await signAndVerify(tenant))).toBe(rotated.ok ? rotated.value.kid : '');
    kmsKeys.push(double.keyArn);
    const wrong = await tenant.own.rotate(tenant.scope, tenant.principalId, double.keyArn);
    expect(wrong).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  it('is loaded from a key service only if the instance lists it: nobody can name another organization’s key', async () => {
    const tenant = await world();
    const arn = double.addSigningKey();
    const before = double.calls.length;
    expect(await tenant.own.rotate(tenant.scope, tenant.principalId, arn)).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('SWITCHYARD_KMS_KEY_IDS') },
    });
    expect(double.calls.length).toBe(before);
  });

  it('that a key service has replaced is detected', async () => {
    const tenant = await world();
    const arn = double.addSigningKey();
    kmsKeys.push(arn);
    const rotated = await tenant.own.rotate(tenant.scope, tenant.principalId, arn);
    expect(await tenant.own.mismatches()).toEqual([]);
    double.replaceSigningKey(arn);
    expect(await tenant.own.mismatches()).toEqual([rotated.ok ? rotated.value.kid : '']);
    double.failNext('KMSInternalException', 9);
    expect(await tenant.own.mismatches()).toEqual([]);
  });
});
