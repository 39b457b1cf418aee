import { isPublishedTestKey } from '@switchyard/signing';
import { isJsonObject, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';

/** One key that a publisher pinned for an agent. */
export interface PinnedKey {
  readonly kid: string;
  /** Complete for a verifier: a pin has no members that say what the key is for, since it is for one thing alone. */
  readonly jwk: JsonObject;
  /** From then on the key signs nothing. */
  readonly revokedAt?: Instant;
}

/** What of an adagents.json matters to us: which keys each agent may sign its webhooks with. */
export interface Adagents {
  /** By agent URL, byte for byte. An agent without an entry is not pinned; one with an empty list may use no key. */
  readonly pins: ReadonlyMap<string, readonly PinnedKey[]>;
  readonly lastUpdated?: Instant;
}

/** Where the document says that another one speaks for it; undefined where it speaks for itself. */
export function authoritativeLocation(document: JsonObject): string | undefined {
  const location = document['authoritative_location'];
  return typeof location === 'string' ? location : undefined;
}

/** Whether a network's document says that it stands for this publisher no longer, by its name or as 3.1 says it. */
export function isTakenBack(document: JsonObject, publisher: string): boolean {
  const revoked = document['revoked_publisher_domains'];
  if (!Array.isArray(revoked)) return false;
  return revoked.some((one) => (isJsonObject(one) ? one['publisher_domain'] : one) === publisher);
}

/**
 * Reads the pins of an adagents.json (docs/protocol/signing.md#publishers-pins). A publisher that the document itself
 * takes back has none in it. `trustsTestKeys` is for the local profile.
 */
export function readAdagents(document: JsonObject, publisher: string, trustsTestKeys: boolean): Adagents {
  const at = instantOf(document['last_updated']);
  const updated = at === undefined ? {} : { lastUpdated: at };
  const pins = new Map<string, readonly PinnedKey[]>();
  for (const agent of isTakenBack(document, publisher) ? [] : objectsIn(document['authorized_agents'])) {
    const { url, signing_keys: keys } = agent;
    if (typeof url !== 'string' || !Array.isArray(keys)) continue;
    const read = objectsIn(keys).flatMap((key) => pinOf(key, trustsTestKeys) ?? []);
    // Entries of one agent for several properties: their pins may overlap, and each of them counts.
    pins.set(url, [...(pins.get(url) ?? []), ...read]);
  }
  return { pins, ...updated };
}

const numbers = ['crv', 'x', 'y', 'n', 'e'] as const;
const algorithms: Readonly<Record<string, string>> = { 'OKP Ed25519': 'EdDSA', 'EC P-256': 'ES256' };

function pinOf(key: JsonObject, trustsTestKeys: boolean): PinnedKey | undefined {
  const { kid, kty, crv, alg, use } = key;
  if (typeof kid !== 'string' || typeof kty !== 'string') return undefined;
  if (Object.hasOwn(key, 'd') || (!trustsTestKeys && isPublishedTestKey(key))) return undefined;
  const named = alg ?? algorithms[`${kty} ${typeof crv === 'string' ? crv : ''}`];
  const jwk: Record<string, JsonValue> = { kid, kty, use: use ?? 'sig', key_ops: ['verify'] };
  if (named !== undefined) jwk['alg'] = named;
  for (const member of ['ads_use', 'adcp_use']) jwk[member] = 'request-signing';
  for (const member of numbers) if (key[member] !== undefined) jwk[member] = key[member];
  const revoked = key['revoked_at'];
  // A time that cannot be read is a time that has come: somebody wanted this key gone.
  const revokedAt = revoked === undefined || revoked === null ? undefined : (instantOf(revoked) ?? 0);
  return { kid, jwk, ...(revokedAt === undefined ? {} : { revokedAt }) };
}

/** True when two pins name the same public key, whatever else they say. */
export function isSameKey(one: JsonObject, other: JsonObject): boolean {
  return (['kty', ...numbers] as const).every((member) => one[member] === other[member]);
}

function instantOf(value: JsonValue | undefined): Instant | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function objectsIn(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
