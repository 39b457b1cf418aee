/** Signed requests: those that must verify, and those that must be refused, with code and step. */
import { five, nonceOf, now, tags } from './sign-case.mjs';
import { sharedNegatives } from './shared-cases.mjs';

const url = 'https://agent.example/mcp/create_media_buy';
const body = '{"buyer_ref":"spring","packages":[{"package_id":"p1","budget":"1200.50"}]}';
const four = five.slice(0, 4);
const base = { url, body, keyid: 'switchyard-test-ed' };
const either = { covers_content_digest: 'either' };
const at = (address, target, authority) => ({
  ...base,
  url: address,
  target,
  ...(authority ? { authority } : {}),
});
const code = (ending) => `request_signature_${ending}`;

export const requestPositives = [
  ['five components with Ed25519', base],
  ['five components with ECDSA P-256', { ...base, keyid: 'switchyard-test-es' }],
  ['no digest where the policy leaves it open', { ...base, components: four, capability: either }],
  [
    'no digest where the policy forbids it',
    { ...base, components: four, capability: { covers_content_digest: 'forbidden' } },
  ],
  ['no body', { url: 'https://agent.example/mcp', method: 'GET', keyid: 'switchyard-test-ed' }],
  ['a lower-case method', { ...base, method: 'post' }],
  ['a second label beside ours', { ...base, beside: true }],
  ['parameters in another order', { ...base, order: ['tag', 'alg', 'keyid', 'nonce', 'expires', 'created'] }],
  ['components in another order', { ...base, components: [...five].reverse() }],
  ['a further covered header', { ...base, components: [...five, 'x-trace'], headers: { 'X-Trace': 'a, b' } }],
  ['the port of the scheme', at('https://agent.example:443/mcp', 'https://agent.example/mcp')],
  ['another port', at('https://agent.example:8443/mcp', 'https://agent.example:8443/mcp')],
  ['capitals in scheme and host', at('HTTPS://Agent.EXAMPLE/Mcp', 'https://agent.example/Mcp')],
  ['a root dot', at('https://agent.example./mcp', 'https://agent.example/mcp')],
  ['user information', at('https://who@agent.example/mcp', 'https://agent.example/mcp')],
  ['a fragment', at('https://agent.example/mcp#part', 'https://agent.example/mcp')],
  ['no path before a query', at('https://agent.example?a=1', 'https://agent.example/?a=1')],
  ['dot segments', at('https://agent.example/a/./b/../c//../mcp', 'https://agent.example/a/c/mcp')],
  [
    'dots that were escaped',
    at('https://agent.example/a/%2e%2e/mcp', 'https://agent.example/a/../mcp', 'agent.example'),
  ],
  [
    'query bytes as they are',
    at("https://agent.example/mcp?b=2&a='1'+%7e&&c=%2f", "https://agent.example/mcp?b=2&a='1'+%7e&&c=%2f"),
  ],
  ['a question mark alone', at('https://agent.example/mcp?', 'https://agent.example/mcp?')],
  ['escapes in lower case', at('https://agent.example/m%c3%bccp', 'https://agent.example/m%C3%BCcp')],
  ['escapes that need not be', at('https://agent.example/%7emcp%2Dx', 'https://agent.example/~mcp-x')],
  ['an escaped slash', at('https://agent.example/a%2fmcp', 'https://agent.example/a%2Fmcp')],
  ['an IPv6 host', at('https://[2001:DB8::1]/mcp', 'https://[2001:db8::1]/mcp')],
  [
    'an IPv6 host with the port of the scheme',
    at('https://[2001:db8::1]:443/mcp', 'https://[2001:db8::1]/mcp'),
  ],
  ['a Host header that says the same', { ...base, headers: { Host: 'AGENT.example:443' } }],
  ['standard base64 in both tokens', { ...base, encoding: 'base64' }],
  ['one alphabet in the digest and another in the signature', { ...base, digestEncoding: 'base64' }],
  ['the 3.2 profile', { ...base, encoding: 'base64', version: '3.2' }],
  ['the longest window and the latest clock', { ...base, params: { created: now + 60, expires: now + 360 } }],
  ['the earliest end', { ...base, params: { created: now - 360, expires: now - 60 } }],
  [
    'a registered RSA signer',
    { ...base, keyid: 'switchyard-test-rsa', state: { rsa_pss_signers: ['switchyard-test-rsa'] } },
  ],
  [
    'a revocation list within its grace',
    {
      ...base,
      state: {
        revocation_list: {
          updated: '2027-01-15T07:00:00Z',
          next_update: '2027-01-15T07:15:00Z',
          revoked_kids: [],
        },
      },
    },
  ],
];

