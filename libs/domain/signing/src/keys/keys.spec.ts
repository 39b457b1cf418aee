import { Buffer } from 'node:buffer';
import { sign as signBuffer, verify as verifyBuffer } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import { signBytes } from '../algorithm.js';
import { generateSigningKey, publicJwk } from '../jwk.js';
import { memoryReplayStore } from '../memory-ports.js';
import { noRevocations } from '../ports.js';
import { requestProfile } from '../profile.js';
import { verifySignature } from '../verify/verify.js';
import { type PlatformKey, type PlatformKeyState, openPrivateHalf, privateHalf } from './platform-key.js';
import { p1363OfDer } from './p1363-of-der.js';
import { peekSignature } from './peek-signature.js';
import { defaultRotationTimes, planRotation } from './plan-rotation.js';
import { signMessage, type KeyInUse, type SigningTerms } from './sign-message.js';

const names = {
  requestTag: 'ads/request-signing/v1',
  webhookTag: 'ads/webhook-signing/v1',
  useMember: 'ads_use',
};
const minute = 60_000;

function ownKey(kid: string, state: PlatformKeyState, more: Partial<PlatformKey> = {}): PlatformKey {
  return {
    kid,
    state,
    organizationId: 'o',
    principalId: 'p',
    signsProofs: false,
    alg: 'ed25519',
    custody: { kind: 'vault', credentialId: 'c' },
    publicJwk: {},
    createdAt: 0,
    ...more,
  };
}

describe('a rotation', () => {
  const moves = (keys: readonly PlatformKey[], at: number): string[] =>
    planRotation(keys, defaultRotationTimes, at).map(({ kid, from, to }) => `${kid}: ${from} to ${to}`);

  it('publishes for 30 minutes before it switches, and steps the old key down first', () => {
    const keys = [ownKey('old', 'live'), ownKey('new', 'published')];
    expect(moves(keys, 30 * minute - 1)).toEqual([]);
    expect(moves(keys, 30 * minute)).toEqual(['old: live to retiring', 'new: published to live']);
  });

  it('retires a key once nothing that it signed can be valid any more', () => {
    const keys = [ownKey('old', 'retiring', { retiringAt: 0 }), ownKey('new', 'live')];
    expect(moves(keys, 6 * minute - 1)).toEqual([]);
    expect(moves(keys, 6 * minute)).toEqual(['old: retiring to retired']);
  });

  it('does not wait if no key is live, and does nothing if nothing is due', () => {
    expect(moves([ownKey('new', 'published')], 0)).toEqual(['new: published to live']);
    expect(moves([ownKey('gone', 'retired'), ownKey('now', 'live')], 1e12)).toEqual([]);
  });
});

describe('a private half', () => {
  it('belongs to its public key, and is never printed', () => {
    const key = generateSigningKey('k1');
    const secret = privateHalf(key.privateKey);
    const bytes = Buffer.from('message');
    const signature = signBytes('ed25519', bytes, openPrivateHalf(secret));
    expect(verifyBuffer(null, bytes, key.publicKey, signature)).toBe(true);
    expect(`${JSON.stringify({ secret })} ${String(secret)}`).toBe('{"secret":"[secret]"} [secret]');
  });
});

