import {
  isJsonObject,
  type Clock,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { egressCaps } from '../egress-port.js';
import { fetchDocument } from './fetch-key-documents.js';
import { readRevocations, type RevocationFault, type RevocationList } from './read-revocations.js';
import type { TrustDocuments } from './trust-documents.js';

export interface Revocations {
  /** Of a kid, by the list at the origin of the brand.json at `brandUrl`, which vouches for its signer. */
  status(brandUrl: string, keyid: string): Promise<'ok' | 'revoked' | 'stale'>;
}

export interface RevocationsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly documents: TrustDocuments;
  /** The keys that may sign the list beside a brand.json: those of the governance agents in it. */
  readonly governanceKeys: (brandUrl: string) => Promise<ReadonlyMap<string, JsonObject>>;
  /** Told when there is a list that cannot be believed. */
  readonly onUntrusted: (brandUrl: string) => void;
}

const minute = 60_000;
const shortest = minute;
const longest = 30 * minute;
/** How many polling intervals a list may be overdue. */
const graceIntervals = 4;
const mostOrigins = 5_000;

interface Held {
  /** Undefined: nobody publishes one there. */
  readonly list: RevocationList | undefined;
  /** There is a list, none was ever known, and this one cannot be believed. */
  readonly isUntrusted: boolean;
  readonly askedAt: Instant;
}

/**
 * Lists of revoked keys (docs/protocol/signing.md#revoked-keys). Who publishes none revokes nothing by it; a list that
 * was known once and is overdue beyond its grace makes its origin's keys `stale`, also after a restart.
 */
export function createRevocations(options: RevocationsOptions): Revocations {
  const { clock } = options;
  const held = new Map<string, Held>();
  const flights = new Map<string, Promise<Held>>();

  const refresh = (brandUrl: string): Promise<Held> => {
    const flight = flights.get(brandUrl);
    if (flight !== undefined) return flight;
    const started = look(options, brandUrl, held.get(brandUrl))
      .then((found) => {
        const oldest = held.size >= mostOrigins ? held.keys().next() : undefined;
        if (oldest?.done === false) held.delete(oldest.value);
        held.set(brandUrl, found);
        return found;
      })
      .finally(() => flights.delete(brandUrl));
    flights.set(brandUrl, started);
    return started;
  };

  return {
    status: async (brandUrl, keyid) => {
      let found = held.get(brandUrl);
      if (found === undefined || clock.now() - found.askedAt >= intervalOf(found.list)) {
        found = await refresh(brandUrl);
      }
      if (found.isUntrusted) return 'stale';
      const { list } = found;
      if (list === undefined) return 'ok';
      // Listed stays listed, however old the list is.
      if (list.kids.has(keyid)) return 'revoked';
      return clock.now() > list.nextUpdate + graceIntervals * intervalOf(list) ? 'stale' : 'ok';
    },
  };
}

/** How often a list is asked for: as often as it says that it changes, within bounds. */
function intervalOf(list: RevocationList | undefined): number {
  if (list === undefined) return 5 * minute;
  return Math.min(Math.max(list.nextUpdate - list.updated, shortest), longest);
}

async function look(options: RevocationsOptions, brandUrl: string, before: Held | undefined): Promise<Held> {
  const { egress, clock, documents } = options;
  const url = `${new URL(brandUrl).origin}/.well-known/governance-revocations.json`;
  const known = before === undefined ? await storedList(documents, url) : before.list;
  const requestedAt = clock.now();
  const answer = await fetchDocument(egress, url, egressCaps.revocations);
  // Who cannot be reached, or says that there is none: what was known stands, and ages.
  if (!answer.ok) return { list: known, isUntrusted: false, askedAt: requestedAt };
  const read = await believed(options, brandUrl, answer.value);
  if (!read.ok) {
    const isUntrusted = read.error === 'untrusted';
    if (isUntrusted) options.onUntrusted(brandUrl);
    return { list: known, isUntrusted: isUntrusted && known === undefined, askedAt: requestedAt };
  }
  const list = read.value;
  const isOlder = known !== undefined && (list.updated < known.updated || (known.isSigned && !list.isSigned));
  if (isOlder) {
    options.onUntrusted(brandUrl);
    return { list: known, isUntrusted: false, askedAt: requestedAt };
  }
  if (known?.updated !== list.updated) {
    await documents.write(url, { content: contentOf(list), fetchedAt: requestedAt });
  }
  return { list, isUntrusted: false, askedAt: requestedAt };
}

async function believed(
  options: RevocationsOptions,
  brandUrl: string,
  document: JsonValue,
): Promise<Result<RevocationList, RevocationFault>> {
  const needsKeys = isJsonObject(document) && typeof document['payload'] === 'string';
  return readRevocations(document, needsKeys ? await options.governanceKeys(brandUrl) : new Map());
}

function contentOf({ kids, updated, nextUpdate, isSigned }: RevocationList): JsonObject {
  return { kids: [...kids], updated, next_update: nextUpdate, is_signed: isSigned };
}

async function storedList(documents: TrustDocuments, url: string): Promise<RevocationList | undefined> {
  const content = (await documents.read(url))?.content;
  if (!isJsonObject(content)) return undefined;
  const { kids, updated, next_update: nextUpdate, is_signed: isSigned } = content;
  if (!Array.isArray(kids) || typeof updated !== 'number' || typeof nextUpdate !== 'number') return undefined;
  return {
    kids: new Set(kids.filter((kid) => typeof kid === 'string')),
    updated,
    nextUpdate,
    isSigned: isSigned === true,
  };
}
