import { createPublicKey, type KeyObject } from 'node:crypto';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { algorithms, rsaModulusBits, type AlgorithmFacts, type SignatureAlgorithm } from './algorithm.js';
import type { SigningProfile } from './profile.js';

/** Imported keys by their JWK object: an import takes up to a third of the time of a verification. */
const imported = new WeakMap<JsonObject, KeyObject>();

/**
 * Step 8: decides whether a published key may be used for this. Every member must be present and right; an absent one
 * is wrong. Fails with a text for the checklist.
 */
export function checkJwk(
  jwk: JsonObject,
  alg: SignatureAlgorithm,
  profile: SigningProfile,
): Result<KeyObject, string> {
  const facts = algorithms[alg];
  const purpose = jwk[profile.useMember];
  if (typeof purpose !== 'string' || !profile.purposes.includes(purpose)) {
    return err(`${profile.useMember} is not one for this`);
  }
  if (jwk['use'] !== 'sig') return err('use is not sig');
  const operations = jwk['key_ops'];
  if (!Array.isArray(operations) || !operations.includes('verify')) return err('key_ops lacks verify');
  if (jwk['alg'] !== facts.jwkAlg || jwk['kty'] !== facts.kty || jwk['crv'] !== facts.crv) {
    return err(`the key is not one for ${alg}`);
  }
  const known = imported.get(jwk);
  if (known !== undefined) return ok(known);
  const key = importKey(jwk, facts);
  if (key === undefined) return err('its numbers make no key');
  if (!isOfSoundSize(key)) return err('an RSA key of an unsound size');
  imported.set(jwk, key);
  return ok(key);
}

/** Returns `undefined` if the members are not a valid key, such as a point that is not on the curve. */
function importKey(jwk: JsonObject, facts: AlgorithmFacts): KeyObject | undefined {
  const { kty, crv } = facts;
  const numbers = facts.keyType === 'rsa' ? ['n', 'e'] : ['x', 'y'];
  const given: Record<string, string> = {};
  for (const member of numbers) {
    const value = jwk[member];
    if (typeof value === 'string') given[member] = value;
  }
  try {
    return createPublicKey({
      format: 'jwk',
      key: { kty, ...(crv === undefined ? {} : { crv }), ...given },
    });
  } catch {
    return undefined;
  }
}

/** A small modulus can be factored, a large one is expensive, and an unusual exponent may be an attack. */
function isOfSoundSize(key: KeyObject): boolean {
  if (key.asymmetricKeyType !== 'rsa') return true;
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return (
    modulusLength >= rsaModulusBits.min && modulusLength <= rsaModulusBits.max && publicExponent === 65_537n
  );
}
