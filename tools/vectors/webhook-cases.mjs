/** Webhooks, signed and in the older modes. */
import { createHmac } from 'node:crypto';
import { five, now } from './sign-case.mjs';
import { sharedNegatives } from './shared-cases.mjs';

const url = 'https://buyer.example/webhooks/r1';
const body =
  '{"idempotency_key":"whk_0000000000000001","operation_id":"op_1","task_id":"t_1","status":"completed"}';
const base = { url, body, keyid: 'switchyard-test-ed' };
const code = (ending) => `webhook_signature_${ending}`;

export const webhookPositives = [
  ['five components with Ed25519', base],
  ['five components with ECDSA P-256', { ...base, keyid: 'switchyard-test-es' }],
  ['a key of the older webhook purpose', { ...base, keyid: 'switchyard-test-hook' }],
  ['a digest in standard base64', { ...base, digestEncoding: 'base64' }],
  [
    'a content type with a character set',
    { ...base, headers: { 'Content-Type': 'application/json; charset=utf-8' } },
  ],
  ['a second label beside ours', { ...base, beside: true }],
  ['a query in the address', { ...base, url: `${url}?tenant=a%2Fb&x=` }],
  ['the port of the scheme', { ...base, url: 'https://buyer.example:443/webhooks/r1', target: url }],
  [
    'a body without a key for duplicates, which is no matter of signatures',
    { ...base, body: '{"status":"completed"}' },
  ],
  ['letters beyond ASCII', { ...base, body: '{"name":"Käse \u{1F9C0}"}' }],
  [
    'a credential of a gateway beside the signature',
    { ...base, headers: { Authorization: 'Bearer gateway' } },
  ],
];

const unsigned = { ...base, unsigned: true };
const mismatch = ['webhook_mode_mismatch', '0'];

export const webhookNegatives = [
  ...sharedNegatives('webhook', base),
  ['no method', { ...base, components: five.slice(1) }, code('components_incomplete'), '6'],
  ['no proof at all', unsigned, code('header_malformed'), '1'],
  [
    'RSA, registered or not',
    { ...base, keyid: 'switchyard-test-rsa', state: { rsa_pss_signers: ['switchyard-test-rsa'] } },
    code('alg_not_allowed'),
    '4',
  ],
  ['the request tag', { ...base, params: { tag: 'ads/request-signing/v1' } }, code('tag_invalid'), '3'],
  [
    'a signer whose cap is filled',
    { ...base, state: { per_keyid_cap_filled_for: base.keyid } },
    code('rate_abuse'),
    '9a',
  ],
  ['a key revoked by name', { ...base, state: { revoked_kids: [base.keyid] } }, code('key_revoked'), '9'],
  [
    'a revocation list that is out of date',
    { ...base, state: { revocation_list_stale_seconds: 4000 } },
    code('revocation_stale'),
    '9',
  ],
  [
    'keys by name, and none of that name',
    { ...base, jwksByName: true, jwk: { kid: 'switchyard-test-renamed' } },
    code('key_unknown'),
    '7',
  ],
  [
    'an older proof at a signed address',
    { ...unsigned, headers: { 'X-ADS-Timestamp': String(now), 'X-ADS-Signature': 'sha256=00' } },
    ...mismatch,
  ],
  [
    'an older proof of the other dialect',
    { ...unsigned, headers: { 'X-ADCP-Timestamp': String(now), 'X-ADCP-Signature': 'sha256=00' } },
    ...mismatch,
  ],
  [
    'a Bearer credential at a signed address',
    { ...unsigned, headers: { Authorization: 'Bearer somebody' } },
    ...mismatch,
  ],
  [
    'a signature at an HMAC address',
    { ...base, registration: { mode: 'hmac-sha256', secret: 'nWq7-vT2k_pX9c4LzR8mYb3JdH6sGf1A' } },
    ...mismatch,
  ],
  [
    'a signature at a Bearer address',
    { ...base, registration: { mode: 'bearer', secret: 'nWq7-vT2k_pX9c4LzR8mYb3JdH6sGf1A' } },
    ...mismatch,
  ],
  ...['jwks_unavailable', 'brand_json_unreachable', 'capabilities_unreachable'].map((failure) => [
    `discovery, to be tried again: ${failure}`,
    { ...base, state: { key_discovery_failure: failure } },
    'keys_unavailable',
    '7',
  ]),
  ...[
    'jwks_untrusted',
    'brand_json_url_missing',
    'brand_json_malformed',
    'brand_origin_mismatch',
    'agent_not_in_brand_json',
    'brand_json_ambiguous',
    'key_origin_mismatch',
    'key_origin_missing',
  ].map((failure) => [
    `discovery: ${failure}`,
    { ...base, state: { key_discovery_failure: failure } },
    code('key_unknown'),
    '7',
  ]),
];

const secret = 'nWq7-vT2k_pX9c4LzR8mYb3JdH6sGf1A';
const registration = { mode: 'hmac-sha256', secret };
const hmacOf = (timestamp, text, key = secret) =>
  `sha256=${createHmac('sha256', key).update(`${timestamp}.${text}`).digest('hex')}`;
