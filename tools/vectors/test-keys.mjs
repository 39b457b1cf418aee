/**
 * The key pairs of our own vectors. They are worked out from their names, so that making the vectors again changes
 * nothing, and whoever reads this file has them: good for tests and for nothing else.
 */
import { createECDH, createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';

const seedOf = (kid) => createHash('sha256').update(`switchyard test key ${kid}`).digest();
const common = { use: 'sig', key_ops: ['verify'], ads_use: 'request-signing' };

function ed25519(kid, more = {}) {
  const d = seedOf(kid);
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), d]);
  const { x } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
  const jwk = { kid, kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', ...common, ...more, x };
  return { ...jwk, _private_d_for_test_only: d.toString('base64url') };
}

function p256(kid) {
  const d = seedOf(kid);
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const number = (from) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kid, kty: 'EC', crv: 'P-256', alg: 'ES256', ...common, x: number(1), y: number(33) };
  return { ...jwk, _private_d_for_test_only: d.toString('base64url') };
}

/** An RSA key cannot be worked out from a name in a few lines: the one that stands in the key set is kept. */
function rsa(kid, before) {
  if (before !== undefined) return before;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { n, e, ...rest } = createPrivateKey(privateKey).export({ format: 'jwk' });
  const { d, p, q, dp, dq, qi } = rest;
  const jwk = { kid, kty: 'RSA', alg: 'PS512', ...common, n, e };
  return { ...jwk, _private_d_for_test_only: d, _private_primes_for_test_only: { p, q, dp, dq, qi } };
}

export function testKeys(before = []) {
  const keys = [
    ed25519('switchyard-test-ed'),
    ed25519('switchyard-test-other'),
    ed25519('switchyard-test-revoked'),
    ed25519('switchyard-test-hook', { ads_use: 'webhook-signing' }),
    ed25519('switchyard-test-governance', { ads_use: 'governance-signing' }),
    ed25519('switchyard-test-response', { ads_use: 'response-signing' }),
    ed25519('switchyard-test-no-verify', { key_ops: ['sign'] }),
    ed25519('switchyard-test-adcp-only', { ads_use: undefined, adcp_use: 'request-signing' }),
    p256('switchyard-test-es'),
    rsa(
      'switchyard-test-rsa',
      before.find((key) => key.kid === 'switchyard-test-rsa'),
    ),
  ];
  return JSON.parse(JSON.stringify(keys));
}

export function privateKeyOf(jwk) {
  const {
    kty,
    crv,
    x,
    y,
    n,
    e,
    _private_d_for_test_only: d,
    _private_primes_for_test_only: primes = {},
  } = jwk;
  const key = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, d, ...primes }));
  return createPrivateKey({ format: 'jwk', key });
}
