import { describe, expect, it } from '@jest/globals';
import { dialects, type Dialect } from '@switchyard/protocol';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  publicJwk,
  signRequest,
  verifySignature,
} from '@switchyard/signing';
import { ok, type JsonValue } from '@switchyard/values';
import { readSealedPost, type SealedPost, type SealedTarget, type VerifySealed } from './read-sealed-post.js';

const key = generateSigningKey('brand-2026');
const jwk = publicJwk(key, ['ads_use', 'adcp_use']);
const now = 1_800_000_000;
const target: SealedTarget = {
  url: 'https://Seller.example:443/a/../mcp?x=1',
  protocol: 'mcp',
  dialect: 'ads',
};

const call = (args: JsonValue, name = 'get_products'): JsonValue => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

interface Wanted {
  readonly url?: string;
  readonly dialect?: Dialect;
  readonly extra?: [string, string][];
}

let nonces = 0;

function sealed(
  body: JsonValue | string,
  { url = target.url, dialect = 'ads', extra = [] }: Wanted = {},
): SealedPost {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const signature = signRequest({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json' },
    body: bytes,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: dialects[dialect].requestTag,
    created: now,
    expires: now + 60,
    nonce: Buffer.alloc(16, ++nonces).toString('base64url'),
  });
  const headers: [string, string][] = [
    ['Host', 'relay.example'],
    ['Authorization', 'Bearer of-the-brand'],
    ['Content-Type', 'application/json'],
    ...Object.entries(signature),
    ...extra,
  ];
  return { headers, body: bytes };
}

function verifier(): VerifySealed {
  const replays = memoryReplayStore(100, () => now * 1000);
  const keys = { resolve: () => Promise.resolve(ok({ jwk, agentUrl: 'https://brand.example/agent' })) };
  return (message, profile) =>
    verifySignature(message, profile, { keys, replays, revocations: noRevocations }, now * 1000);
}

async function codeOf(post: SealedPost, verify = verifier(), at = target) {
  const read = await readSealedPost(post, at, verify);
  return read.ok ? read.value.call.spec.name : read.error.code;
}

describe('readSealedPost', () => {
  it('verifies for the address of the seller, with any host of the relay', async () => {
    const read = await readSealedPost(sealed(call({ brief: 'x' })), target, verifier());
    expect(read).toMatchObject({
      ok: true,
      value: {
        call: { taskName: 'get_products', args: { brief: 'x' } },
        verdict: { signer: { keyid: 'brand-2026', agentUrl: 'https://brand.example/agent' } },
        headers: { leftBehind: ['authorization', 'host'] },
      },
    });
  });

  it('refuses what was signed for the relay itself, or for another seller', async () => {
    for (const url of ['https://relay.example/relay/acme/mcp', 'https://other.example/mcp?x=1']) {
      expect(await codeOf(sealed(call({}), { url }))).toBe('request_signature_invalid');
    }
  });

  it('accepts only the dialect of the connection', async () => {
    expect(await codeOf(sealed(call({}), { dialect: 'adcp' }))).toBe('request_signature_tag_invalid');
    const adcp: SealedTarget = { ...target, dialect: 'adcp' };
    expect(await codeOf(sealed(call({}), { dialect: 'adcp' }), verifier(), adcp)).toBe('get_products');
  });

  it('refuses a body that differs in one byte, and one whose digest is not signed', async () => {
    const post = sealed(call({ brief: 'x' }));
    const other = { ...post, body: Buffer.from(post.body.toString().replace('"x"', '"y"')) };
    expect(await codeOf(other)).toBe('request_signature_digest_mismatch');
    const uncovered = post.headers.map(([name, value]): [string, string] => [
      name,
      name === 'Signature-Input' ? value.replace(' "content-digest"', '') : value,
    ]);
    expect(await codeOf({ ...post, headers: uncovered })).toBe('request_signature_components_incomplete');
  });

  it('refuses the same signature a second time', async () => {
    const verify = verifier();
    const post = sealed(call({}));
    expect(await codeOf(post, verify)).toBe('get_products');
    expect(await codeOf(post, verify)).toBe('request_signature_replayed');
  });

  it('refuses a signed secret, and names its place', async () => {
    const read = await readSealedPost(sealed(call({ ext: { authorization: 'x' } })), target, verifier());
    expect(read).toMatchObject({
      ok: false,
      error: { code: 'CREDENTIAL_IN_ARGS', field: 'ext.authorization', task: 'get_products' },
    });
    expect(JSON.stringify(read)).not.toContain('"x"');
  });

  it('refuses an identity claim, even a signed one', async () => {
    const post = sealed(call({ brief: 'x', buyer_agent_url: 'https://somebody-else.example' }));
    const read = await readSealedPost(post, target, verifier());
    expect(read).toMatchObject({
      ok: false,
      error: { code: 'RELAY_SELF_ASSERTION', field: 'buyer_agent_url', task: 'get_products' },
    });
    expect(JSON.stringify(read)).not.toContain('somebody-else');
  });

  it.each<[string, SealedPost, string]>([
    [
      'a header twice',
      sealed(call({}), { extra: [['content-type', 'text/plain']] }),
      'RELAY_HEADER_REPEATED',
    ],
    ['a packed body', sealed(call({}), { extra: [['Content-Encoding', 'gzip']] }), 'RELAY_CONTENT_TYPE'],
    ['a key twice in the body', sealed('{"jsonrpc":"2.0","id":1,"id":2}'), 'request_body_malformed'],
    ['a signed batch', sealed([call({})]), 'RELAY_BODY_MALFORMED'],
    ['a task nobody knows', sealed(call({}, 'drop_tables')), 'RELAY_TASK_UNKNOWN'],
  ])('refuses %s', async (_what, post, code) => {
    expect(await codeOf(post)).toBe(code);
  });
});
