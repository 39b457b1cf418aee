/**
 * A signer without our library: it writes the base that a case defines, so that our verifier's result is an independent
 * check.
 */
import { constants, createHash, sign } from 'node:crypto';
import { privateKeyOf } from './test-keys.mjs';

export const now = 1_800_000_000;
export const tags = { request: 'ads/request-signing/v1', webhook: 'ads/webhook-signing/v1' };
export const five = ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'];
export const nonceOf = (text) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

const hashes = { ed25519: null, 'ecdsa-p256-sha256': 'sha256', 'rsa-pss-sha512': 'sha512' };
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };

/**
 * `given`: kind, key (JWK with its private half), method, url, target and authority (as they must be signed), headers,
 * body, components, params (in wire order), encoding.
 */
export function signedRequest(given) {
  const { kind, key, url, body, encoding = 'base64url', digestEncoding = encoding } = given;
  const method = given.method ?? 'POST';
  const alg = given.alg ?? { EdDSA: 'ed25519', ES256: 'ecdsa-p256-sha256', PS512: 'rsa-pss-sha512' }[key.alg];
  const digest = createHash('sha256')
    .update(given.digestOf ?? body ?? '')
    .digest(digestEncoding);
  const components = given.components ?? (body === undefined ? five.slice(0, 3) : five);
  const fields = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(components.includes('content-digest') ? { 'Content-Digest': `sha-256=:${digest}:` } : {}),
    ...given.headers,
  };
  const values = {
    '@method': method.toUpperCase(),
    '@target-uri': given.target ?? url,
    '@authority': given.authority ?? new URL(given.target ?? url).host,
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const params = given.params ?? {};
  const all = {
    created: now,
    expires: now + 300,
    nonce: nonceOf(`${kind} ${url} ${body}`),
    keyid: key.kid,
    alg,
    tag: tags[kind],
    ...params,
  };
  const order = given.order ?? Object.keys(all);
  const list = components.map((name) => (name.startsWith('"') ? name : `"${name}"`)).join(' ');
  const text = (value) => (typeof value === 'string' ? `"${value}"` : value);
  const input = `(${list})${order.map((name) => `;${name}=${text(all[name])}`).join('')}`;
  const lines = components.map((name) => `"${name}": ${values[name] ?? ''}`);
  const base = Buffer.from([...lines, `"@signature-params": ${input}`].join('\n'));
  const signature = given.signature ?? signatureOf(alg, base, given.signer ?? key, encoding);
  const signed = { 'Signature-Input': `sig1=${input}`, Signature: `sig1=:${signature}:` };
  return { method, url, headers: { ...fields, ...signed }, ...(body === undefined ? {} : { body }) };
}

function signatureOf(alg, base, jwk, encoding) {
  const how = alg === 'rsa-pss-sha512' ? pss : { dsaEncoding: 'ieee-p1363' };
  const key = privateKeyOf(jwk);
  return sign(hashes[alg], base, alg === 'ed25519' ? key : { key, ...how }).toString(encoding);
}
