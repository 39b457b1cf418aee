import { createPublicKey, type KeyObject } from 'node:crypto';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { algorithms, type SignatureAlgorithm } from './algorithm.js';
import type { SigningProfile } from './profile.js';

/** Imported keys by the object they were read from: importing costs as much as a third of a verification. */
const imported = new WeakMap<JsonObject, KeyObject>();

/**
 * Step 8: whether a published key may be used for this. Every member has to be there and say so; what is absent
 * counts as wrong. Fails with words for the checklist.
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
  try {
    const { x, y } = jwk;
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: facts.kty,
        crv: facts.crv,
        ...(typeof x === 'string' ? { x } : {}),
        ...(typeof y === 'string' ? { y } : {}),
      },
    });
    imported.set(jwk, key);
    return ok(key);
  } catch {
    return err('the key is not a point of its curve');
  }
}
