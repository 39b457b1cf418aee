/**
 * The key pairs of our own vectors. They are derived from their names, so that making the vectors again changes
 * nothing, and everybody who reads this file can derive them: only for tests.
 */
import { createECDH, createHash, createPrivateKey } from 'node:crypto';

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

/** An RSA key cannot be derived from a name in a few lines, so it is stored here. */
const rsa = {
  kid: 'switchyard-test-rsa',
  kty: 'RSA',
  alg: 'PS512',
  ...common,
  n: 'ikBNNbjm7f0dC1ZDsWC_TTgIpVgTS8RyJ6Lf1TEcq6fm-1fjsL1IbGDmG9TtsKstOt-kp4o1--UCUKbObVQxOopk8YD6yE-uV0zBqV5kvXWRSYRMEJsMJSizNyl2hKZQMU0dRaVuOciWRFl1G_VmNEu9w8qbqmHBlb1ErlGC9eZqpBHS1ryfnJ4_t0UMy2xjf-ohTa-rd9Da_m7CZby8UvaT1hcBBWIEE2Ql410eS1JztmfWTUh2zYlW7QEg7zxcLtChlu0cXQWcOLrL8863-lSiaxDxUh3KL521yT4EZcprNjMrKTQdW4GsdeSlruaddjhMmMPnkqQPFRF3-20tOQ',
  e: 'AQAB',
  _private_d_for_test_only:
    'FQ8sc7WBv9jhlruCPj_NhDa34m_jKJR5Cx6dV_1OL7u4zKqbrW133cJ46t5pgpLgpeoxS7Aa_w7oZl6ybSb5BMDWFY-fI-o3VWcEzQbq8404H2m-qHzlwbdMbWesfRJUft4PSm-jtbufYDP8SdD8y5SKCIwRYEfZ1DRrhN43w7snTMvpLy5ZjgI9IMUP18WafRVT9Kbc9JUZo3vS-r4pJIHa2XwrgapWgjyNJ8OHcGrqD3v7L4WT7KxbVITg6anROLQcBAi7PD2dG3vi4gIVqPjusYz4HEc0fTZO5IqGkNNIDBJfSiKjfAro9Y0iWkFEvbR4_DgokU4R2dmFKJx3sQ',
  _private_primes_for_test_only: {
    p: 'vMGy_f3UUsR43U-7YfVlf9BGpj-EYRSOqQvlLKWIYA0byT3IYU9k0Nj0FU5-MbmDwlEHPguENrBKzduO2SoxDfUjRf8nVpyotQMeuvHUbXzSj7IabKbd3_xmFjjBW5wS6epP9WQUYJEaPRX2jT5aPRDVH4N65s3FVlkKs-OM2j0',
    q: 'u4CWBFY9V1LHbDnI44M86ezudihuy2o04WLLERuLHZvCwRKMtQzzUqcP_mrznP-07zz2Ql0VRdOJkYih6kJfD3za21Hmdg1FnB9Z5YTWebLbcxq5mQYLqL81-rsyzZPX8o4dO3MrPEx733oIaIO9TfwQTc_w8sgIkWY2pHIZmq0',
    dp: 'Uz692ORkCmiZwUjTpB0cuWS6c8FZeZMeY5FabflHDs1ZLsRvpfLkzHKSGv92Cin94OnpXsSnd5MCOo2VD1NbNQOindEsoTcP9Fy-5cWXYP4GwtbSbo6dFZZz02MOa3-Gm-D5iIitr_TudHhGNv6Dv6C3zWEoB7hCSpWUccduLCU',
    dq: 'M55Qrlz3giS91eOKlGe6y0N42nqDFejlKe9CrDEC-WG6GeD7b5RjICvx0T6sVlpm-z2zJc3uX0y_IJuWx6EB_oeG0L4ZTgKVWUegPfl1-gbtNyDyW1g4uXn6aE5EzCeZWaMaFRW9n1oG-BzmV6983A06h9FpKc073ptfC6KFvfk',
    qi: 'WbdWVH32RQX4aOR18lrm6DjT-4x1zpKGBhRUKLac_658jqlPHB0stSJwy5oQIW0wc4cpHznxy1yKfmnFkT97oLifk-QwiOLXt89kFE5OBHvyJFBTSu0W3LU1wUbn3Jr6Y0McIH4c3y2RJfvY2vwhmCjxPpcvDBxxw7mvYyIV51I',
  },
};

export function testKeys() {
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
    rsa,
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
