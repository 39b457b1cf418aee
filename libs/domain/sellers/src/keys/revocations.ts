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
  /** Returns the state of a kid by the list at the origin of `brandUrl`, the brand.json that confirms the signer. */
  status(brandUrl: string, keyid: string): Promise<'ok' | 'revoked' | 'stale'>;
}

interface RevocationsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly documents: TrustDocuments;
  /** Returns the keys that may sign the list of a brand.json: those of its governance agents. */
  readonly governanceKeys: (brandUrl: string) => Promise<ReadonlyMap<string, JsonObject>>;
  /** Called if a list exists but cannot be trusted. */
  readonly onUntrusted: (brandUrl: string) => void;
}

const minute = 60_000;
const shortest = minute;
const longest = 30 * minute;
/** Polling intervals by which a list may be overdue. */
const graceIntervals = 4;
const mostOrigins = 5_000;

interface CachedList {
  /** Undefined: no list is published there. */
  readonly list: RevocationList | undefined;
  /** A list exists but cannot be trusted, and no earlier one is known. */
  readonly isUntrusted: boolean;
  readonly requestedAt: Instant;
}

/**
 * Checks lists of revoked keys (docs/protocol/signing.md#revoked-keys). Without a list no key is revoked. If a known
 * list is overdue beyond its grace, the keys of its origin are `stale`, also after a restart.
 */
export function createRevocations(options: RevocationsOptions): Revocations {
  const { clock } = options;
  const byBrand = new Map<string, CachedList>();
  const flights = new Map<string, Promise<CachedList>>();

  const refresh = (brandUrl: string): Promise<CachedList> => {
    const flight = flights.get(brandUrl);
    if (flight !== undefined) return flight;
    const started = fetchList(options, brandUrl, byBrand.get(brandUrl))
      .then((found) => {
        const oldest = byBrand.size >= mostOrigins ? byBrand.keys().next() : undefined;
        if (oldest?.done === false) byBrand.delete(oldest.value);
        byBrand.set(brandUrl, found);
        return found;
      })
      .finally(() => flights.delete(brandUrl));
    flights.set(brandUrl, started);
    return started;
  };

  return {
    status: async (brandUrl, keyid) => {
      let found = byBrand.get(brandUrl);
      if (found === undefined || clock.now() - found.requestedAt >= intervalOf(found.list)) {
        found = await refresh(brandUrl);
      }
      if (found.isUntrusted) return 'stale';
      const { list } = found;
      if (list === undefined) return 'ok';
      // A listed key stays revoked, even if the list is overdue.
      if (list.kids.has(keyid)) return 'revoked';
      return clock.now() > list.nextUpdate + graceIntervals * intervalOf(list) ? 'stale' : 'ok';
    },
  };
}

/** Returns the polling interval in milliseconds: the list's own update interval, within bounds. */
function intervalOf(list: RevocationList | undefined): number {
  if (list === undefined) return 5 * minute;
  return Math.min(Math.max(list.nextUpdate - list.updated, shortest), longest);
}

async function fetchList(
  options: RevocationsOptions,
  brandUrl: string,
  before: CachedList | undefined,
): Promise<CachedList> {
  const { egress, clock, documents } = options;
  const url = `${new URL(brandUrl).origin}/.well-known/governance-revocations.json`;
  const known = before === undefined ? await storedList(documents, url) : before.list;
  const requestedAt = clock.now();
  const answer = await fetchDocument(egress, url, egressCaps.revocations);
  // Unreachable, or reported as absent: the known list stays in use, and ages.
  if (!answer.ok) return { list: known, isUntrusted: false, requestedAt };
  const read = await believed(options, brandUrl, answer.value);
  if (!read.ok) {
    const isUntrusted = read.error === 'untrusted';
    if (isUntrusted) options.onUntrusted(brandUrl);
    return { list: known, isUntrusted: isUntrusted && known === undefined, requestedAt };
  }
  const list = read.value;
  const isOlder = known !== undefined && (list.updated < known.updated || (known.isSigned && !list.isSigned));
  if (isOlder) {
    options.onUntrusted(brandUrl);
    return { list: known, isUntrusted: false, requestedAt };
  }
  if (known?.updated !== list.updated) {
    await documents.write(url, { content: contentOf(list), fetchedAt: requestedAt });
  }
  return { list, isUntrusted: false, requestedAt };
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
