import type { KeyFailure } from '@switchyard/signing';
import {
  err,
  ok,
  type Clock,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { fetchAdagents } from './fetch-adagents.js';
import { isSameKey, readAdagents, type Adagents, type PinnedKey } from './read-adagents.js';
import type { TrustDocuments } from './trust-documents.js';

export interface PublisherPins {
  /**
   * Returns the pinned key of an agent, on which all its publishers with pins must agree; undefined if none pins keys.
   * If one does, only its pins count: another kid is `key_unknown`, even if the agent's own key set has it.
   */
  find(
    publishers: readonly string[],
    agentUrl: string,
    keyid: string,
  ): Promise<Result<PinnedKey | undefined, KeyFailure>>;
}

interface PublisherPinsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly documents: TrustDocuments;
  readonly trustsTestKeys: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Maximum publishers queried for one seller: the seller's own list must not cause a thousand fetches. */
const queriedAtMost = 20;
/** A copy that could not be refreshed is used for a day. Until it is a week old, keys are then `jwks_unavailable`. */
const staleFor = day;
const rememberedFor = 7 * day;

interface Copy extends Adagents {
  readonly fetchedAt: Instant;
  readonly cacheMs: number;
}

type Failure = 'absent' | 'unavailable';

/** Finds the keys that publishers pin for agents which sell their inventory. Applies only to webhooks of sellers. */
export function createPublisherPins(options: PublisherPinsOptions): PublisherPins {
  const { clock } = options;
  const cache = new CachedFetch<Copy, Failure>(
    (publisher, before) => load(options, publisher, before),
    { good: (copy) => copy.cacheMs, bad: minute, cooldown: minute / 2 },
    clock,
  );
  return {
    find: async (publishers, agentUrl, keyid) => {
      const requested = [...new Set(publishers.map((publisher) => publisher.toLowerCase()))].filter(
        isPublicName,
      );
      const answers = await Promise.all(
        requested.slice(0, queriedAtMost).map((publisher) => pinsOf(cache, publisher, agentUrl, keyid)),
      );
      const pinning: (readonly PinnedKey[])[] = [];
      for (const answer of answers) {
        if (!answer.ok) return answer;
        if (answer.value !== undefined) pinning.push(answer.value);
      }
      if (pinning.length === 0) return ok(undefined);
      return agreed(pinning.map((pins) => pins.filter(({ kid }) => kid === keyid)));
    },
  };
}

async function pinsOf(
  cache: CachedFetch<Copy, Failure>,
  publisher: string,
  agentUrl: string,
  keyid: string,
): Promise<Result<readonly PinnedKey[] | undefined, KeyFailure>> {
  const { outcome, isFresh } = await cache.get(publisher);
  // A copy exists from within the week, but the document cannot be read: its current pins are unknown.
  if (!outcome.ok) return outcome.error === 'absent' ? ok(undefined) : err('jwks_unavailable');
  const pins = outcome.value.pins.get(agentUrl);
  if (pins === undefined || isFresh || pins.some(({ kid }) => kid === keyid)) return ok(pins);
  const again = await cache.refetch(publisher);
  return ok(again?.ok === true ? again.value.pins.get(agentUrl) : pins);
}

/** Each list contains one publisher's matching pins. All must name the same key. */
function agreed(matches: readonly (readonly PinnedKey[])[]): Result<PinnedKey, KeyFailure> {
  const [first] = matches[0] ?? [];
  if (first === undefined || matches.some((pins) => pins.length === 0)) return err('key_unknown');
  const all = matches.flat();
  if (!all.every(({ jwk }) => isSameKey(jwk, first.jwk))) return err('key_unknown');
  const revoked = all.flatMap(({ revokedAt }) => revokedAt ?? []);
  return ok(revoked.length === 0 ? first : { ...first, revokedAt: Math.min(...revoked) });
}

async function load(
  { egress, clock, documents, trustsTestKeys }: PublisherPinsOptions,
  publisher: string,
  before: Copy | undefined,
): Promise<Result<Copy, Failure>> {
  const url = `https://${publisher}/.well-known/adagents.json`;
  const known = before ?? (await storedPins(documents, url, publisher, trustsTestKeys));
  const fetched = await fetchAdagents(egress, publisher);
  if (!fetched.ok && fetched.error === 'absent') return err('absent');
  const read = fetched.ok ? readAdagents(fetched.value.document, publisher, trustsTestKeys) : undefined;
  if (!fetched.ok || read === undefined || isRolledBack(read, known)) return recentCopy(known, clock.now());
  const cacheMs = Math.min(Math.max(fetched.value.maxAgeMs ?? hour, minute), day);
  const copy: Copy = { ...keepingObjects(read, known), fetchedAt: clock.now(), cacheMs };
  // A document that never pinned a key is not stored.
  if (copy.pins.size > 0 || known !== undefined) {
    await documents.write(url, { content: shorten(fetched.value.document), fetchedAt: copy.fetchedAt });
  }
  return ok(copy);
}

/** Rejects a document older than the stored one: an attacker may replay it to bring back a removed key. */
function isRolledBack(read: Adagents, known: Copy | undefined): boolean {
  if (known?.lastUpdated === undefined) return false;
  // A time that was still to come when it was read would hold every later document off.
  const believed = Math.min(known.lastUpdated, known.fetchedAt);
  return read.lastUpdated === undefined || read.lastUpdated < believed;
}

function recentCopy(known: Copy | undefined, now: Instant): Result<Copy, Failure> {
  const age = known === undefined ? Infinity : now - known.fetchedAt;
  if (known !== undefined && age < staleFor) return ok({ ...known, cacheMs: minute });
  return err(age < rememberedFor ? 'unavailable' : 'absent');
}

async function storedPins(
  documents: TrustDocuments,
  url: string,
  publisher: string,
  trustsTestKeys: boolean,
): Promise<Copy | undefined> {
  const stored = await documents.read(url);
  if (stored === undefined) return undefined;
  const read = readAdagents(stored.content as JsonObject, publisher, trustsTestKeys);
  return { ...read, fetchedAt: stored.fetchedAt, cacheMs: minute };
}

/** Reuses the objects of unchanged keys, because imported keys are cached by object. */
function keepingObjects(read: Adagents, known: Copy | undefined): Adagents {
  if (known === undefined) return read;
  const pins = new Map<string, readonly PinnedKey[]>();
  for (const [agent, keys] of read.pins) {
    const before = known.pins.get(agent) ?? [];
    const same = (key: PinnedKey): PinnedKey =>
      before.find((earlier) => JSON.stringify(earlier) === JSON.stringify(key)) ?? key;
    pins.set(agent, keys.map(same));
  }
  return { ...read, pins };
}

/** Keeps only the members that pins are read from, of a document of up to 8 MiB. */
function shorten(document: JsonObject): JsonObject {
  const agents = document['authorized_agents'];
  const pinned = Array.isArray(agents)
    ? agents.flatMap((agent): JsonValue[] =>
        typeof agent === 'object' && agent !== null && 'signing_keys' in agent
          ? [{ url: agent['url'] ?? null, signing_keys: agent['signing_keys'] ?? null }]
          : [],
      )
    : [];
  return {
    authorized_agents: pinned,
    ...('last_updated' in document ? { last_updated: document['last_updated'] ?? null } : {}),
    ...('revoked_publisher_domains' in document
      ? { revoked_publisher_domains: document['revoked_publisher_domains'] ?? null }
      : {}),
  };
}

const reserved = /(?:^|\.)(?:test|example(?:\.(?:com|net|org))?|invalid|localhost|local|internal)$/;

/** True for a name that a publisher can have. Reserved names (RFC 2606 and 6761) have no owner and are not queried. */
export function isPublicName(name: string): boolean {
  return (
    name.length <= 253 && /^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(name) && !reserved.test(name)
  );
}
