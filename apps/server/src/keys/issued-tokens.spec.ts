import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { err, ok, type Clock } from '@switchyard/values';
import type { Egress } from '@switchyard/sellers';
import { createIssuedTokens } from './issued-tokens.js';
import { readTrustedIssuers, type TrustedIssuer } from './trusted-issuers.js';

const start = Date.UTC(2026, 10, 21, 12);
let at = start;
const clock: Clock = { now: () => at, after: () => () => undefined };
const url = 'https://id.example/jwks.json';

let key: CryptoKey;
let jwk: JWK;
let other: CryptoKey;
let otherJwk: JWK;
let published: readonly JWK[] | undefined;
let fetches = 0;

const egress: Pick<Egress, 'request'> = {
  request: (query) => {
    fetches += 1;
    expect(query.url).toBe(url);
    if (published === undefined) {
      return Promise.resolve(err({ code: 'timeout', message: '', delivered: 'maybe' } as const));
    }
    return Promise.resolve(
      ok({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ keys: published })) }),
    );
  },
};

beforeAll(async () => {
  const [one, two] = await Promise.all([generateKeyPair('EdDSA'), generateKeyPair('ES256')]);
  key = one.privateKey;
  jwk = { ...(await exportJWK(one.publicKey)), kid: 'k1', alg: 'EdDSA' };
  other = two.privateKey;
  otherJwk = { ...(await exportJWK(two.publicKey)), kid: 'k2', alg: 'ES256' };
});

const issuer: TrustedIssuer = {
  issuer: 'https://id.example',
  audience: ['https://switchyard.example'],
  algorithms: ['EdDSA', 'ES256'],
  keys: { kind: 'address', jwksUri: url },
};

const claims = { iss: 'https://id.example', aud: 'https://switchyard.example', sub: 'agent-7' };
const times = { iat: start / 1000, exp: start / 1000 + 300 };
const sign = (
  payload: object,
  signer = key,
  header: { alg: string; kid: string } = { alg: 'EdDSA', kid: 'k1' },
) => new SignJWT({ ...payload }).setProtectedHeader(header).sign(signer);

function tokens(trusted: TrustedIssuer = issuer) {
  at = start;
  fetches = 0;
  published = [jwk];
  return createIssuedTokens([trusted], egress, clock);
}

