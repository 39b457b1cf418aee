import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { generateSigningKey, publicJwk, signRequest, type SigningKey } from '@switchyard/signing';
import { openStore, type Store } from '@switchyard/store';
import { permissionTable } from '@switchyard/tenancy';
import {
  createOrganization,
  createPrincipal,
  createTestDatabase,
  createToken,
  type TestDatabase,
} from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { openSwitchyard, type Switchyard } from './open-switchyard.js';

const issuer = 'https://id.example';
const audience = 'https://switchyard.example';
const folder = mkdtempSync(join(tmpdir(), 'switchyard-shared-'));
let database: TestDatabase;
let store: Store;
let switchyard: Switchyard;
let issuerKey: CryptoKey;

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore(database.appUrl);
  const pair = await generateKeyPair('EdDSA', { extractable: true });
  issuerKey = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'EdDSA' };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [jwk] }));
  writeFileSync(join(folder, 'issuers.json'), JSON.stringify([{ issuer, audience, jwks_file: 'keys.json' }]));
  const opened = must(
    await openSwitchyard({
      dataDir: folder,
      env: {
        DATABASE_URL: database.appUrl,
        DATABASE_OWNER_URL: database.ownerUrl,
        SWITCHYARD_LOG_LEVEL: 'silent',
        SWITCHYARD_JWT_ISSUERS_FILE: join(folder, 'issuers.json'),
        // A test asks until the list of signers was read again.
        SWITCHYARD_RATE_FAILURES: '1000/100000',
      },
      port: 0,
      version: '0.0.0',
      adminSecret: new Secret(Buffer.from('an admin secret of the suite of shared names')),
    }),
  );
  switchyard = opened;
});
afterAll(async () => {
  await switchyard.close();
  await store.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** An organization with one principal that may do everything, and its token. */
async function tenant() {
  const { id } = await createOrganization(store);
  const name = `agent ${randomUUID().slice(0, 8)}`;
  const principal = await createPrincipal(store, id, { name, permissions: permissionTable });
  return { name, token: await createToken(store, principal) };
}
type Tenant = Awaited<ReturnType<typeof tenant>>;

async function register(by: Tenant, what: 'identities' | 'signers', body: object): Promise<number> {
  const answer = await fetch(`${switchyard.url}/v1/principals/${encodeURIComponent(by.name)}/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.status;
}

/** Whose principals are shown to whoever sends this: the name of the one that is there, or the status. */
async function seenBy(headers: Record<string, string>): Promise<string | number> {
  const answer = await fetch(`${switchyard.url}/v1/principals`, { headers });
  if (!answer.ok) return answer.status;
  const { principals } = (await answer.json()) as { principals: { name: string }[] };
  return principals[0]?.name ?? '';
}

function signed(key: SigningKey): Record<string, string> {
  const created = Math.floor(Date.now() / 1000);
  return {
    ...signRequest({
      method: 'GET',
      url: `${switchyard.url}/v1/principals`,
      headers: {},
      body: Buffer.alloc(0),
      keyid: key.kid,
      alg: key.alg,
      privateKey: key.privateKey,
      tag: 'ads/request-signing/v1',
      created,
      expires: created + 300,
      nonce: randomBytes(16).toString('base64url'),
    }),
  };
}

/** The list of signers is read again every few seconds: asks until one that is refused for that is not. */
async function seenOnceListed(key: SigningKey): Promise<string | number> {
  let seen: string | number = 401;
  for (const until = Date.now() + 60_000; seen === 401 && Date.now() < until;)
    seen = await seenBy(signed(key));
  return seen;
}

const signerOf = (key: SigningKey) => ({
  agent_url: 'https://agent.invalid/mcp',
  jwks: { keys: [publicJwk(key, ['ads_use'])] },
});

describe('a name that two organizations have registered', () => {
  const jwt = (subject: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(issuerKey);

  it('of an issuer belongs to the one that presented its token, in any order', async () => {
    const [squatter, owner] = [await tenant(), await tenant()];
    const subject = randomUUID();
    const name = { kind: 'jwt', issuer, subject };
    expect(await register(squatter, 'identities', name)).toBeLessThan(300);
    const other = await register(owner, 'identities', { ...name, proof: await jwt(randomUUID()) });
    expect(other).toBe(400);
    expect(await register(owner, 'identities', { ...name, proof: await jwt(subject) })).toBeLessThan(300);
    expect(await seenBy({ authorization: `Bearer ${await jwt(subject)}` })).toBe(owner.name);
  });

  it('and neither has proved belongs to neither', async () => {
    const [one, two] = [await tenant(), await tenant()];
    const subject = randomUUID();
    for (const each of [one, two])
      expect(await register(each, 'identities', { kind: 'jwt', issuer, subject })).toBeLessThan(300);
    expect(await seenBy({ authorization: `Bearer ${await jwt(subject)}` })).toBe(401);
  });
});

describe('a key that two organizations have registered', () => {
  it('belongs to the one whose token came with a signature by it, in any order', async () => {
    const [squatter, owner] = [await tenant(), await tenant()];
    const key = generateSigningKey(`kid-${randomUUID()}`);
    for (const each of [squatter, owner])
      expect(await register(each, 'signers', signerOf(key))).toBeLessThan(300);
    expect(await seenBy(signed(key))).toBe(401);
    expect(await seenBy({ ...signed(key), authorization: `Bearer ${owner.token}` })).toBe(owner.name);
    expect(await seenOnceListed(key)).toBe(owner.name);
  });

  it('under one kid with different keys is separate for each', async () => {
    const [one, two] = [await tenant(), await tenant()];
    const kid = `kid-${randomUUID()}`;
    const [first, second] = [generateSigningKey(kid), generateSigningKey(kid)];
    expect(await register(one, 'signers', signerOf(first))).toBeLessThan(300);
    expect(await register(two, 'signers', signerOf(second))).toBeLessThan(300);
    expect([await seenOnceListed(first), await seenOnceListed(second)]).toEqual([one.name, two.name]);
    expect(await seenBy(signed(generateSigningKey(kid)))).toBe(401);
  });
});
