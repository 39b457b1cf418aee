import { Buffer } from 'node:buffer';
import { constants, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonObject } from '@switchyard/values';
import { generateSigningKey, publicJwk, type SigningKey } from './jwk.js';
import { memoryReplayStore } from './memory-ports.js';
import { noRevocations } from './ports.js';
import { requestProfile, webhookProfile, type SigningProfile } from './profile.js';
import { signRequest, type RequestToSign } from './sign.js';
import { verifySignature } from './verify/verify.js';

const names = {
  requestTag: 'ads/request-signing/v1',
  webhookTag: 'ads/webhook-signing/v1',
  useMember: 'ads_use',
};
const now = 1_800_000_000;
const rsa = generateSigningKey('brand-rsa', 'rsa-pss-sha512');
const ed = generateSigningKey('brand-ed');

interface Given {
  readonly key?: SigningKey;
  readonly profile?: SigningProfile;
  readonly registered?: readonly string[];
  readonly jwk?: JsonObject;
  readonly sign?: Partial<RequestToSign>;
  readonly header?: (name: string, value: string) => string;
}

async function outcomeOf(given: Given): Promise<string> {
  const { key = rsa, profile = requestProfile(names), registered = ['brand-rsa'] } = given;
  const request: RequestToSign = {
    method: 'POST',
    url: 'https://agent.example/mcp',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from('{"a":1}'),
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: profile.tag,
    created: now,
    expires: now + 300,
    nonce: 'A'.repeat(22),
    ...given.sign,
  };
  const headers = Object.entries({ ...request.headers, ...signRequest(request) }).map(
    ([name, value]) => [name, given.header?.(name, value) ?? value] as const,
  );
  const published = given.jwk ?? publicJwk(key, ['ads_use']);
  const verdict = await verifySignature(
    { method: request.method, url: request.url, headers, body: request.body },
    profile,
    {
      keys: {
        resolve: (keyid) =>
          Promise.resolve(
            keyid === key.kid
              ? ok({ jwk: published, agentUrl: 'https://brand.example/' })
              : err('key_unknown'),
          ),
        allowsRsaPss: (keyid) => registered.includes(keyid),
      },
      replays: memoryReplayStore(10, () => now * 1000),
      revocations: noRevocations,
    },
    now * 1000,
  );
  return verdict.ok ? `verified by ${verdict.alg}` : verdict.code;
}

