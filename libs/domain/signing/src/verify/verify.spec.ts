import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonObject } from '@switchyard/values';
import { generateSigningKey, publicJwk, type SigningKey } from '../jwk.js';
import { memoryReplayStore } from '../memory-ports.js';
import { noRevocations, type KeyFailure } from '../ports.js';
import { requestProfile, webhookProfile, type SigningNames, type SigningProfile } from '../profile.js';
import { signRequest, type RequestToSign } from '../sign.js';
import { readSignature } from './read-signature.js';
import type { ReceivedMessage, Verdict } from './verdict.js';
import type { VerifierPorts } from './verify-step.js';
import { verifySignature } from './verify.js';

const ads: SigningNames = {
  requestTag: 'ads/request-signing/v1',
  webhookTag: 'ads/webhook-signing/v1',
  useMember: 'ads_use',
};
const adcp: SigningNames = {
  requestTag: 'adcp/request-signing/v1',
  webhookTag: 'adcp/webhook-signing/v1',
  useMember: 'adcp_use',
};

const now = 1_800_000_000;
const seller = 'https://seller.example/mcp';
const ed = generateSigningKey('seller-ed');
const es = generateSigningKey('seller-es', 'ecdsa-p256-sha256');
const profile = webhookProfile(ads);

function nonce(seed: string | number): string {
  return createHash('sha256').update(String(seed)).digest().subarray(0, 16).toString('base64url');
}

interface Changes {
  readonly key?: SigningKey;
  readonly sign?: Partial<RequestToSign>;
  readonly jwk?: JsonObject;
}

/** A signed webhook of the seller, and ports that know its key. */
function signed({ key = ed, sign = {} }: Changes = {}): ReceivedMessage {
  const body = sign.body ?? Buffer.from('{"idempotency_key":"k-0000000000000001","n":1}');
  const url = sign.url ?? "https://buyer.example/webhooks/r1?a='1'&b=%2f";
  const headers = { 'Content-Type': 'application/json' };
  const request: RequestToSign = {
    method: 'POST',
    url,
    headers,
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: profile.tag,
    created: now,
    expires: now + 300,
    nonce: nonce('first'),
    ...sign,
  };
  const host = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  return {
    method: request.method,
    url,
    headers: [['Host', host], ...Object.entries(headers), ...Object.entries(signRequest(request))] as const,
    body,
  };
}

function ports(jwk?: JsonObject, more: Partial<VerifierPorts> = {}): VerifierPorts {
  const published =
    jwk === undefined ? [ed, es].map((key) => publicJwk(key, ['ads_use', 'adcp_use'])) : [jwk];
  return {
    keys: {
      resolve: (keyid) => {
        const found = published.find((key) => key['kid'] === keyid);
        return Promise.resolve(found ? ok({ jwk: found, agentUrl: seller }) : err('key_unknown' as const));
      },
    },
    replays: memoryReplayStore(100, () => now * 1000),
    revocations: noRevocations,
    ...more,
  };
}

async function codeOf(
  message: ReceivedMessage,
  given: VerifierPorts = ports(),
  as: SigningProfile = profile,
): Promise<string> {
  const verdict = await verifySignature(message, as, given, now * 1000);
  return verdict.ok ? 'verified' : verdict.code;
}

function withHeader(
  message: ReceivedMessage,
  name: string,
  change: (value: string) => string,
): ReceivedMessage {
  return {
    ...message,
    headers: message.headers.map(([key, value]) => [key, key === name ? change(value) : value]),
  };
}

function without(message: ReceivedMessage, name: string): ReceivedMessage {
  return { ...message, headers: message.headers.filter(([key]) => key !== name) };
}

