import type { Clock, Instant, JsonObject } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { pointerOf } from '../keys/find-agent.js';
import { isPublicName } from '../keys/publisher-pins.js';
import { authoritativeLocation } from '../keys/read-adagents.js';
import type { TrustDocuments } from '../keys/trust-documents.js';
import { agentKey } from '../publishers/read-authorizations.js';
import { isLoopbackHost } from './find-input.js';
import type { OperatorSide, PublisherSide } from './merge-offers.js';
import { isRolledBack, readMemory, type PublisherMemory } from './publisher-memory.js';
import { readBrandOffers } from './read-brand-offers.js';
import { readOffers, type Offers } from './read-offers.js';
import {
  adagentsCaps,
  brandCaps,
  readPublisherFile,
  type DocumentRow,
  type FileReading,
  type PublisherFile,
} from './read-publisher-file.js';

/** What reads the documents of a publisher, and what is stored of them. */
export interface FindDeps {
  readonly egress: Pick<Egress, 'request' | 'checkUrl'>;
  readonly clock: Clock;
  readonly documents: TrustDocuments;
}

/** What the publisher's document says, and the way to it. */
export interface AdagentsReading {
  readonly rows: readonly DocumentRow[];
  readonly side?: PublisherSide;
  /** The document, if it was read now and may replace the stored one. */
  readonly fresh?: PublisherFile;
}

/** Reads the adagents.json at an address, and compares it with the stored one. */
export async function readAdagentsSide(
  deps: FindDeps,
  { url, domain }: { readonly url: string; readonly domain: string },
  now: Instant,
): Promise<AdagentsReading> {
  if (isReserved(domain)) return reservedAt(url);
  const memory = await readMemory(deps.documents, url, now);
  const { outcome, rows } = await readPublisherFile(deps.egress, url, adagentsCaps, authoritativeLocation);
  const isOwn = url.endsWith('/.well-known/adagents.json');
  const sideOf = (
    document: JsonObject,
    more: Omit<PublisherSide, keyof Offers> & { readonly location?: string | undefined },
  ): PublisherSide => {
    const { location, ...rest } = more;
    return {
      ...readOffers(document, {
        ...(isOwn ? { publisher: domain } : {}),
        isPointedTo: location !== undefined,
        now,
        heldRevoked: memory?.heldRevoked ?? new Set(),
      }),
      ...rest,
    };
  };
  if (!outcome.ok) {
    if (outcome.error === 'absent' || memory?.isRecent !== true) return { rows };
    return {
      rows,
      side: sideOf(memory.document, {
        file: fromMemory(memory, url),
        held: 'unreadable',
        location: memory.location,
      }),
    };
  }
  const file = outcome.value;
  if (memory !== undefined && isRolledBack(file.document, memory)) {
    const why = 'It is older than the document that was stored here, which is used instead.';
    const older = rows.map((row): DocumentRow =>
      row.url === file.url ? { url: row.url, state: 'rolled_back', why } : row,
    );
    const side = sideOf(memory.document, {
      file: fromMemory(memory, url),
      held: 'rolled_back',
      location: memory.location,
    });
    const dropped = readOffers(file.document, { isPointedTo: false, now, heldRevoked: new Set() }).offers;
    return {
      rows: older,
      side: {
        ...side,
        ...lostTo(
          side,
          dropped.map(({ agentUrl }) => agentUrl),
          'rolled_back',
        ),
      },
    };
  }
  const side = sideOf(file.document, { file: { ...file, fetchedAt: now }, location: file.location });
  if (memory?.location !== undefined && file.location !== undefined && file.location !== memory.location) {
    const kept = sideOf(memory.document, {
      file: fromMemory(memory, url),
      held: 'pointer_changed',
      location: memory.location,
    });
    return {
      rows,
      side: {
        ...kept,
        ...lostTo(
          kept,
          side.offers.map(({ agentUrl }) => agentUrl),
          'pointer_changed',
        ),
      },
    };
  }
  return { rows, side, fresh: file };
}

const heldWhy = {
  rolled_back: 'Only an older document names it: somebody may have put that back.',
  pointer_changed:
    'The domain points to another document since it was read last. That is used after somebody has asked the publisher.',
} as const;

/** Agents of a document that is not used are shown with the reason, unless the stored one has them as well. */
function lostTo(
  kept: PublisherSide,
  agents: readonly string[],
  code: keyof typeof heldWhy,
): Pick<Offers, 'notOffered'> {
  const known = new Set([...kept.offers, ...kept.notOffered].map(({ agentUrl }) => agentKey(agentUrl)));
  const lost = [...new Set(agents)].filter((agentUrl) => !known.has(agentKey(agentUrl)));
  return {
    notOffered: [...kept.notOffered, ...lost.map((agentUrl) => ({ agentUrl, code, why: heldWhy[code] }))],
  };
}

const fromMemory = ({ fetchedAt }: PublisherMemory, url: string) => ({ url, sha256: '', fetchedAt });

/** Names that nobody can own (RFC 2606) are not asked; loopback is asked with its port. */
function isReserved(domain: string): boolean {
  return !isLoopbackHost(domain) && !isPublicName(domain.replace(/:\d+$/, ''));
}

const reservedAt = (url: string): { readonly rows: readonly DocumentRow[] } => ({
  rows: [{ url, state: 'missing', why: 'The name is reserved: it is nobody’s.' }],
});

/** What a brand.json says, and the way to it. */
export interface BrandReading {
  readonly rows: readonly DocumentRow[];
  readonly side?: OperatorSide;
}

/** Reads the brand.json at an address. */
export async function readBrandSide(deps: FindDeps, url: string): Promise<BrandReading> {
  if (isReserved(new URL(url).host)) return reservedAt(url);
  const { outcome, rows }: FileReading = await readPublisherFile(deps.egress, url, brandCaps, (document) => {
    const pointer = pointerOf(document);
    return pointer.ok ? pointer.value : undefined;
  });
  if (!outcome.ok) return { rows };
  const { document, sha256 } = outcome.value;
  return {
    rows,
    side: {
      ...readBrandOffers(document),
      file: { url: outcome.value.url, sha256, fetchedAt: deps.clock.now() },
    },
  };
}
