import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import { readCapture } from './capture.js';
import { isPublishedTestKey } from './verify/published-test-key.js';
import { verifyCapture, type CaptureSetting, type CaptureVerdict } from './verify/verify-capture.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-vectors-'));
const generator = join(import.meta.dirname, '../../../../tools/vectors/generate.mjs');
execFileSync(process.execPath, [generator, folder]);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const keys = (read(join(folder, 'keys.json')) as { keys: JsonObject[] }).keys;
type Vector = JsonObject & {
  readonly name: string;
  readonly request: { readonly headers: JsonObject };
  readonly expected_outcome: {
    readonly success: boolean;
    readonly error_code?: string;
    readonly failed_step?: string;
  };
};

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function load(group: string): readonly (readonly [string, Vector])[] {
  const path = join(folder, group);
  return readdirSync(path).map((file) => [file, read(join(path, file)) as Vector] as const);
}

function setting(kind: 'request' | 'webhook', dialect: 'ads' | 'adcp'): CaptureSetting {
  const headers = (segment: string) => ({
    signature: `x-${segment}-signature`,
    timestamp: `x-${segment}-timestamp`,
  });
  return {
    kind,
    names: {
      requestTag: `${dialect}/request-signing/v1`,
      webhookTag: `${dialect}/webhook-signing/v1`,
      useMember: `${dialect}_use`,
    },
    legacyHeaders: headers(dialect),
    otherLegacyHeaders: [headers(dialect === 'ads' ? 'adcp' : 'ads')],
    jwks: keys,
    now: 0,
  };
}

async function play(vector: JsonValue, as: CaptureSetting): Promise<CaptureVerdict> {
  const capture = must(readCapture(vector));
  return verifyCapture(capture, as);
}

const groups = [
  ['request-signing/positive', 'request', 34],
  ['request-signing/negative', 'request', 102],
  ['webhook-signing/positive', 'webhook', 11],
  ['webhook-signing/negative', 'webhook', 101],
  ['webhook-legacy/positive', 'webhook', 13],
  ['webhook-legacy/negative', 'webhook', 30],
] as const;

describe.each(groups)('our own vectors: %s', (group, kind, count) => {
  const vectors = load(group);

  it(`are ${count}`, () => {
    expect(vectors).toHaveLength(count);
  });

  it.each(vectors)('%s has its outcome, at its step', async (_file, vector) => {
    const { success, error_code: code = null, failed_step: step = null } = vector.expected_outcome;
    const verdict = await play(vector, setting(kind, 'ads'));
    expect([verdict.ok, verdict.code, verdict.step]).toEqual([success, code, step]);
    expect(verdict.steps.slice(0, -1).every(({ ok }) => ok)).toBe(true);
    expect(verdict.steps.at(-1)?.ok).toBe(success);
  });

  it('verify only in one dialect', async () => {
    for (const [, vector] of vectors.filter(([, { expected_outcome: outcome }]) => outcome.success)) {
      const verdict = await play(vector, setting(kind, 'adcp'));
      const expected = group.startsWith('webhook-legacy')
        ? [isBearer(vector), isBearer(vector) ? null : 'header_malformed']
        : [false, `${kind}_signature_tag_invalid`];
      expect([vector.name, verdict.ok, verdict.code]).toEqual([vector.name, ...expected]);
    }
  });
});

/** Bearer is the only proof whose header is the same in all dialects. */
function isBearer(vector: Vector): boolean {
  const { registration } = vector;
  return isJsonObject(registration) && registration['mode'] === 'bearer';
}

describe('the keys of published vectors', () => {
  it('are recognized under any name', () => {
    for (const key of keys) {
      const { _private_d_for_test_only: _d, _private_primes_for_test_only: _p, ...published } = key;
      expect(isPublishedTestKey(key)).toBe(true);
      expect(isPublishedTestKey(published)).toBe(true);
    }
    const x = 'gWUqzATUcUco5Q8fZZXn8aWwb7DQbYGBiqUzLiSDDJo';
    expect(isPublishedTestKey({ kid: 'prod-1', kty: 'OKP', x })).toBe(true);
    expect(isPublishedTestKey({ kid: 'prod-1', kty: 'OKP', x: `${x.slice(0, -1)}A`, d: 'AAAA' })).toBe(true);
    expect(isPublishedTestKey({ kid: 'prod-1', kty: 'OKP', x: `${x.slice(0, -1)}A` })).toBe(false);
  });
});

describe('readCapture', () => {
  const request = { method: 'POST', url: 'https://a.example/', headers: {} };

  it.each<[JsonValue, string]>([
    [null, 'A captured message is a JSON object'],
    [{}, 'request is an object'],
    [{ request: { ...request, url: 1 } }, 'request.url'],
    [{ request: { ...request, headers: [] } }, 'request.headers'],
    [{ request: { ...request, headers: { A: 1 } } }, 'request.headers: A'],
    [{ request: { ...request, body: {} } }, 'request.body'],
    [{ request, reference_now: 1.5 }, 'reference_now'],
    [{ request, jwks_override: [] }, 'jwks_override'],
    [{ request, jwks_override: { keys: [1] } }, 'jwks_override'],
    [{ request, registration: { mode: 'any' } }, 'registration.mode'],
    [{ request, verifier_capability: { covers_content_digest: 'maybe' } }, 'covers_content_digest'],
  ])('names what is wrong with %j', (value, expected) => {
    const read_ = readCapture(value);
    expect(read_.ok ? '' : read_.error).toContain(expected);
  });

  it('accepts bytes that are no text, and a capture without verifier settings', () => {
    const capture = readCapture({ request: { ...request, body_base64: '/w==' } });
    expect(capture).toMatchObject({
      ok: true,
      value: {
        message: { body: Buffer.from([255]) },
        capability: { supported: true, contentDigest: 'required' },
      },
    });
  });
});
