import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject, type JsonValue } from '@switchyard/values';
import { isSignatureAlgorithm, signBytes, verifyBytes, type SignatureAlgorithm } from './algorithm.js';
import { canonicalTarget } from './canonical-url.js';
import { readCapture } from './capture.js';
import { coveredValues, signatureBase } from './covered-values.js';
import { readSignature } from './verify/read-signature.js';
import type { ReceivedMessage } from './verify/verdict.js';
import { verifyCapture } from './verify/verify-capture.js';

type Vector = JsonObject & {
  readonly name: string;
  readonly request: JsonObject & { readonly headers: Readonly<Record<string, string>> };
  readonly expected_signature_base?: string;
  readonly expected_outcome: { readonly error_code?: string };
};

interface CanonicalCase {
  readonly name: string;
  readonly input_url: string;
  readonly expected_target_uri?: string;
  readonly expected_authority?: string;
  readonly reject?: boolean;
}

const folder = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'vectors/request-signing');
const isHere = existsSync(folder);
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const load = (kind: string): (readonly [string, Vector])[] =>
  isHere
    ? readdirSync(join(folder, kind)).map((file) => [file, read(join(folder, kind, file)) as Vector] as const)
    : [];
const keys = isHere ? (read(join(folder, 'keys.json')) as { keys: JsonObject[] }).keys : [];
const canonicalCases = isHere
  ? (read(join(folder, 'canonicalization.json')) as { cases: CanonicalCase[] }).cases
  : [];
const positive = load('positive');
const negative = load('negative');

/** Renames the purpose member in all keys. It is not part of the signed bytes. */
function renamed<T extends JsonValue>(value: T, dialect: 'ads' | 'adcp'): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"adcp_use"', `"${dialect}_use"`)) as T;
}

async function outcomeOf(vector: Vector, dialect: 'ads' | 'adcp'): Promise<string> {
  const capture = must(readCapture(renamed(vector, dialect)));
  const verdict = await verifyCapture(capture, {
    kind: 'request',
    names: {
      requestTag: `${dialect}/request-signing/v1`,
      webhookTag: `${dialect}/webhook-signing/v1`,
      useMember: `${dialect}_use`,
    },
    legacyHeaders: { signature: `x-${dialect}-signature`, timestamp: `x-${dialect}-timestamp` },
    otherLegacyHeaders: [],
    jwks: renamed(keys, dialect),
    now: 0,
  });
  return verdict.code ?? 'verified';
}

function messageOf(vector: Vector): ReceivedMessage {
  const capture = must(readCapture(vector));
  return capture.message;
}

/** Undefined if the message is too malformed to have a signature base. */
function baseOf(message: ReceivedMessage): string | undefined {
  const signature = readSignature(message);
  if (!signature.ok) return undefined;
  const values = coveredValues(message, signature.value.components, signature.value.fields);
  return values.ok ? signatureBase(values.value, signature.value.list.text) : undefined;
}

interface Signed {
  readonly alg: SignatureAlgorithm;
  readonly base: Buffer;
  readonly signature: Buffer;
  readonly privateKey: KeyObject;
}

/** The signer of a vector; undefined if the signature is invalid, or its key is not published. */
function signedBy(message: ReceivedMessage): Signed | undefined {
  const read_ = readSignature(message);
  const base = baseOf(message);
  if (!read_.ok || base === undefined) return undefined;
  const alg = String(read_.value.list.params.get('alg')?.value);
  const kid = read_.value.list.params.get('keyid')?.value;
  const key = keys.find((one) => one['kid'] === kid);
  if (!isSignatureAlgorithm(alg) || key === undefined) return undefined;
  const { kty, crv, x, y, _private_d_for_test_only: d } = key;
  const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, d })) as Record<string, string>;
  const privateKey = createPrivateKey({ format: 'jwk', key: jwk });
  return { alg, base: Buffer.from(base), signature: read_.value.signature, privateKey };
}

/**
 * Returns the same vector in the `ads` dialect. The tag is in the signed bytes, so a valid signature is replaced by a
 * new one with the published test key; an invalid one stays as it is.
 */
function inAds(vector: Vector): Vector {
  const headers = vector.request.headers;
  const input = headers['Signature-Input'];
  const before = signedBy(messageOf(vector));
  if (input === undefined) return vector;
  const translated = { ...headers, 'Signature-Input': input.replaceAll('"adcp/', '"ads/') };
  const next = { ...vector, request: { ...vector.request, headers: translated } };
  const after = signedBy(messageOf(next));
  if (before === undefined || after === undefined) return next;
  if (!verifyBytes(before.alg, before.base, before.signature, createPublicKey(before.privateKey)))
    return next;
  const signature = signBytes(after.alg, after.base, after.privateKey).toString('base64url');
  const Signature = (headers['Signature'] ?? '').replace(/^sig1=:[^:]*:/, `sig1=:${signature}:`);
  return { ...vector, request: { ...vector.request, headers: { ...translated, Signature } } };
}

describe('public request vectors', () => {
  if (!isHere) {
    it('can be omitted, and then none of them counts as passed', () => {
      console.warn('not run: 12 positive, 28 negative and 37 canonicalization vectors are not here');
      expect([...positive, ...negative, ...canonicalCases]).toEqual([]);
    });
  } else {
    it('are all read', () => {
      expect([positive.length, negative.length, canonicalCases.length]).toEqual([12, 28, 37]);
    });

    it.each(positive)('verified: %s', async (_file, vector) => {
      if (vector.expected_signature_base !== undefined) {
        expect(baseOf(messageOf(vector))).toBe(vector.expected_signature_base);
      }
      expect(await outcomeOf(vector, 'adcp')).toBe('verified');
    });

    it.each(positive)('verified in the ads dialect: %s', async (_file, vector) => {
      const translated = inAds(vector);
      expect(await outcomeOf(translated, 'ads')).toBe('verified');
      expect(await outcomeOf(translated, 'adcp')).toBe('request_signature_tag_invalid');
      expect(await outcomeOf(vector, 'ads')).toBe('request_signature_tag_invalid');
    });

    it.each(negative)('refused: %s', async (_file, vector) => {
      expect(await outcomeOf(vector, 'adcp')).toBe(vector.expected_outcome.error_code);
    });

    it.each(negative)('refused in the ads dialect: %s', async (_file, vector) => {
      expect(await outcomeOf(inAds(vector), 'ads')).toBe(vector.expected_outcome.error_code);
    });

    it('have negatives that are validly signed, and those are signed again', () => {
      const anew = negative.filter(([, vector]) => {
        const [before, after] = [vector, inAds(vector)].map(({ request }) => request.headers['Signature']);
        return before !== after;
      });
      expect(anew.map(([file]) => file.slice(0, 3))).toEqual(expect.arrayContaining(['010', '016', '018']));
    });

    it.each(canonicalCases.map((canonicalCase) => [canonicalCase.name, canonicalCase] as const))(
      'canonical URL: %s',
      (_name, one) => {
        const found = canonicalTarget(one.input_url);
        if (one.reject === true) expect(found.ok).toBe(false);
        else {
          expect(found).toEqual({
            ok: true,
            value: { targetUri: one.expected_target_uri, authority: one.expected_authority },
          });
        }
      },
    );
  }
});
