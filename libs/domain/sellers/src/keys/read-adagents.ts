import { isPublishedTestKey } from '@switchyard/signing';
import { isJsonObject, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';

/** One key that a publisher pinned for an agent. */
export interface PinnedKey {
  readonly kid: string;
  /** With all members that a verifier needs. A pin has none for the purpose, because it has only one purpose. */
  readonly jwk: JsonObject;
  /** From this time on, signatures by the key are refused. */
  readonly revokedAt?: Instant;
}

/** The part of an adagents.json that verification needs: the keys with which each agent may sign its webhooks. */
export interface Adagents {
  /** By agent URL, byte for byte. An agent without an entry is not pinned; one with an empty list may use no key. */
  readonly pins: ReadonlyMap<string, readonly PinnedKey[]>;
  readonly lastUpdated?: Instant;
}

/** Returns the URL of the document that replaces this one; undefined if there is none. */
export function authoritativeLocation(document: JsonObject): string | undefined {
  const location = document['authoritative_location'];
  return typeof location === 'string' ? location : undefined;
}

/** True if a network's document revokes this publisher, as a name or as an object (3.1). */
export function isPublisherRevoked(document: JsonObject, publisher: string): boolean {
  const revoked = document['revoked_publisher_domains'];
  if (!Array.isArray(revoked)) return false;
  return revoked.some((entry) => (isJsonObject(entry) ? entry['publisher_domain'] : entry) === publisher);
}

/**
 * Reads the pins of an adagents.json (docs/protocol/signing.md#publishers-pins). For a publisher that the document
 * revokes there are none. `trustsTestKeys` is only for the local profile.
 */
export function readAdagents(document: JsonObject, publisher: string, trustsTestKeys: boolean): Adagents {
  const at = instantOf(document['last_updated']);
  const updated = at === undefined ? {} : { lastUpdated: at };
  const pins = new Map<string, PinnedKey[]>();
  for (const agent of isPublisherRevoked(document, publisher)
    ? []
    : objectsIn(document['authorized_agents'])) {
    const { url, signing_keys: keys } = agent;
    if (typeof url !== 'string' || !Array.isArray(keys)) continue;
    const read = objectsIn(keys).flatMap((key) => pinOf(key, trustsTestKeys) ?? []);
    // An agent may have several entries, for several properties. All their pins count.
    const known = pins.get(url);
    if (known === undefined) pins.set(url, [...read]);
    else known.push(...read);
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
  // An unreadable time counts as past: the publisher wanted to revoke this key.
  const revokedAt = revoked === undefined || revoked === null ? undefined : (instantOf(revoked) ?? 0);
  return { kid, jwk, ...(revokedAt === undefined ? {} : { revokedAt }) };
}

/** True if two pins have the same public key; other members may differ. */
export function isSameKey(one: JsonObject, other: JsonObject): boolean {
  return (['kty', ...numbers] as const).every((member) => one[member] === other[member]);
}

/** The instant of a date and time in a peer's document. */
export function instantOf(value: JsonValue | undefined): Instant | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

const indexes = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>();

/** Whether a list of a document has a value: such lists are long, so each is indexed once. */
export function listHas(list: JsonValue | undefined, value: JsonValue | undefined): boolean {
  if (value === undefined || !Array.isArray(list)) return false;
  const index = indexes.get(list) ?? new Set(list);
  indexes.set(list, index);
  return index.has(value);
}

export function objectsIn(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
