import { Buffer } from 'node:buffer';
import { createPublicKey, verify } from 'node:crypto';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { instantOf } from './read-adagents.js';

/** A list of revoked keys, of any purpose. */
export interface RevocationList {
  readonly kids: ReadonlySet<string>;
  readonly updated: Instant;
  readonly nextUpdate: Instant;
  /** True if a governance key signed the list. An unsigned list never replaces a signed one. */
  readonly isSigned: boolean;
}

/** `none`: the document is not a list, for example an HTML page. `untrusted`: it is a list that cannot be trusted. */
export type RevocationFault = 'none' | 'untrusted';

const types = new Set(['ads-gov-revocation+jws', 'adcp-gov-revocation+jws']);

/**
 * Reads a combined revocation list (docs/protocol/signing.md#revoked-keys): a JWS in JSON serialization, signed by a
 * governance key, whose protected header names the list's type; or the bare payload, which some publish.
 */
export function readRevocations(
  document: JsonValue,
  governanceKeys: ReadonlyMap<string, JsonObject>,
): Result<RevocationList, RevocationFault> {
  if (!isJsonObject(document)) return err('none');
  const { payload } = document;
  if (typeof payload === 'string') {
    const text = verifiedPayload(document, payload, governanceKeys);
    const parsed = text === undefined ? undefined : parseStrictJson(text);
    return parsed?.ok === true ? listOf(parsed.value.value, true) : err('untrusted');
  }
  return 'revoked_kids' in document ? listOf(document, false) : err('none');
}

function listOf(payload: JsonValue, isSigned: boolean): Result<RevocationList, RevocationFault> {
  if (!isJsonObject(payload)) return err('untrusted');
  const { revoked_kids: kids, updated, next_update: next } = payload;
  const [at, until] = [instantOf(updated), instantOf(next)];
  if (!Array.isArray(kids) || at === undefined || until === undefined || until <= at) return err('untrusted');
  // An entry that is not text may be a kid that should be revoked, so the whole list is refused.
  if (!kids.every((kid) => typeof kid === 'string')) return err('untrusted');
  return ok({ kids: new Set(kids), updated: at, nextUpdate: until, isSigned });
}

/** Returns the payload's bytes if a governance key made one of the signatures. */
function verifiedPayload(
  document: JsonObject,
  payload: string,
  keys: ReadonlyMap<string, JsonObject>,
): Buffer | undefined {
  const { signatures } = document;
  const all = Array.isArray(signatures) ? signatures.filter(isJsonObject) : [document];
  const isSigned = all.slice(0, 10).some((signature) => holds(signature, payload, keys));
  return isSigned ? Buffer.from(payload, 'base64url') : undefined;
}

function holds(entry: JsonObject, payload: string, keys: ReadonlyMap<string, JsonObject>): boolean {
  const { protected: head, signature } = entry;
  if (typeof head !== 'string' || typeof signature !== 'string') return false;
  const parsed = parseStrictJson(Buffer.from(head, 'base64url'));
  const header = parsed.ok ? parsed.value.value : undefined;
  if (!isJsonObject(header) || 'crit' in header) return false;
  const { alg, kid, typ } = header;
  if (typeof typ !== 'string' || !types.has(typ) || typeof kid !== 'string') return false;
  const jwk = keys.get(kid);
  if (jwk === undefined || jwk['alg'] !== alg || !isForGovernance(jwk)) return false;
  return isBy(jwk, Buffer.from(`${head}.${payload}`, 'ascii'), Buffer.from(signature, 'base64url'));
}

function isForGovernance(jwk: JsonObject): boolean {
  const operations = jwk['key_ops'];
  const mayVerify = Array.isArray(operations) && operations.includes('verify');
  const purposes = [jwk['ads_use'], jwk['adcp_use']];
  return jwk['use'] === 'sig' && mayVerify && purposes.includes('governance-signing');
}

function isBy(jwk: JsonObject, bytes: Buffer, signature: Buffer): boolean {
  const { kty, crv, x, y, alg } = jwk;
  const isEd = alg === 'EdDSA' && kty === 'OKP' && crv === 'Ed25519';
  const isEc = alg === 'ES256' && kty === 'EC' && crv === 'P-256';
  if (!isEd && !isEc) return false;
  try {
    const numbers = { kty, crv, x, ...(isEc ? { y } : {}) } as Record<string, string>;
    const key = createPublicKey({ format: 'jwk', key: numbers });
    return isEd
      ? verify(null, bytes, key, signature)
      : verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}