const hmac = (timestamp = String(now), text = body, more = {}) => ({
  url,
  body: text,
  unsigned: true,
  registration,
  headers: { 'X-ADS-Timestamp': timestamp, 'X-ADS-Signature': hmacOf(timestamp, text) },
  ...more,
});
const headers = (change) => ({ ...hmac(), headers: { ...hmac().headers, ...change } });
const bearer = (authorization, more = {}) => ({
  url,
  body,
  unsigned: true,
  registration: { mode: 'bearer', secret, ...more },
  headers: { Authorization: authorization },
});

export const legacyPositives = [
  ['HMAC over timestamp and body', hmac()],
  ['HMAC over letters beyond ASCII', hmac(undefined, '{"name":"Käse \u{1F9C0}"}')],
  ['HMAC over an empty object', hmac(undefined, '{}')],
  ['HMAC over an empty body', hmac(undefined, '')],
  ['HMAC over spaces as they were sent', hmac(undefined, '{ "a" : 1 }\n')],
  ['HMAC over escapes as they were sent', hmac(undefined, '{"a":"\\u00e4\\/"}')],
  ['HMAC over numbers as they were sent', hmac(undefined, '{"a":1.10,"b":1e3}')],
  ['HMAC with the oldest timestamp', hmac(String(now - 300))],
  ['HMAC with the latest timestamp', hmac(String(now + 300))],
  [
    'HMAC headers in lower case',
    { ...hmac(), headers: { 'x-ads-timestamp': String(now), 'x-ads-signature': hmacOf(String(now), body) } },
  ],
  ['a signature inside the body, ignored', hmac(undefined, '{"signature":"sha256=00"}')],
  ['Bearer', bearer(`Bearer ${secret}`)],
  ['Bearer in lower case', bearer(`bearer ${secret}`)],
];

const wrong = ['proof_invalid', '5'];
const digits = ['timestamp_malformed', '3'];
const outside = ['timestamp_out_of_window', '4'];
const once = ['header_malformed', '2'];

export const legacyNegatives = [
  ['no timestamp', { ...hmac(), drop: ['X-ADS-Timestamp'] }, ...once],
  ['no signature', { ...hmac(), drop: ['X-ADS-Signature'] }, ...once],
  ['no proof at all', { ...hmac(), drop: ['X-ADS-Timestamp', 'X-ADS-Signature'] }, ...once],
  [
    'two signatures',
    headers({ 'X-ADS-Signature': [hmacOf(String(now), body), hmacOf(String(now), body)] }),
    ...once,
  ],
  ['two timestamps', headers({ 'X-ADS-Timestamp': [String(now), String(now)] }), ...once],
  ['letters after the digits', hmac(`${now}abc`), ...digits],
  ['a sign before the digits', hmac(`-${now}`), ...digits],
  ['an exponent', hmac('1.8e9'), ...digits],
  ['no digits', hmac(''), ...digits],
  ['milliseconds', hmac(String(now * 1000)), ...outside],
  ['a second too old', hmac(String(now - 301)), ...outside],
  ['a second too new', hmac(String(now + 301)), ...outside],
  ['capitals', headers({ 'X-ADS-Signature': hmacOf(String(now), body).toUpperCase() }), ...wrong],
  ['no prefix', headers({ 'X-ADS-Signature': hmacOf(String(now), body).slice(7) }), ...wrong],
  ['a digit less', headers({ 'X-ADS-Signature': hmacOf(String(now), body).slice(0, -1) }), ...wrong],
  ['another secret', headers({ 'X-ADS-Signature': hmacOf(String(now), body, `${secret}x`) }), ...wrong],
  [
    'another timestamp than the one that was signed',
    headers({ 'X-ADS-Signature': hmacOf(String(now - 1), body) }),
    ...wrong,
  ],
  ['another body', { ...hmac(), sentBody: '{}' }, ...wrong],
  ['a body that was printed again', { ...hmac(), sentBody: body.replaceAll(':', ': ') }, ...wrong],
  [
    'the body alone signed',
    headers({ 'X-ADS-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }),
    ...wrong,
  ],
  [
    'the other dialect’s headers',
    {
      ...hmac(),
      headers: { 'X-ADCP-Timestamp': String(now), 'X-ADCP-Signature': hmacOf(String(now), body) },
    },
    ...once,
  ],
  [
    'a Bearer credential at an HMAC address',
    { ...hmac(), headers: { Authorization: `Bearer ${secret}` } },
    ...mismatch,
  ],
  [
    'no secret of our own',
    { ...hmac(), registration: { mode: 'hmac-sha256', secret: '' } },
    'secret_unusable',
    '1',
  ],
  ['a key twice in an authentic body', hmac(undefined, '{"a":1,"a":2}'), 'webhook_body_malformed', '6'],
  [
    'a key twice, once escaped, deep down',
    hmac(undefined, '{"x":[{"b":1,"\\u0062":2}]}'),
    'webhook_body_malformed',
    '6',
  ],
  ['another credential', bearer(`Bearer ${secret}x`), ...wrong],
  ['Basic instead of Bearer', bearer(`Basic ${secret}`), ...wrong],
  ['no credential', { ...bearer(''), drop: ['Authorization'] }, ...once],
  ['an HMAC at a Bearer address', { ...hmac(), registration: { mode: 'bearer', secret } }, ...mismatch],
  [
    'Bearer on a callback that changes something',
    bearer(`Bearer ${secret}`, { is_mutating: true }),
    'bearer_refused',
    '1',
  ],
];
