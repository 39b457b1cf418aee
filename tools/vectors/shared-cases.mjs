/** Faults common to requests and webhooks: the same shapes, each with its own code. */
import { five, nonceOf, now } from './sign-case.mjs';

export function sharedNegatives(kind, base) {
  const signature = (ending) => `${kind}_signature_${ending}`;
  const plain = (ending) => `${kind}_${ending}`;
  const malformed = [signature('header_malformed'), '1'];
  const params = (changes) => ({ ...base, params: changes });
  const without = (name) => ({
    ...base,
    order: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'].filter((one) => one !== name),
  });
  const covering = (...components) => ({ ...base, components });
  const zeros = 'A'.repeat(86);
  const jwk = (change) => ({ ...base, jwk: change });
  const address = (url) => ({ ...base, url, target: base.url });
  return [
    ['Signature without Signature-Input', { ...base, drop: ['Signature-Input'] }, ...malformed],
    ['Signature-Input without Signature', { ...base, drop: ['Signature'] }, ...malformed],
    [
      'text that is no dictionary',
      { ...base, replace: { 'Signature-Input': 'not a signature' } },
      ...malformed,
    ],
    ['the label twice in one line', { ...base, double: 'Signature-Input' }, ...malformed],
    ['the label on two lines', { ...base, twoLines: 'Signature-Input' }, ...malformed],
    ['another label alone', { ...base, relabel: 'sig2' }, ...malformed],
    ['a value without quotes', { ...base, unquote: 'alg' }, ...malformed],
    ['created as text', params({ created: String(now) }), ...malformed],
    ['a parameter twice', { ...base, doubleParam: 'tag' }, ...malformed],
    ['a component twice', covering('@method', ...five), ...malformed],
    [
      'two content types',
      { ...base, headers: { 'Content-Type': 'application/json, text/plain' } },
      ...malformed,
    ],
    ['two digests', { ...base, secondDigest: true }, ...malformed],
    ['a digest by another hash', { ...base, replace: { 'Content-Digest': 'sha-512=:AAAA:' } }, ...malformed],
    ['mixed alphabets in the signature', { ...base, signature: `-+${'A'.repeat(84)}` }, ...malformed],
    ['left-over bits in the signature', { ...base, signature: `${'A'.repeat(85)}B` }, ...malformed],
    ['a host that is not ASCII', address('https://bücher.example/mcp'), ...malformed],
    ...['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'].map((name) => [
      `no ${name}`,
      without(name),
      signature('params_incomplete'),
      '2',
    ]),
    ['a nonce of fifteen bytes', params({ nonce: 'A'.repeat(20) }), signature('params_incomplete'), '2'],
    ['a nonce with padding', params({ nonce: `${'A'.repeat(22)}==` }), signature('params_incomplete'), '2'],
    [
      'a nonce in the standard alphabet',
      params({ nonce: `${'A'.repeat(21)}+/` }),
      signature('params_incomplete'),
      '2',
    ],
    ['the other dialect’s tag', params({ tag: `adcp/${kind}-signing/v1` }), signature('tag_invalid'), '3'],
    ['a tag in capitals', params({ tag: `ADS/${kind}-signing/v1` }), signature('tag_invalid'), '3'],
    ['an algorithm by its key’s name', params({ alg: 'EdDSA' }), signature('alg_not_allowed'), '4'],
    ['an algorithm with a shared secret', params({ alg: 'hmac-sha256' }), signature('alg_not_allowed'), '4'],
    [
      'an end that is past',
      params({ created: now - 361, expires: now - 61 }),
      signature('window_invalid'),
      '5',
    ],
    [
      'a beginning too far ahead',
      params({ created: now + 61, expires: now + 300 }),
      signature('window_invalid'),
      '5',
    ],
    ['a window too long', params({ expires: now + 301 }), signature('window_invalid'), '5'],
    ['an end at the beginning', params({ expires: now }), signature('window_invalid'), '5'],
    [
      'no target',
      covering(...five.filter((name) => name !== '@target-uri')),
      signature('components_incomplete'),
      '6',
    ],
    [
      'no authority',
      covering(...five.filter((name) => name !== '@authority')),
      signature('components_incomplete'),
      '6',
    ],
    [
      'no content type',
      covering(...five.filter((name) => name !== 'content-type')),
      signature('components_incomplete'),
      '6',
    ],
    ['no digest', covering(...five.slice(0, 4)), signature('components_incomplete'), '6'],
    [
      'a covered header that is not there',
      covering(...five, 'x-absent'),
      signature('components_incomplete'),
      '6',
    ],
    [
      'a part of the target that is none of ours',
      covering(...five, '@query'),
      signature('components_unexpected'),
      '6',
    ],
    ['an unknown key', { ...base, jwksRef: ['switchyard-test-other'] }, signature('key_unknown'), '7'],
    [
      'a governance key',
      { ...base, keyid: 'switchyard-test-governance' },
      signature('key_purpose_invalid'),
      '8',
    ],
    [
      'a key for responses',
      { ...base, keyid: 'switchyard-test-response' },
      signature('key_purpose_invalid'),
      '8',
    ],
    [
      'a key that may not verify',
      { ...base, keyid: 'switchyard-test-no-verify' },
      signature('key_purpose_invalid'),
      '8',
    ],
    [
      'a key of the other dialect',
      { ...base, keyid: 'switchyard-test-adcp-only' },
      signature('key_purpose_invalid'),
      '8',
    ],
    [
      'a key with several purposes',
      jwk({ ads_use: ['request-signing'] }),
      signature('key_purpose_invalid'),
      '8',
    ],
    ['a key without alg', jwk({ alg: undefined }), signature('key_purpose_invalid'), '8'],
    ['a key for encryption', jwk({ use: 'enc' }), signature('key_purpose_invalid'), '8'],
    [
      'a key on another curve than its alg',
      jwk({ kty: 'EC', crv: 'P-256' }),
      signature('key_purpose_invalid'),
      '8',
    ],
    [
      'a revoked key, before any cryptography',
      {
        ...base,
        keyid: 'switchyard-test-revoked',
        signature: zeros,
        state: {
          revocation_list: {
            updated: '2027-01-15T07:55:00Z',
            next_update: '2027-01-15T08:10:00Z',
            revoked_kids: ['switchyard-test-revoked'],
          },
        },
      },
      signature('key_revoked'),
      '9',
    ],
    [
      'a revocation list past its grace',
      {
        ...base,
        state: {
          revocation_list: {
            updated: '2027-01-14T07:00:00Z',
            next_update: '2027-01-14T07:15:00Z',
            revoked_kids: [],
          },
        },
      },
      signature('revocation_stale'),
      '9',
    ],
    [
      'a signer at its cap, before any cryptography',
      {
        ...base,
        signature: zeros,
        state: { replay_cache_per_keyid_cap_hit: { keyid: base.keyid } },
      },
      signature('rate_abuse'),
      '9a',
    ],
    [
      'a Host of somebody else',
      { ...base, headers: { Host: 'other.example' } },
      plain('target_uri_malformed'),
      '10',
    ],
    [
      'two hosts',
      { ...base, headers: { Host: ['agent.example', 'other.example'] } },
      plain('target_uri_malformed'),
      '10',
    ],
    [
      'user information in Host',
      { ...base, headers: { Host: 'a@agent.example' } },
      plain('target_uri_malformed'),
      '10',
    ],
    [
      'an :authority of somebody else',
      { ...base, headers: { ':authority': 'other.example' } },
      plain('target_uri_malformed'),
      '10',
    ],
    [
      'a broken escape in the path',
      address('https://agent.example/%zz'),
      plain('target_uri_malformed'),
      '10',
    ],
    ['a backslash in the path', address('https://agent.example/a\\b'), plain('target_uri_malformed'), '10'],
    ['a port out of range', address('https://agent.example:65536/mcp'), plain('target_uri_malformed'), '10'],
    ['a zone in an IPv6 host', address('https://[fe80::1%25eth0]/mcp'), plain('target_uri_malformed'), '10'],
    [
      'an empty label in the host',
      address('https://agent..example/mcp'),
      plain('target_uri_malformed'),
      '10',
    ],
    ['no host', address('https:///mcp'), plain('target_uri_malformed'), '10'],
    [
      'a signature by another key',
      { ...base, signerid: 'switchyard-test-other' },
      signature('invalid'),
      '10',
    ],
    ['a signature of nothing', { ...base, signature: zeros }, signature('invalid'), '10'],
    ['a signature of sixty-three bytes', { ...base, signature: 'A'.repeat(84) }, signature('invalid'), '10'],
    [
      'an ECDSA signature in DER',
      { ...base, keyid: 'switchyard-test-es', signature: Buffer.alloc(70, 1).toString('base64url') },
      signature('invalid'),
      '10',
    ],
    ['another path', address('https://agent.example/elsewhere'), signature('invalid'), '10'],
    ['another scheme', address(base.url.replace('https', 'http')), signature('invalid'), '10'],
    ['another method', { ...base, sentMethod: 'PUT' }, signature('invalid'), '10'],
    [
      'a body and a digest that were both rewritten',
      { ...base, rewritten: '{"other":true}' },
      signature('invalid'),
      '10',
    ],
    ['another body', { ...base, sentBody: '{"other":true}' }, signature('digest_mismatch'), '11'],
    [
      'a body that was printed again',
      { ...base, sentBody: base.body.replace(':', ': ') },
      signature('digest_mismatch'),
      '11',
    ],
    [
      'a nonce seen before',
      {
        ...params({ nonce: nonceOf('again') }),
        state: { replay_cache_entries: [{ keyid: base.keyid, nonce: nonceOf('again'), ttl_seconds: 300 }] },
      },
      signature('replayed'),
      '12-13',
    ],
    ['a key twice in the body', { ...base, body: '{"a":1,"a":2}' }, plain('body_malformed'), '14'],
    [
      'a key twice, once escaped, deep down',
      { ...base, body: '{"x":[{"b":1,"\\u0062":2}]}' },
      plain('body_malformed'),
      '14',
    ],
    ['a body cut short', { ...base, body: '{"a":' }, plain('body_malformed'), '14'],
    ['something after the body', { ...base, body: '{} {}' }, plain('body_malformed'), '14'],
    ['two byte order marks', { ...base, body: '\ufeff\ufeff{}' }, plain('body_malformed'), '14'],
  ];
}