describe('a token of a trusted issuer', () => {
  it('names its subject', async () => {
    expect(await tokens().verify(await sign({ ...claims, ...times }))).toEqual(
      ok({ issuer: 'https://id.example', subject: 'agent-7' }),
    );
  });

  it.each([
    ['another audience', { ...claims, ...times, aud: 'https://seller.example' }, 'does not hold: aud'],
    ['no audience', { iss: claims.iss, sub: 'agent-7', ...times }, 'does not hold: aud'],
    ['no subject', { iss: claims.iss, aud: claims.aud, ...times }, 'does not hold: sub'],
    ['an empty subject', { ...claims, ...times, sub: '' }, 'names no subject'],
    ['no end', { ...claims, iat: times.iat }, 'does not hold: exp'],
    ['no time of issue', { ...claims, exp: times.exp }, 'does not hold: iat'],
    ['a time of issue to come', { ...claims, ...times, iat: start / 1000 + 61 }, 'is issued in the future'],
    ['an end more than a minute ago', { ...claims, ...times, exp: start / 1000 - 61 }, 'has expired'],
    [
      'another issuer',
      { ...claims, ...times, iss: 'https://evil.example' },
      'is of no issuer that is trusted here',
    ],
  ])('is refused with %s', async (_what, payload, why) => {
    expect(await tokens().verify(await sign(payload))).toEqual(err(why));
  });

  it('may be up to a minute late, because clocks differ', async () => {
    const late = { ...claims, ...times, exp: start / 1000 - 59 };
    expect((await tokens().verify(await sign(late))).ok).toBe(true);
  });

  it('is refused without a signature, with a shared secret, and with an algorithm that is not allowed', async () => {
    const verifier = tokens();
    const bare = new UnsecuredJWT({ ...claims, ...times }).encode();
    expect(await verifier.verify(bare)).toEqual(err('is signed with an algorithm that is not taken here'));
    const secret = await new SignJWT({ ...claims, ...times })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(Buffer.from(JSON.stringify(jwk).padEnd(32)));
    expect(await verifier.verify(secret)).toEqual(err('is signed with an algorithm that is not taken here'));
    const strict = tokens({ ...issuer, algorithms: ['ES256'] });
    expect((await strict.verify(await sign({ ...claims, ...times }))).ok).toBe(false);
  });

  it('is refused if one of its bytes was changed, or another key signed it', async () => {
    const token = await sign({ ...claims, ...times });
    const [header = '', , signature = ''] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, ...times, sub: 'admin' })).toString('base64url');
    const verifier = tokens();
    expect((await verifier.verify(`${header}.${forged}.${signature}`)).ok).toBe(false);
    const stranger = await generateKeyPair('EdDSA');
    expect((await verifier.verify(await sign({ ...claims, ...times }, stranger.privateKey))).ok).toBe(false);
  });

  it('signed with a rotated key is accepted at once, and unknown keys cannot cause endless fetches', async () => {
    const verifier = tokens();
    await verifier.verify(await sign({ ...claims, ...times }));
    published = [jwk, otherJwk];
    at += 31_000;
    const rotated = () => sign({ ...claims, ...times }, other, { alg: 'ES256', kid: 'k2' });
    expect((await verifier.verify(await rotated())).ok).toBe(true);
    const before = fetches;
    for (let turn = 0; turn < 20; turn += 1) {
      await verifier.verify(
        await sign({ ...claims, ...times }, key, { alg: 'EdDSA', kid: `made-up-${turn}` }),
      );
    }
    expect(fetches).toBe(before);
  });

  it('is verified with the last known keys while its issuer is down, and refused with a message without any', async () => {
    const verifier = tokens();
    const token = await sign({ ...claims, ...times });
    await verifier.verify(token);
    published = undefined;
    at += 6 * 60_000;
    const later = await sign({ ...claims, iat: at / 1000, exp: at / 1000 + 60 });
    expect((await verifier.verify(later)).ok).toBe(true);
    const fresh = tokens();
    published = undefined;
    expect(await fresh.verify(token)).toEqual(
      err('cannot be checked now: the keys of its issuer cannot be reached'),
    );
  });
});

describe('the file of trusted issuers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-issuers-'));
  const read = (content: unknown) => {
    const file = join(folder, 'issuers.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readTrustedIssuers({ SWITCHYARD_JWT_ISSUERS_FILE: file });
  };
  const row = { issuer: 'https://id.example', audience: 'https://switchyard.example' };

  it('names an address, or a key set beside it, and allows no shared secrets by default or by option', () => {
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [jwk] }));
    expect(read([{ ...row, jwks_file: 'keys.json' }])).toMatchObject({
      ok: true,
      value: [{ keys: { kind: 'document', jwks: { keys: [{ kid: 'k1' }] } }, audience: [row.audience] }],
    });
    const read2 = read([{ ...row, jwks_uri: url }]);
    expect(read2.ok && read2.value[0]?.algorithms.some((name) => name.startsWith('HS'))).toBe(false);
    expect(read([{ ...row, jwks_uri: url, algorithms: ['HS256'] }]).ok).toBe(false);
    expect(readTrustedIssuers({ SWITCHYARD_JWT_ISSUERS_FILE: undefined })).toEqual(ok([]));
  });

  it.each([
    ['is missing', ''],
    ['is no list', { issuer: 'x' }],
    ['names no keys', [row]],
    ['names keys twice', [{ ...row, jwks_uri: url, jwks_file: 'keys.json' }]],
    [
      'names an issuer twice',
      [
        { ...row, jwks_uri: url },
        { ...row, jwks_uri: url },
      ],
    ],
    ['names a key set that is not there', [{ ...row, jwks_file: 'nothing.json' }]],
  ])('stops the start when it %s', (_what, content) => {
    expect(read(content)).toMatchObject({ ok: false, error: { code: 'settings' } });
  });
});