it('reads a header of many spaces as fast as others', () => {
  const headers: ReceivedMessage['headers'] = [['X-Long', ` a${' '.repeat(200_000)}b `]];
  const startedAt = performance.now();
  readSignature({ method: 'POST', url: seller, headers, body: Buffer.alloc(0) });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

describe('verifySignature', () => {
  it.each([
    ['ed25519', ed],
    ['ecdsa-p256-sha256', es],
  ] as const)('verifies what signRequest signed with %s, and returns its signer', async (_alg, key) => {
    const verdict = await verifySignature(signed({ key }), profile, ports(), now * 1000);
    expect(verdict).toMatchObject({
      ok: true,
      signer: { keyid: key.kid, agentUrl: seller, verifiedAt: now * 1000 },
      json: { value: { n: 1 } },
    });
    expect(verdict.steps.map(({ step }) => step).join(' ')).toBe('1 2 3 4 5 6 7 8 9 9a 10 11 12-13 14');
    expect(verdict.steps.every((step) => step.ok)).toBe(true);
  });

  it('accepts one dialect and one purpose, never two', async () => {
    const tags = [ads.requestTag, ads.webhookTag, adcp.requestTag, adcp.webhookTag];
    const profiles = [requestProfile(ads), webhookProfile(ads), requestProfile(adcp), webhookProfile(adcp)];
    for (const tag of tags) {
      for (const as of profiles) {
        const expected = as.tag === tag ? 'verified' : `${as.kind}_signature_tag_invalid`;
        expect(await codeOf(signed({ sign: { tag } }), ports(), as)).toBe(expected);
      }
    }
  });

  it('refuses the second copy of a message, and accepts a new nonce', async () => {
    const given = ports();
    const message = signed();
    expect(await codeOf(message, given)).toBe('verified');
    expect(await codeOf(message, given)).toBe('webhook_signature_replayed');
    expect(await codeOf(signed({ sign: { nonce: nonce('second') } }), given)).toBe('verified');
  });

  it('accepts each nonce once when copies arrive together', async () => {
    const given = ports();
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(signed(), given)));
    expect(codes.filter((code) => code === 'verified')).toHaveLength(1);
  });

  it('refuses a signer at its cap before any cryptography, and removes nothing to make room', async () => {
    const given = ports(undefined, { replays: memoryReplayStore(2, () => now * 1000) });
    for (const seed of [1, 2])
      expect(await codeOf(signed({ sign: { nonce: nonce(seed) } }), given)).toBe('verified');
    const forged = withHeader(signed({ sign: { nonce: nonce(3) } }), 'Signature', (value) =>
      value.replace(/:.{86}:/, `:${'A'.repeat(86)}:`),
    );
    expect(await codeOf(forged, given)).toBe('webhook_signature_rate_abuse');
    expect(await codeOf(signed({ key: es, sign: { nonce: nonce(3) } }), given)).toBe('verified');
  });

  it('claims the nonce of a message whose body is malformed, and names its signer', async () => {
    const given = ports();
    const message = signed({ sign: { body: Buffer.from('{"a":1,"\\u0061":2}') } });
    const first: Verdict = await verifySignature(message, profile, given, now * 1000);
    expect(first).toMatchObject({ ok: false, code: 'webhook_body_malformed', signer: { agentUrl: seller } });
    expect(await codeOf(message, given)).toBe('webhook_signature_replayed');
  });

  it.each([
    [-60, 240, 'verified'],
    [60, 300, 'verified'],
    [61, 300, 'webhook_signature_window_invalid'],
    [-360, -60, 'verified'],
    [-360, -61, 'webhook_signature_window_invalid'],
    [0, 301, 'webhook_signature_window_invalid'],
    [0, 0, 'webhook_signature_window_invalid'],
    [10, 5, 'webhook_signature_window_invalid'],
  ])('created %i s and expires %i s from now: %s', async (created, expires, expected) => {
    const message = signed({ sign: { created: now + created, expires: now + expires } });
    expect(await codeOf(message)).toBe(expected);
  });

  it.each([
    ['15 bytes', Buffer.alloc(15).toString('base64url'), 'webhook_signature_params_incomplete'],
    ['padding', `${'A'.repeat(22)}==`, 'webhook_signature_params_incomplete'],
    ['the standard alphabet', `${'A'.repeat(20)}+/`, 'webhook_signature_params_incomplete'],
    ['a label inside', `${'A'.repeat(22)},sig1=(`, 'webhook_signature_params_incomplete'],
    ['a length that nothing encodes to', 'A'.repeat(25), 'webhook_signature_params_incomplete'],
    ['16 bytes', 'A'.repeat(22), 'verified'],
  ])('a nonce of %s', async (_what, value, expected) => {
    expect(await codeOf(signed({ sign: { nonce: value } }))).toBe(expected);
  });

  it.each<[string, JsonObject]>([
    ['absent purpose', { ads_use: null }],
    ['purpose of another kind', { ads_use: 'response-signing' }],
    ['governance purpose', { ads_use: 'governance-signing' }],
    ['purpose as a list', { ads_use: ['request-signing'] }],
    ['use for encryption', { use: 'enc' }],
    ['absent use', { use: null }],
    ['no verify among key_ops', { key_ops: ['sign'] }],
    ['key_ops as text', { key_ops: 'verify' }],
    ['absent key_ops', { key_ops: null }],
    ['another alg', { alg: 'ES256' }],
    ['absent alg', { alg: null }],
    ['another curve', { crv: 'Ed448' }],
    ['another type', { kty: 'EC' }],
    ['a broken point', { x: 'AAAA' }],
  ])('refuses a key with %s', async (_what, change) => {
    const jwk = { ...publicJwk(ed, ['ads_use']), ...change };
    expect(await codeOf(signed(), ports(jwk))).toBe('webhook_signature_key_purpose_invalid');
  });

  it('accepts an old webhook key for webhooks, not for requests', async () => {
    const jwk = publicJwk(ed, ['ads_use'], 'webhook-signing');
    expect(await codeOf(signed(), ports(jwk))).toBe('verified');
    const request = signed({ sign: { tag: ads.requestTag } });
    expect(await codeOf(request, ports(jwk), requestProfile(ads))).toBe(
      'request_signature_key_purpose_invalid',
    );
  });

  it('accepts a key with more operations than verify', async () => {
    const jwk = { ...publicJwk(ed, ['ads_use']), key_ops: ['verify', 'sign'] };
    expect(await codeOf(signed(), ports(jwk))).toBe('verified');
  });

  it('refuses a DER signature, and one with an algorithm that is not its key’s', async () => {
    const der = withHeader(
      signed({ key: es }),
      'Signature',
      () => `sig1=:${Buffer.alloc(70, 1).toString('base64url')}:`,
    );
    expect(await codeOf(der)).toBe('webhook_signature_invalid');
    const crossed = withHeader(signed(), 'Signature-Input', (value) =>
      value.replace('alg="ed25519"', 'alg="ecdsa-p256-sha256"'),
    );
    expect(await codeOf(crossed)).toBe('webhook_signature_key_purpose_invalid');
  });

  it('refuses revoked keys and outdated lists, before any cryptography', async () => {
    for (const [status, code] of [
      ['revoked', 'webhook_signature_key_revoked'],
      ['stale', 'webhook_signature_revocation_stale'],
    ] as const) {
      const given = ports(undefined, { revocations: { status: () => Promise.resolve(status) } });
      const forged = withHeader(signed(), 'Signature', () => `sig1=:${'A'.repeat(86)}:`);
      expect(await codeOf(forged, given)).toBe(code);
    }
  });

  it.each<[KeyFailure, string, string]>([
    ['key_unknown', 'webhook_signature_key_unknown', 'request_signature_key_unknown'],
    ['jwks_unavailable', 'keys_unavailable', 'request_signature_jwks_unavailable'],
    ['jwks_untrusted', 'webhook_signature_key_unknown', 'request_signature_jwks_untrusted'],
    ['brand_json_unreachable', 'keys_unavailable', 'request_signature_brand_json_unreachable'],
    ['agent_not_in_brand_json', 'webhook_signature_key_unknown', 'request_signature_agent_not_in_brand_json'],
  ])('%s: %s on a webhook, %s on a request', async (failure, onWebhook, onRequest) => {
    const given = ports(undefined, { keys: { resolve: () => Promise.resolve(err(failure)) } });
    expect(await codeOf(signed(), given)).toBe(onWebhook);
    const request = signed({ sign: { tag: ads.requestTag } });
    expect(await codeOf(request, given, requestProfile(ads))).toBe(onRequest);
  });

  it.each<[string, (message: ReceivedMessage) => ReceivedMessage, string]>([
    ['another Host', (m) => withHeader(m, 'Host', () => 'other.example'), 'webhook_target_uri_malformed'],
    [
      'a second Host',
      (m) => ({ ...m, headers: [['host', 'evil.example'], ...m.headers] }),
      'webhook_target_uri_malformed',
    ],
    [
      'user information in Host',
      (m) => withHeader(m, 'Host', (v) => `a@${v}`),
      'webhook_target_uri_malformed',
    ],
    [
      'the port of the scheme in Host',
      (m) => withHeader(m, 'Host', (v) => `${v.toUpperCase()}:443`),
      'verified',
    ],
    [
      'another :authority',
      (m) => ({ ...m, headers: [[':authority', 'x.example'], ...m.headers] }),
      'webhook_target_uri_malformed',
    ],
    [
      'a forwarded host',
      (m) => ({ ...m, headers: [['X-Forwarded-Host', 'x.example'], ...m.headers] }),
      'verified',
    ],
    ['no Signature', (m) => without(m, 'Signature'), 'webhook_signature_header_malformed'],
    ['no Signature-Input', (m) => without(m, 'Signature-Input'), 'webhook_signature_header_malformed'],
    [
      'neither',
      (m) => without(without(m, 'Signature'), 'Signature-Input'),
      'webhook_signature_header_malformed',
    ],
    ['no Content-Digest', (m) => without(m, 'Content-Digest'), 'webhook_signature_components_incomplete'],
    [
      'a second line of Content-Digest',
      (m) => ({ ...m, headers: [...m.headers, ['content-digest', 'sha-512=:AAAA:']] }),
      'webhook_signature_header_malformed',
    ],
    [
      'a second Content-Type',
      (m) => ({ ...m, headers: [...m.headers, ['content-type', 'text/plain']] }),
      'webhook_signature_header_malformed',
    ],
    [
      'a second line of Signature-Input for the label',
      (m) => ({ ...m, headers: [...m.headers, ['signature-input', 'sig1=()']] }),
      'webhook_signature_header_malformed',
    ],
    [
      'another label only',
      (m) => withHeader(m, 'Signature', (v) => v.replace('sig1', 'sig2')),
      'webhook_signature_header_malformed',
    ],
    [
      'another label beside it',
      (m) =>
        withHeader(
          withHeader(m, 'Signature', (v) => `sig2=:AAAA:, ${v}`),
          'Signature-Input',
          (v) => `sig2=("@path");created=1, ${v}`,
        ),
      'verified',
    ],
    [
      'mixed alphabets',
      (m) => withHeader(m, 'Signature', () => `sig1=:-+${'A'.repeat(84)}:`),
      'webhook_signature_header_malformed',
    ],
    [
      'left-over bits',
      (m) => withHeader(m, 'Signature', () => `sig1=:${'A'.repeat(85)}B:`),
      'webhook_signature_header_malformed',
    ],
    [
      'the standard alphabet',
      (m) =>
        withHeader(
          m,
          'Signature',
          (v) => `sig1=:${Buffer.from(v.slice(6, -1), 'base64url').toString('base64')}:`,
        ),
      'verified',
    ],
    [
      'a fraction in created',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace(/created=\d+/, 'created=1.5')),
      'webhook_signature_header_malformed',
    ],
    [
      'created in quotes',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace(/created=(\d+)/, 'created="$1"')),
      'webhook_signature_header_malformed',
    ],
    [
      'a repeated tag',
      (m) => withHeader(m, 'Signature-Input', (v) => `${v};tag="x"`),
      'webhook_signature_header_malformed',
    ],
    [
      'a repeated component',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace('("@method"', '("@method" "@method"')),
      'webhook_signature_header_malformed',
    ],
    [
      'a component with a parameter',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace('"content-type"', '"content-type";sf')),
      'webhook_signature_components_incomplete',
    ],
    [
      'a derived component that is not one of ours',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace('("@method"', '("@query" "@method"')),
      'webhook_signature_components_unexpected',
    ],
    [
      'a covered header that is absent',
      (m) => withHeader(m, 'Signature-Input', (v) => v.replace('("@method"', '("x-absent" "@method"')),
      'webhook_signature_components_incomplete',
    ],
    [
      'another path',
      (m) => ({ ...m, url: 'https://buyer.example/webhooks/r2' }),
      'webhook_signature_invalid',
    ],
    [
      'a method that becomes ours when it is cut down to bytes',
      (m) => ({ ...m, method: '\u0150OST' }),
      'webhook_target_uri_malformed',
    ],
    [
      'a method that becomes ours in capitals',
      (m) => ({ ...m, method: 'po\u017ft' }),
      'webhook_target_uri_malformed',
    ],
    [
      'a content type that becomes ours when it is cut down to bytes',
      (m) => withHeader(m, 'Content-Type', (v) => v.replace('n', '\u016e')),
      'webhook_target_uri_malformed',
    ],
    ['another method', (m) => ({ ...m, method: 'PUT' }), 'webhook_signature_invalid'],
    ['another body', (m) => ({ ...m, body: Buffer.from('{}') }), 'webhook_signature_digest_mismatch'],
    ['another scheme', (m) => ({ ...m, url: m.url.replace('https', 'http') }), 'webhook_signature_invalid'],
  ])('judges a message with %s', async (_what, change, expected) => {
    expect(await codeOf(change(signed()))).toBe(expected);
  });

  it('reports a rewritten body with a rewritten digest as an invalid signature', async () => {
    const forged = signed({ sign: { body: Buffer.from('{"n":2}') } });
    const digest = forged.headers.find(([name]) => name === 'Content-Digest')?.[1] ?? '';
    const message = { ...withHeader(signed(), 'Content-Digest', () => digest), body: forged.body };
    expect(await codeOf(message)).toBe('webhook_signature_invalid');
  });

  it('requires the digest by policy on requests', async () => {
    const request = signed({ sign: { tag: ads.requestTag } });
    expect(await codeOf(request, ports(), requestProfile(ads, 'either'))).toBe('verified');
    expect(await codeOf(request, ports(), requestProfile(ads, 'forbidden'))).toBe(
      'request_signature_components_unexpected',
    );
  });

  it('verifies a request without a body that covers the three derived components', async () => {
    const request = signed({ sign: { method: 'GET', body: Buffer.alloc(0), tag: ads.requestTag } });
    expect(await codeOf(request, ports(), requestProfile(ads))).toBe('verified');
  });
});