export const requestNegatives = [
  ...sharedNegatives('request', base),
  [
    'no signature where the operation wants one',
    { ...base, unsigned: true, capability: { required_for: ['create_media_buy'] } },
    code('required'),
    '0',
  ],
  [
    'a Bearer credential beside a signed-only payload',
    {
      ...base,
      unsigned: true,
      headers: { Authorization: 'Bearer somebody' },
      body: '{"push_notification_config":{"url":"https://buyer.example/w","authentication":{"scheme":"x"}}}',
    },
    code('required'),
    '0',
  ],
  [
    'a legacy block inside an account',
    {
      ...base,
      unsigned: true,
      body: '{"accounts":[{"notification_configs":[{"authentication":{"schemes":["Bearer"]}}]}]}',
    },
    code('required'),
    '0',
  ],
  [
    'an unsigned method that must be signed',
    {
      ...base,
      unsigned: true,
      url: 'https://agent.example/mcp',
      body: '{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{}}',
      capability: { protocol_methods_required_for: ['tasks/cancel'] },
    },
    code('required'),
    '0',
  ],
  [
    'a tool call that must be signed',
    {
      ...base,
      unsigned: true,
      url: 'https://agent.example/mcp',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_media_buy","arguments":{}}}',
      capability: { required_for: ['create_media_buy'] },
    },
    code('required'),
    '0',
  ],
  ['the other purpose’s tag', { ...base, params: { tag: tags.webhook } }, code('tag_invalid'), '3'],
  [
    'a digest where the policy forbids it',
    { ...base, capability: { covers_content_digest: 'forbidden' } },
    code('components_unexpected'),
    '6',
  ],
  ['a key for older webhooks', { ...base, keyid: 'switchyard-test-hook' }, code('key_purpose_invalid'), '8'],
  ['base64url in the 3.2 profile', { ...base, version: '3.2' }, code('header_malformed'), '1'],
  [
    'base64url in the digest of the 3.2 profile',
    { ...base, encoding: 'base64', digestEncoding: 'base64url', version: '3.2' },
    code('header_malformed'),
    '1',
  ],
  [
    'no digest in the 3.2 profile',
    { ...base, encoding: 'base64', version: '3.2', components: four, capability: either },
    code('components_incomplete'),
    '6',
  ],
  [
    'RSA of a signer that is not registered with it',
    { ...base, keyid: 'switchyard-test-rsa' },
    code('alg_not_allowed'),
    '4',
  ],
  [
    'an Ed25519 key that is registered for RSA and says so',
    {
      ...base,
      params: { alg: 'rsa-pss-sha512' },
      state: { rsa_pss_signers: ['switchyard-test-ed'] },
    },
    code('key_purpose_invalid'),
    '8',
  ],
  ...[
    'jwks_unavailable',
    'jwks_untrusted',
    'brand_json_url_missing',
    'capabilities_unreachable',
    'brand_json_unreachable',
    'brand_json_malformed',
    'brand_origin_mismatch',
    'agent_not_in_brand_json',
    'brand_json_ambiguous',
    'key_origin_mismatch',
    'key_origin_missing',
  ].map((failure) => [
    `discovery: ${failure}`,
    { ...base, state: { key_discovery_failure: failure } },
    code(failure),
    '7',
  ]),
  [
    'a nonce that came before',
    {
      ...base,
      params: { nonce: nonceOf('seen') },
      state: { replay_cache_entries: [{ keyid: base.keyid, nonce: nonceOf('seen'), ttl_seconds: 300 }] },
    },
    code('replayed'),
    '12-13',
  ],
];