describe('an ECDSA signature in DER', () => {
  it('is converted to r and s side by side, a thousand times, short numbers included', () => {
    const { privateKey, publicKey } = generateSigningKey('k', 'ecdsa-p256-sha256');
    const lengths = new Set<number>();
    for (let round = 0; round < 1000; round += 1) {
      const bytes = Buffer.from(`message ${round}`);
      const der = signBuffer('sha256', bytes, privateKey);
      lengths.add(der.length);
      const flat = p1363OfDer(der);
      expect(flat).toHaveLength(64);
      const verified = verifyBuffer(
        'sha256',
        bytes,
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        flat ?? der,
      );
      expect(verified).toBe(true);
    }
    expect(lengths.size).toBeGreaterThan(2);
  });

  it.each([
    ['nothing', ''],
    ['another structure', '310602010102010100'],
    ['a wrong length', '300702010102010100'],
    ['something behind it', '30060201010201010000'],
    ['a negative number', '3006020181020101'],
    ['a number padded without need', '300702020001020101'],
    ['a number of more than 256 bits', `3026022101${'00'.repeat(32)}020101`],
    ['an empty number', '30050200020101'],
    ['one number only', '3003020101'],
  ])('is refused for %s', (_what, hex) => {
    expect(p1363OfDer(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});

describe('a signed message', () => {
  const at = 1_776_520_800_000;
  const url = 'https://seller.example/mcp?b=2&a=1';
  const body = Buffer.from('{"jsonrpc":"2.0"}');
  const message = { method: 'post', url, headers: { 'content-type': 'application/json' }, body };
  const terms: SigningTerms = {
    tag: names.requestTag,
    created: at / 1000,
    validity: 300,
    nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
    coversDigest: true,
  };

  function inUse(alg: 'ed25519' | 'ecdsa-p256-sha256'): { key: KeyInUse; jwk: JsonObject } {
    const made = generateSigningKey('k1', alg);
    const sign = (bytes: Buffer) => Promise.resolve(ok(signBytes(alg, bytes, made.privateKey)));
    return { key: { keyid: 'k1', alg, sign }, jwk: publicJwk(made, ['ads_use']) };
  }

  const judge = async (
    jwk: JsonObject,
    headers: object,
    digest: 'required' | 'forbidden',
    sent: typeof message = message,
  ): Promise<string> => {
    const all = { ...sent.headers, host: 'seller.example', ...headers };
    const verdict = await verifySignature(
      { method: 'POST', url: sent.url, headers: Object.entries<string>(all), body: sent.body },
      requestProfile(names, digest),
      {
        keys: { resolve: () => Promise.resolve(ok({ jwk, agentUrl: 'https://us.example/mcp' })) },
        replays: memoryReplayStore(10, () => at),
        revocations: noRevocations,
      },
      at,
    );
    return verdict.ok ? 'verified' : verdict.code;
  };

  it.each(['ed25519', 'ecdsa-p256-sha256'] as const)('verifies with its digest, by %s', async (alg) => {
    const { key, jwk } = inUse(alg);
    const signed = await signMessage(message, key, terms);
    expect(signed.ok && (await judge(jwk, signed.value, 'required'))).toBe('verified');
    const other = { ...message, body: Buffer.from('{"jsonrpc":"2.1"}') };
    expect(signed.ok && (await judge(jwk, signed.value, 'required', other))).toBe(
      'request_signature_digest_mismatch',
    );
  });

  it('omits the digest if the receiver forbids it', async () => {
    const { key, jwk } = inUse('ed25519');
    const signed = must(await signMessage(message, key, { ...terms, coversDigest: false }));
    expect(Object.keys(signed)).toEqual(['Signature-Input', 'Signature']);
    expect(await judge(jwk, signed, 'forbidden')).toBe('verified');
  });

  it('reports an unavailable key, and throws for what cannot be sent', async () => {
    const { key } = inUse('ed25519');
    const failure = { code: 'key_unavailable', message: 'no' } as const;
    const failed = await signMessage(message, { ...key, sign: () => Promise.resolve(err(failure)) }, terms);
    expect(failed).toEqual({ ok: false, error: failure });
    await expect(signMessage({ ...message, headers: {} }, key, terms)).rejects.toThrow('Content-Type');
    await expect(signMessage({ ...message, url: 'nowhere' }, key, terms)).rejects.toThrow('URL');
    await expect(signMessage(message, key, { ...terms, nonce: 'a"b' })).rejects.toThrow('character');
    await expect(signMessage(message, key, { ...terms, created: 0.5 })).rejects.toThrow('whole');
  });

  it('names its key before anything is verified', async () => {
    const { key } = inUse('ed25519');
    const signed = await signMessage(message, key, terms);
    const headers = signed.ok ? Object.entries<string>({ ...signed.value }) : [];
    expect(peekSignature(headers)).toEqual({ keyid: 'k1', tag: names.requestTag });
    expect(peekSignature([['Signature-Input', 'sig1=("@method");created=1;keyid=k1']])).toBeUndefined();
    expect(peekSignature([['Signature-Input', 'sig2=();keyid="k2"']])).toBeUndefined();
    expect(peekSignature([])).toBeUndefined();
  });
});
