import { isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { instantOf } from '../keys/read-adagents.js';
import type { TrustDocuments } from '../keys/trust-documents.js';
import type { PublisherFile } from './read-publisher-file.js';
import { revokedIn } from './read-offers.js';
import { bare } from './selectors.js';

const day = 24 * 3_600_000;
/** How long a revoked domain stays revoked, although the document says nothing of it any more. */
const heldMs = 7 * day;
/** A document that cannot be read any more counts for a day since it was read last. */
const staleMs = day;
/** `last_updated` may go back by this much, in milliseconds: servers of one publisher may differ. */
const toleratedMs = 60_000;
const longestKept = 1024 * 1024;

/** What was stored when a seller of the domain was added last. */
export interface PublisherMemory {
  readonly document: JsonObject;
  readonly lastUpdated?: Instant;
  /** The address that the domain's own document pointed to. */
  readonly location?: string;
  /** Domains that are still held revoked. */
  readonly heldRevoked: ReadonlySet<string>;
  readonly fetchedAt: Instant;
  /** True if the stored document may be used where the current one cannot be read. */
  readonly isRecent: boolean;
}

/** Beside the pins of the same document, which verification stores under its address. */
const keyOf = (url: string): string => `${url}#agents`;

/** Reads what is stored of the document at a domain's own address. */
export async function readMemory(
  documents: Pick<TrustDocuments, 'read'>,
  url: string,
  now: Instant,
): Promise<PublisherMemory | undefined> {
  const stored = await documents.read(keyOf(url));
  if (stored === undefined || !isJsonObject(stored.content)) return undefined;
  const { document, location, revoked } = stored.content;
  if (!isJsonObject(document)) return undefined;
  const lastUpdated = instantOf(document['last_updated']);
  const held = Object.entries(isJsonObject(revoked) ? revoked : {});
  return {
    document,
    heldRevoked: new Set(
      held.flatMap(([domain, until]) => (typeof until === 'number' && until > now ? [domain] : [])),
    ),
    fetchedAt: stored.fetchedAt,
    isRecent: now - stored.fetchedAt < staleMs,
    // A time that was still to come when it was read would hold every later document off.
    ...(lastUpdated === undefined ? {} : { lastUpdated: Math.min(lastUpdated, stored.fetchedAt) }),
    ...(typeof location === 'string' ? { location } : {}),
  };
}

/** Whether a document is older than the stored one: somebody may replay it to bring back an agent that was removed. */
export function isRolledBack(document: JsonObject, memory: PublisherMemory | undefined): boolean {
  if (memory?.lastUpdated === undefined) return false;
  const at = instantOf(document['last_updated']);
  return at === undefined || at < memory.lastUpdated - toleratedMs;
}

/** Stores a document that was read, with the revocations of the one before it as long as they hold. */
export async function remember(
  documents: TrustDocuments,
  url: string,
  file: PublisherFile,
  now: Instant,
): Promise<void> {
  const before = await readMemory(documents, url, now);
  const earlier = await documents.read(keyOf(url));
  const held = isJsonObject(earlier?.content) ? earlier.content['revoked'] : undefined;
  const revoked: Record<string, number> = {};
  for (const domain of before?.heldRevoked ?? []) {
    const until = isJsonObject(held) ? held[domain] : undefined;
    if (typeof until === 'number') revoked[domain] = until;
  }
  for (const domain of revokedIn(file.document, { heldRevoked: new Set() }))
    revoked[bare(domain)] = now + heldMs;
  const isLong = JSON.stringify(file.document).length > longestKept;
  const document = isLong ? shortened(file.document) : file.document;
  const content = { document, revoked, ...(file.location === undefined ? {} : { location: file.location }) };
  await documents.write(keyOf(url), { content, fetchedAt: now });
}

/** Of a long document only what decides who is offered; its properties are read again when they are needed. */
function shortened(document: JsonObject): JsonObject {
  const { authorized_agents: agents, last_updated: updated } = document;
  return {
    authorized_agents: Array.isArray(agents) ? agents.slice(0, 200) : [],
    ...(updated === undefined ? {} : { last_updated: updated }),
  };
}
