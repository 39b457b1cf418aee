import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import {
  legacyHmac,
  verifyLegacyWebhook,
  type LegacyAgreement,
  type LegacyVerdict,
} from './legacy-webhook.js';
import { signLegacyWebhook } from './sign-legacy-webhook.js';
import type { ReceivedMessage } from '../verify/verdict.js';

const names = { signature: 'x-ads-signature', timestamp: 'x-ads-timestamp' };
const others = [{ signature: 'x-adcp-signature', timestamp: 'x-adcp-timestamp' }];
const now = 1_800_000_000;
const text = 'nWq7-vT2k_pX9c4LzR8mYb3JdH6sGf1A';
const secret = new Secret(Buffer.from(text));
const hmac: LegacyAgreement = { mode: 'hmac-sha256', secret };
const bearer: LegacyAgreement = { mode: 'bearer', secret, isMutating: false };

type Headers = readonly (readonly [string, string])[];

function message(headers: Headers, body = '{"n":1}'): ReceivedMessage {
  return { method: 'POST', url: 'https://buyer.example/w/1', headers, body: Buffer.from(body) };
}

function signed(timestamp = String(now), body = '{"n":1}', key = secret): Headers {
  return [
    ['Content-Type', 'application/json'],
    ['X-ADS-Timestamp', timestamp],
    ['X-ADS-Signature', legacyHmac(timestamp, Buffer.from(body), key)],
  ];
}

function verdictOf(given: ReceivedMessage, agreement = hmac): LegacyVerdict {
  return verifyLegacyWebhook(given, agreement, { names, at: now * 1000, others });
}

function outcomeOf(given: ReceivedMessage, agreement = hmac): string {
  const verdict = verdictOf(given, agreement);
  return verdict.ok ? 'verified' : verdict.fault;
}

function without(headers: Headers, name: string): Headers {
  return headers.filter(([key]) => key !== name);
}