describe('rsa-pss-sha512', () => {
  it('verifies for a request signer that is registered with it', async () => {
    expect(await outcomeOf({})).toBe('verified by rsa-pss-sha512');
  });

  it('is refused for everybody else before a key lookup', async () => {
    expect(await outcomeOf({ registered: [] })).toBe('request_signature_alg_not_allowed');
    expect(await outcomeOf({ registered: ['somebody'] })).toBe('request_signature_alg_not_allowed');
  });

  it('is never accepted for webhooks, registered or not', async () => {
    expect(await outcomeOf({ profile: webhookProfile(names) })).toBe('webhook_signature_alg_not_allowed');
  });

  it('does not affect other algorithms of the same signer', async () => {
    expect(await outcomeOf({ key: ed, registered: ['brand-ed'] })).toBe('verified by ed25519');
  });

  it('publishes two numbers and no private one', () => {
    const jwk = publicJwk(rsa, ['ads_use']);
    expect(Object.keys(jwk).sort()).toEqual(['ads_use', 'alg', 'e', 'key_ops', 'kid', 'kty', 'n', 'use']);
    expect(jwk).toMatchObject({ kty: 'RSA', alg: 'PS512' });
  });

  it.each<[string, JsonObject]>([
    ['another alg of the same kind of key', { alg: 'PS256' }],
    ['the older padding', { alg: 'RS512' }],
    ['absent alg', { alg: null }],
    ['a curve', { crv: 'P-256' }],
    ['no modulus', { n: null }],
    ['an even exponent', { e: 'Ag' }],
    ['an exponent of three', { e: 'Aw' }],
  ])('refuses a key with %s', async (_what, change) => {
    const jwk = { ...publicJwk(rsa, ['ads_use']), ...change };
    expect(await outcomeOf({ jwk })).toBe('request_signature_key_purpose_invalid');
  });

  it('refuses a modulus that is too small', async () => {
    const pem = generateKeyPairSync('rsa', {
      modulusLength: 1536,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const small = {
      kid: 'brand-rsa',
      alg: 'rsa-pss-sha512',
      privateKey: createPrivateKey(pem.privateKey),
      publicKey: createPublicKey(pem.publicKey),
    } as const;
    expect(await outcomeOf({ key: small, jwk: publicJwk(small, ['ads_use']) })).toBe(
      'request_signature_key_purpose_invalid',
    );
  });

  it.each([
    ['PKCS #1 v1.5', { padding: constants.RSA_PKCS1_PADDING }, 'sha512'],
    ['a shorter salt', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, 'sha512'],
    ['another hash', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, 'sha256'],
  ])('refuses a signature with %s', async (_what, options, hash) => {
    let digest = '';
    const params = '("@method" "@target-uri" "@authority" "content-type" "content-digest")';
    const header = (name: string, value: string): string => {
      if (name === 'Content-Digest') digest = value;
      if (name !== 'Signature') return value;
      const text =
        `"@method": POST\n"@target-uri": https://agent.example/mcp\n"@authority": agent.example\n` +
        `"content-type": application/json\n"content-digest": ${digest}\n"@signature-params": ${params};created=${now}` +
        `;expires=${now + 300};nonce="${'A'.repeat(22)}";keyid="brand-rsa";alg="rsa-pss-sha512";tag="${names.requestTag}"`;
      const right = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
      const made = (how: object, algorithm: string): string =>
        `sig1=:${sign(algorithm, Buffer.from(text), { key: rsa.privateKey, ...how }).toString('base64url')}:`;
      return isRight ? made(right, 'sha512') : made(options, hash);
    };
    let isRight = true;
    expect(await outcomeOf({ header })).toBe('verified by rsa-pss-sha512');
    isRight = false;
    expect(await outcomeOf({ header })).toBe('request_signature_invalid');
  });
});

describe('the spelling of binary values', () => {
  const strict = requestProfile(names, 'required', 'standard');
  const malformed = 'request_signature_header_malformed';
  const verified = 'verified by ed25519';
  const base = { key: ed } as const;

  it('is standard base64 with padding in the 3.2 request profile, and nothing else', async () => {
    expect(await outcomeOf({ ...base, profile: strict, sign: { encoding: 'base64' } })).toBe(verified);
    expect(await outcomeOf({ ...base, profile: strict })).toBe(malformed);
    const unpadded = (_name: string, value: string): string => value.replace(/=+:$/, ':');
    expect(
      await outcomeOf({ ...base, profile: strict, sign: { encoding: 'base64' }, header: unpadded }),
    ).toBe(malformed);
  });

  it('is checked token by token: one in the wrong alphabet is refused', async () => {
    for (const wrong of ['Signature', 'Content-Digest']) {
      const header = (name: string, value: string): string =>
        name === wrong ? value.replaceAll('+', '-').replaceAll('/', '_').replace(/=+:$/, ':') : value;
      expect(await outcomeOf({ ...base, profile: strict, sign: { encoding: 'base64' }, header })).toBe(
        malformed,
      );
    }
  });

  it('may be either in 3.1 and in webhooks, separately for each token', async () => {
    for (const profile of [requestProfile(names), webhookProfile(names)]) {
      for (const encoding of ['base64', 'base64url'] as const) {
        expect(await outcomeOf({ ...base, profile, sign: { encoding } })).toBe(verified);
      }
      const header = (name: string, value: string): string =>
        name === 'Signature' ? value.replaceAll('+', '-').replaceAll('/', '_').replace(/=+:$/, ':') : value;
      expect(await outcomeOf({ ...base, profile, sign: { encoding: 'base64' }, header })).toBe(verified);
    }
  });

  it('is never a mix of both within one token', async () => {
    const header = (name: string, value: string): string =>
      name === 'Signature' ? `sig1=:+-${'A'.repeat(84)}:` : value;
    for (const profile of [strict, requestProfile(names)]) {
      expect(await outcomeOf({ ...base, profile, sign: { encoding: 'base64' }, header })).toBe(malformed);
    }
  });
});
