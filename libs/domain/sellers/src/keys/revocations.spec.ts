import { Buffer } from 'node:buffer';
import { sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { generateSigningKey } from '@switchyard/signing';
import type { JsonObject } from '@switchyard/values';
import { brandUrl, entry, found, jwksUrl, keySet, keyWorld, type Served } from './testkit/key-world.js';
import { memoryTrustDocuments } from './trust-documents.js';

const listUrl = 'https://agents.seller.com/.well-known/governance-revocations.json';
const governanceUrl = 'https://governance.com/jwks.json';
const start = Date.UTC(2026, 10, 21);
const minute = 60_000;
const iso = (at: number): string => new Date(at).toISOString();

interface Signer {
  readonly jwk: JsonObject;
  readonly privateKey: KeyObject;
}

function governanceKey(kid: string, alg: 'EdDSA' | 'ES256', use = 'governance-signing'): Signer {
  const pair = generateSigningKey(kid, alg === 'EdDSA' ? 'ed25519' : 'ecdsa-p256-sha256');
  const jwk = pair.publicKey.export({ format: 'jwk' }) as JsonObject;
  return {
    jwk: { ...jwk, kid, alg, use: 'sig', key_ops: ['verify'], adcp_use: use },
    privateKey: pair.privateKey,
  };
}
const ed = governanceKey('gov', 'EdDSA');
const ec = governanceKey('gov-ec', 'ES256');
const other = governanceKey('gov', 'EdDSA');
const misused = governanceKey('transport', 'EdDSA', 'request-signing');

const payloadOf = (kids: readonly unknown[], updated = start, interval = 10 * minute): JsonObject => ({
  version: 1,
  issuer: 'https://seller.com',
  updated: iso(updated),
  next_update: iso(updated + interval),
  revoked_jtis: [],
  revoked_kids: kids as string[],
});

function signedList(payload: JsonObject, by: Signer = ed, header: object = {}): Served {
  const head = { alg: by.jwk['alg'], kid: by.jwk['kid'], typ: 'adcp-gov-revocation+jws', ...header };
  const [text, guarded] = [payload, head].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const bytes = Buffer.from(`${guarded ?? ''}.${text ?? ''}`);
  const signature =
    by.jwk['alg'] === 'EdDSA'
      ? sign(null, bytes, by.privateKey)
      : sign('sha256', bytes, { key: by.privateKey, dsaEncoding: 'ieee-p1363' });
  const signatures = [{ protected: guarded, signature: signature.toString('base64url') }];
  return { json: { payload: text, signatures } as JsonObject };
}

const governance = {
  type: 'governance',
  url: 'https://governance.com/mcp',
  id: 'gov',
  jwks_uri: governanceUrl,
};
const base = (list: Served | undefined): Record<string, Served> => ({
  [brandUrl]: { json: { agents: [entry, governance] } },
  [jwksUrl]: keySet('k1'),
  [governanceUrl]: { json: { keys: [ed.jwk, ec.jwk, misused.jwk] } },
  ...(list === undefined ? {} : { [listUrl]: list }),
});

describe('a list of revoked keys', () => {
  it.each<[string, Served]>([
    ['an Ed25519 key', signedList(payloadOf(['k1']))],
    ['a P-256 key', signedList(payloadOf(['k1']), ec)],
    ['the other dialect’s type', signedList(payloadOf(['k1']), ed, { typ: 'ads-gov-revocation+jws' })],
    ['nobody, where nothing signed was known', { json: payloadOf(['k1']) }],
  ])('revokes the keys that it names, signed by %s', async (_what, list) => {
    const { status, notices } = keyWorld(base(list));
    expect([
      await status('k1'),
      await status('k2'),
      notices.filter((notice) => notice.startsWith('untrusted')),
    ]).toEqual(['revoked', 'ok', []]);
  });

  it.each<[string, Served]>([
    ['another key of the same name', signedList(payloadOf([]), other)],
    ['a key that is not for governance', signedList(payloadOf([]), misused)],
    ['a header of another type', signedList(payloadOf([]), ed, { typ: 'JWT' })],
    ['no algorithm', signedList(payloadOf([]), ed, { alg: 'none' })],
    ['the other algorithm', signedList(payloadOf([]), ed, { alg: 'ES256' })],
    ['a key of nobody', signedList(payloadOf([]), ed, { kid: 'nobody' })],
    ['a critical extension', signedList(payloadOf([]), ed, { crit: ['x'] })],
    ['an entry that is no text', signedList(payloadOf(['k2', 7]))],
    ['no next update', signedList({ ...payloadOf([]), next_update: 'never' })],
    ['a next update before this one', signedList(payloadOf([], start, -1))],
    ['no signature at all', { json: { payload: 'e30', signatures: [] } }],
  ])('with %s is rejected: its keys are stale, and people are notified', async (_what, list) => {
    const { status, notices } = keyWorld(base(list));
    expect(await status()).toBe('stale');
    expect(notices).toContain(`untrusted ${brandUrl}`);
  });

  it.each<[string, Served | undefined]>([
    ['where there is none', undefined],
    ['where a page for people stands', { text: '<html>' }],
    ['where some other document stands', { json: { hello: 1 } }],
    ['where nobody answers and none was ever known', { failure: 'timeout' }],
  ])('revokes nothing %s', async (_what, list) => {
    expect(await keyWorld(base(list)).status()).toBe('ok');
  });

  it('that is overdue beyond four intervals makes keys stale, until it is renewed', async () => {
    const world = keyWorld(base(signedList(payloadOf(['dead']))));
    expect(await world.status()).toBe('ok');
    world.documents[listUrl] = { failure: 'timeout' };
    world.pass(50 * minute);
    expect(await world.status()).toBe('ok');
    world.pass(1);
    expect(await world.status()).toBe('stale');
    expect(await world.status('dead')).toBe('revoked');
    world.documents[listUrl] = signedList(payloadOf(['dead'], world.time.now));
    world.pass(10 * minute);
    expect(await world.status()).toBe('ok');
  });

  it('is stored over a restart: its removal restores no key', async () => {
    const stored = memoryTrustDocuments();
    const world = keyWorld(base(signedList(payloadOf(['k1']))), stored);
    expect(await world.status()).toBe('revoked');
    world.documents[listUrl] = { status: 404 };
    world.restart();
    expect(await world.status()).toBe('revoked');
    world.pass(50 * minute + 1);
    expect(await world.status('k2')).toBe('stale');
  });

  it('is never replaced by an older one, nor by an unsigned one', async () => {
    for (const next of [signedList(payloadOf([], start - minute)), { json: payloadOf([], start + minute) }]) {
      const world = keyWorld(base(signedList(payloadOf(['k1']))));
      await world.status();
      world.documents[listUrl] = next;
      world.pass(10 * minute);
      expect(await world.status()).toBe('revoked');
      expect(world.notices).toContain(`untrusted ${brandUrl}`);
    }
  });

  it('is requested as often as it changes, at most once a minute and at least twice an hour', async () => {
    for (const [interval, wait] of [
      [1000, minute],
      [10 * minute, 10 * minute],
      [24 * 60 * minute, 30 * minute],
    ] as const) {
      const world = keyWorld(base(signedList(payloadOf([], start, interval))));
      const fetches = () => world.requested.filter((url) => url === listUrl).length;
      await Promise.all(Array.from({ length: 20 }, () => world.status()));
      world.pass(wait - 1);
      await world.status();
      expect(fetches()).toBe(1);
      world.pass(1);
      await world.status();
      expect(fetches()).toBe(2);
    }
  });

  it('does not affect keys that it does not name', async () => {
    expect(await keyWorld(base(signedList(payloadOf(['k2'])))).find()).toBe(found);
  });
});
