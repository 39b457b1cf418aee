import type { Offer, OperationStore, Quote } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, JsonValue } from '@switchyard/values';
import { productsUnder } from './sealed-hold.js';

/** Sellers' quotes in answers to sealed reads, written after the answers and read before a buy. */
export interface QuoteRepository {
  /** Callers do not await it: quotes gather for a moment, and the newest one of each product is written. */
  gather(scope: TenantScope, quotes: readonly Quote[]): void;
  /** A seller's last quotes for the products named anywhere in `args`, by prefixed id. */
  of(scope: TenantScope, seller: string, args: JsonValue): Promise<ReadonlyMap<string, Offer>>;
  /** Writes the remaining quotes. */
  close(): Promise<void>;
}

interface QuoteBookDeps {
  readonly store: Pick<OperationStore, 'offers' | 'saveOffers'>;
  readonly clock: Clock;
  /** Resolves once every received answer is read and its quotes are gathered. */
  readonly caughtUp: () => Promise<void>;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

interface Gathering {
  readonly quotes: Map<string, Quote>;
  readonly cancel: () => void;
}

/** How long quotes gather, in milliseconds, and the most products of one tenant before they are written. */
const gatherMs = 250;
const most = 2_000;

/**
 * Most reads return the catalogue of the read before, so writing quotes with each answer would write the same rows
 * again and again. A crash loses the quotes of a quarter of a second: the next read returns them again, and the seller's
 * answer to the buy decides.
 */
export function createQuoteRepository({
  store,
  clock,
  caughtUp,
  onUnexpected,
}: QuoteBookDeps): QuoteRepository {
  const gathering = new Map<string, Gathering>();
  const writing = new Map<string, Promise<void>>();

  /** One write after another per tenant, so that an older quote never overwrites a newer one. */
  const flush = (organizationId: string): Promise<void> => {
    const gathered = gathering.get(organizationId);
    const before = writing.get(organizationId) ?? Promise.resolve();
    if (gathered === undefined) return before;
    gathered.cancel();
    gathering.delete(organizationId);
    const written = before
      .then(() => store.saveOffers({ organizationId }, [...gathered.quotes.values()]))
      .catch((error: unknown) => onUnexpected(error, 'storing quotes'))
      .finally(() => {
        if (writing.get(organizationId) === written) writing.delete(organizationId);
      });
    writing.set(organizationId, written);
    return written;
  };

  return {
    gather: ({ organizationId }, quotes) => {
      const gathered = gathering.get(organizationId) ?? {
        quotes: new Map<string, Quote>(),
        cancel: clock.after(gatherMs, () => void flush(organizationId)),
      };
      gathering.set(organizationId, gathered);
      for (const quote of quotes) {
        const key = `${quote.connectionId} ${quote.offer.productId}`;
        const known = gathered.quotes.get(key)?.offer.offeredAt ?? -Infinity;
        if (known <= quote.offer.offeredAt) gathered.quotes.set(key, quote);
      }
      if (gathered.quotes.size > most) void flush(organizationId);
    },
    of: async (scope, seller, args) => {
      const products = productsUnder(args).map((id) => `${seller}:${id}`);
      if (products.length === 0) return new Map<string, Offer>();
      await caughtUp();
      await flush(scope.organizationId);
      return store.offers(scope, products);
    },
    close: async () => {
      await Promise.all([...gathering.keys()].map(flush));
      await Promise.all(writing.values());
    },
  };
}