describe('the HMAC mode', () => {
  it('verifies a known value: timestamp, dot and the very bytes, as lower-case hexadecimal', () => {
    // Computed with `printf '%s.%s' 1800000000 '{"n":1}' | openssl dgst -sha256 -hmac "$SECRET"`.
    const known = 'sha256=18bf71ea2a8642ac7ed5a7a916b0f38ab7a5d1abdda07c7e04726d4edd811a9f';
    expect(legacyHmac(String(now), Buffer.from('{"n":1}'), secret)).toBe(known);
  });

  it('verifies a signed message, returns the body, and shows a step for each check', () => {
    const verdict = verdictOf(message(signed()));
    expect(verdict).toMatchObject({ ok: true, json: { value: { n: 1 } } });
    expect(verdict.steps.map(({ step, ok }) => `${step}${ok ? '' : '!'}`).join(' ')).toBe('1 2 3 4 5 6');
    expect(inspect(verdict, { depth: 9 })).not.toContain(text);
  });

  it('verifies messages that we sign ourselves', () => {
    const body = Buffer.from('{"a":"b c\\"\\n","d":[1,2]}');
    const headers = signLegacyWebhook({ body, secret, names, timestamp: now });
    expect(headers.ok && outcomeOf(message(Object.entries(headers.value), body.toString()))).toBe('verified');
  });

  it.each([
    [now - 300, 'verified'],
    [now + 300, 'verified'],
    [now - 301, 'timestamp_out_of_window'],
    [now + 301, 'timestamp_out_of_window'],
  ])('a timestamp of %i: %s', (timestamp, expected) => {
    expect(outcomeOf(message(signed(String(timestamp))))).toBe(expected);
  });

  it.each([
    '1800000000abc',
    '-1800000000',
    '+1800000000',
    '1.8e9',
    '1800000000.0',
    '0x6b49d200',
    '١٨٠٠',
    '',
    ' ',
  ])('refuses %j as a timestamp although the proof covers it', (timestamp) => {
    expect(outcomeOf(message(signed(timestamp)))).toBe('timestamp_malformed');
  });

  it.each<[string, (headers: Headers) => Headers, string]>([
    ['no timestamp', (h) => without(h, 'X-ADS-Timestamp'), 'header_malformed'],
    ['no signature', (h) => without(h, 'X-ADS-Signature'), 'header_malformed'],
    ['neither', (h) => h.slice(0, 1), 'header_malformed'],
    ['the signature twice', (h) => [...h, h[2] ?? ['', '']], 'header_malformed'],
    ['the timestamp twice', (h) => [['x-ads-timestamp', String(now)], ...h], 'header_malformed'],
    [
      'another dialect’s headers',
      (h) => h.map(([k, v]) => [k.replace('ADS', 'ADCP'), v]),
      'header_malformed',
    ],
    ['a Bearer credential alone', () => [['Authorization', `Bearer ${text}`]], 'mode_mismatch'],
    ['a signature of the newer mode', (h) => [...h, ['Signature', 'sig1=:AAAA:']], 'mode_mismatch'],
    ['half of one', (h) => [...h, ['Signature-Input', 'sig1=()']], 'mode_mismatch'],
    ['a credential of a gateway beside it', (h) => [...h, ['Authorization', 'Bearer x']], 'verified'],
    ['spaces around the values', (h) => h.map(([k, v]) => [k, ` ${v}\t`]), 'verified'],
  ])('%s: decided by the headers', (_what, change, expected) => {
    expect(outcomeOf(message(change(signed())))).toBe(expected);
  });

  it.each<[string, (value: string) => string]>([
    ['upper case', (v) => v.toUpperCase()],
    ['upper-case digits', (v) => `sha256=${v.slice(7).toUpperCase()}`],
    ['no prefix', (v) => v.slice(7)],
    ['another prefix', (v) => v.replace('256', '512')],
    ['a digit less', (v) => v.slice(0, -1)],
    ['a digit more', (v) => `${v}0`],
    ['two values', (v) => `${v}, ${v}`],
    ['nothing', () => ''],
    ['letters beyond ASCII', (v) => v.replace(/.$/, '\u0130')],
    ['another digit', (v) => v.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ])('refuses a proof with %s', (_what, change) => {
    const headers = signed().map(
      ([name, value]) => [name, name === 'X-ADS-Signature' ? change(value) : value] as const,
    );
    expect(outcomeOf(message(headers))).toBe('proof_invalid');
  });

  it('refuses another body, another secret, and a body that was parsed and printed again', () => {
    expect(outcomeOf(message(signed(), '{"n":2}'))).toBe('proof_invalid');
    expect(outcomeOf(message(signed(), '{"n": 1}'))).toBe('proof_invalid');
    const other = new Secret(Buffer.from(`${text}x`));
    expect(outcomeOf(message(signed(String(now), '{"n":1}', other)))).toBe('proof_invalid');
  });

  it('distinguishes an authentic ambiguous body from a wrong proof', () => {
    const twice = '{"a":{"n":1,"\\u006e":2}}';
    const verdict = verdictOf(message(signed(String(now), twice), twice));
    expect(verdict).toMatchObject({
      ok: false,
      fault: 'body_malformed',
      code: 'webhook_body_malformed',
      isAuthentic: true,
    });
    expect(outcomeOf(message(signed(), twice))).toBe('proof_invalid');
  });

  it('ignores a signature inside the body', () => {
    const body = `{"signature":"${legacyHmac(String(now), Buffer.from('{}'), secret)}"}`;
    expect(outcomeOf(message(signed(String(now), body), body))).toBe('verified');
  });

  it('accepts nothing without a strong secret', () => {
    const empty = new Secret(Buffer.alloc(0));
    const given = message(signed(String(now), '{"n":1}', empty));
    expect(outcomeOf(given, { mode: 'hmac-sha256', secret: empty })).toBe('secret_unusable');
  });

  it('has a code of the protocol only for two failures', () => {
    const mismatch = verdictOf(message([...signed(), ['Signature', 'x']]));
    expect(mismatch).toMatchObject({ code: 'webhook_mode_mismatch' });
    expect(verdictOf(message(signed(), '{}'))).not.toHaveProperty('code');
  });
});

describe('the Bearer mode', () => {
  const with_ = (value: string): ReceivedMessage => message([['Authorization', value]]);

  it('accepts the agreed credential, in any case of the scheme', () => {
    expect(outcomeOf(with_(`Bearer ${text}`), bearer)).toBe('verified');
    expect(outcomeOf(with_(`bearer  ${text}`), bearer)).toBe('verified');
  });

  it.each([
    `Bearer ${text}x`,
    `Bearer ${text.slice(1)}`,
    `Basic ${text}`,
    text,
    'Bearer',
    '',
    `Bearer ${text}, Bearer y`,
  ])('refuses another one', (value) => {
    expect(outcomeOf(with_(value), bearer)).toBe('proof_invalid');
  });

  it('refuses none, two, and another mode', () => {
    expect(outcomeOf(message([]), bearer)).toBe('header_malformed');
    const line = ['Authorization', `Bearer ${text}`] as const;
    expect(outcomeOf(message([line, line]), bearer)).toBe('header_malformed');
    expect(outcomeOf(message(signed()), bearer)).toBe('mode_mismatch');
    expect(outcomeOf(message([line, ['Signature', 'sig1=:AAAA:']]), bearer)).toBe('mode_mismatch');
  });

  it('is never enough for a callback that changes something', () => {
    expect(outcomeOf(with_(`Bearer ${text}`), { ...bearer, isMutating: true })).toBe('bearer_refused');
  });

  it('reads the body as strictly as the other modes', () => {
    const line = ['Authorization', `Bearer ${text}`] as const;
    expect(outcomeOf(message([line], '{"a":1,"a":2}'), bearer)).toBe('body_malformed');
    expect(outcomeOf(message([line], ''), bearer)).toBe('verified');
  });
});

describe('signLegacyWebhook', () => {
  const sign = (body: string) =>
    signLegacyWebhook({ body: Buffer.from(body), secret, names, timestamp: now });

  it.each([
    ['{"a":1,"a":2}', 'duplicate_key_input'],
    ['[{"x":{"b":1,"\\u0062":2}}]', 'duplicate_key_input'],
    ['{"a": 1}', 'body_not_compact'],
    ['{"a":1}\n', 'body_not_compact'],
    ['{"a":', 'malformed_input'],
    ['', 'malformed_input'],
  ])('refuses to sign %j', (body, expected) => {
    expect(sign(body)).toEqual({ ok: false, error: expected });
  });

  it('throws on a timestamp that is not whole seconds', () => {
    expect(() => signLegacyWebhook({ body: Buffer.from('{}'), secret, names, timestamp: 1.5 })).toThrow(
      'whole',
    );
  });
});
