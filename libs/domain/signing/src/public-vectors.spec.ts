import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { err, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { isSignatureAlgorithm, signBytes, type SignatureAlgorithm } from './algorithm.js';
import { canonicalTarget } from './canonical-url.js';
import { coveredValues } from './covered-values.js';
import type { ReplayStore, RevocationSource } from './ports.js';
import { requestProfile, type SigningNames, type SigningProfile } from './profile.js';
import { readSignature, signaturePresence } from './read-signature.js';
import { signatureDemand } from './request-policy.js';
import { signatureBase } from './signature-base.js';
import type { ReceivedMessage } from './verdict.js';
import { signatureCode, verifySignature } from './verify.js';

interface Vector {
  readonly name: string;
  readonly reference_now: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly verifier_capability: {
    readonly supported: boolean;
    readonly covers_content_digest: SigningProfile['contentDigest'];
    readonly required_for: readonly string[];
    readonly protocol_methods_required_for?: readonly string[];
  };
  readonly jwks_ref?: readonly string[];
  readonly jwks_override?: { readonly keys: readonly JsonObject[] };
  readonly test_harness_state?: {
    readonly replay_cache_entries?: readonly { readonly keyid: string; readonly nonce: string }[];
    readonly replay_cache_per_keyid_cap_hit?: { readonly keyid: string };
    readonly revocation_list?: { readonly revoked_kids: readonly string[] };
  };
  readonly expected_signature_base?: string;
  readonly expected_outcome: { readonly success: boolean; readonly error_code?: string };
}

const adcp: SigningNames = {
  requestTag: 'adcp/request-signing/v1',
  webhookTag: 'adcp/webhook-signing/v1',
  useMember: 'adcp_use',
};
const ads: SigningNames = {
  requestTag: 'ads/request-signing/v1',
  webhookTag: 'ads/webhook-signing/v1',
  useMember: 'ads_use',
};

const folder = join(import.meta.dirname, '../../../../../shared/vectors/request-signing');
const isHere = existsSync(folder);
const load = (kind: string): Vector[] =>
  isHere ? readdirSync(join(folder, kind)).map((file) => read(join(folder, kind, file)) as Vector) : [];
const keys = isHere ? (read(join(folder, 'keys.json')) as { keys: JsonObject[] }).keys : [];
const canonicalCases = isHere
  ? (
      read(join(folder, 'canonicalization.json')) as {
        cases: {
          name: string;
          input_url: string;
          expected_target_uri?: string;
          expected_authority?: string;
          reject?: boolean;
        }[];
      }
    ).cases
  : [];
const positive = load('positive');
const negative = load('negative');

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function messageOf(vector: Vector): ReceivedMessage {
  const { method, url, headers, body = '' } = vector.request;
  return { method, url, headers: Object.entries(headers), body: Buffer.from(body) };
}

/** The vector's own verifier: its policy, its keys, its cache and its revocations. */
async function outcomeOf(vector: Vector, names: SigningNames): Promise<string> {
  const message = messageOf(vector);
  const capability = vector.verifier_capability;
  if (signaturePresence(message.headers) === 'none') {
    const body = JSON.parse(message.body.toString()) as JsonValue;
    const demand = signatureDemand(
      {
        task: message.url.split('/').at(-1) ?? '',
        args: body,
        ...(isJsonObject(body) && typeof body['method'] === 'string'
          ? { protocolMethod: body['method'] }
          : {}),
      },
      {
        supported: capability.supported,
        requiredFor: capability.required_for,
        protocolMethodsRequiredFor: capability.protocol_methods_required_for ?? [],
      },
    );
    return demand === 'no' ? 'unsigned' : signatureCode('request', 'required');
  }
  const state = vector.test_harness_state;
  const published = (vector.jwks_override?.keys ?? keys)
    .filter((jwk) => vector.jwks_override !== undefined || vector.jwks_ref?.includes(jwk['kid'] as string))
    .map(({ adcp_use, ...jwk }) => ({ ...jwk, [names.useMember]: adcp_use ?? null }));
  const replays: ReplayStore = {
    isFull: (keyid) => Promise.resolve(state?.replay_cache_per_keyid_cap_hit?.keyid === keyid.split(' ')[0]),
    claim: (keyid, nonce) =>
      Promise.resolve(
        state?.replay_cache_entries?.some(
          (entry) => entry.keyid === keyid.split(' ')[0] && entry.nonce === nonce,
        ) === true
          ? 'replayed'
          : 'claimed',
      ),
  };
  const revocations: RevocationSource = {
    status: (keyid) =>
      Promise.resolve(state?.revocation_list?.revoked_kids.includes(keyid) === true ? 'revoked' : 'ok'),
  };
  const verdict = await verifySignature(
    message,
    requestProfile(names, capability.covers_content_digest),
    {
      keys: {
        resolve: (keyid) => {
          const jwk = published.find((key) => key['kid' as never] === keyid);
          return Promise.resolve(
            jwk === undefined ? err('key_unknown' as const) : ok({ jwk, agentUrl: 'https://buyer.example/' }),
          );
        },
      },
      replays,
      revocations,
    },
    vector.reference_now * 1000,
  );
  return verdict.ok ? 'verified' : verdict.code;
}

function baseOf(message: ReceivedMessage): string {
  const signature = readSignature(message);
  if (!signature.ok) throw new Error(signature.error);
  const values = coveredValues(message, signature.value.components, signature.value.fields);
  if (!values.ok) throw new Error(values.error);
  return signatureBase(values.value, signature.value.list.text);
}

/** The same vector in the `ads` dialect: the tag is in the signed bytes, so it is signed anew with the test key. */
function inAds(vector: Vector): Vector {
  const headers = { ...vector.request.headers };
  const input = headers['Signature-Input'] ?? '';
  const translated = { ...headers, 'Signature-Input': input.replaceAll('"adcp/', '"ads/') };
  const message = messageOf({ ...vector, request: { ...vector.request, headers: translated } });
  const params = readSignature(message);
  if (!params.ok) throw new Error(params.error);
  const kid = String(params.value.list.params.get('keyid')?.value);
  const alg = String(params.value.list.params.get('alg')?.value);
  if (!isSignatureAlgorithm(alg)) throw new Error(alg);
  const signature = signBytes(alg, Buffer.from(baseOf(message)), privateKeyOf(kid, alg)).toString(
    'base64url',
  );
  const rest = (headers['Signature'] ?? '').replace(/^sig1=:[^:]*:/, `sig1=:${signature}:`);
  return { ...vector, request: { ...vector.request, headers: { ...translated, Signature: rest } } };
}

function privateKeyOf(kid: string, alg: SignatureAlgorithm) {
  const { kty, crv, x, y, _private_d_for_test_only: d } = keys.find((key) => key['kid'] === kid) ?? {};
  const key = { kty, crv, x, ...(alg === 'ed25519' ? {} : { y }), d } as Record<string, string>;
  return createPrivateKey({ format: 'jwk', key });
}

describe('public request vectors', () => {
  it('are all read, or it is said how many are not here', () => {
    const counts = [positive.length, negative.length, canonicalCases.length];
    if (!isHere)
      console.warn('skipped: 12 positive, 28 negative and 37 canonicalization vectors are not here');
    expect(counts).toEqual(isHere ? [12, 28, 37] : [0, 0, 0]);
  });

  if (isHere) {
    it.each(positive.map((vector) => [vector.name, vector] as const))(
      'verified: %s',
      async (_name, vector) => {
        if (vector.expected_signature_base !== undefined) {
          expect(baseOf(messageOf(vector))).toBe(vector.expected_signature_base);
        }
        expect(await outcomeOf(vector, adcp)).toBe('verified');
      },
    );

    it.each(positive.map((vector) => [vector.name, vector] as const))(
      'verified in the ads dialect: %s',
      async (_name, vector) => {
        const translated = inAds(vector);
        expect(await outcomeOf(translated, ads)).toBe('verified');
        expect(await outcomeOf(translated, adcp)).toBe('request_signature_tag_invalid');
        expect(await outcomeOf(vector, ads)).toBe('request_signature_tag_invalid');
      },
    );

    it.each(negative.map((vector) => [vector.name, vector] as const))(
      'refused: %s',
      async (_name, vector) => {
        expect(await outcomeOf(vector, adcp)).toBe(vector.expected_outcome.error_code);
      },
    );

    it.each(canonicalCases.map((one) => [one.name, one] as const))('canonical URL: %s', (_name, one) => {
      const found = canonicalTarget(one.input_url);
      if (one.reject === true) expect(found.ok).toBe(false);
      else {
        expect(found).toEqual({
          ok: true,
          value: { targetUri: one.expected_target_uri, authority: one.expected_authority },
        });
      }
    });
  }
});
