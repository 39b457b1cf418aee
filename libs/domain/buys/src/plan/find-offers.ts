import { defined } from '@switchyard/values';
import { getProducts, prefixId, splitId, type Brand, profileOf } from '@switchyard/protocol';
import {
  shownTo,
  wantsAccountForProducts,
  type Connection,
  type TransportFailure,
} from '@switchyard/sellers';
import { callSeller } from '../call/call-seller.js';
import type { Mutation } from '../model/caller.js';
import { offerOf, type Offer } from '../model/offer.js';
import type { BuysPorts } from '../model/ports.js';

/** Timeout in milliseconds for a seller's catalogue, requested when a product was never quoted to this organization. */
const lookUpMs = 5_000;

type OfferPorts = Pick<BuysPorts, 'transport' | 'lease' | 'signerFor' | 'clock' | 'ids'> & {
  readonly store: Pick<BuysPorts['store'], 'offers'>;
};

interface OffersFound {
  /** By prefixed product id. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Slugs of sellers that were queried and returned no catalogue. */
  readonly silent: ReadonlySet<string>;
}

/**
 * Finds the quotes for the packages of a request. Quotes to this organization are stored. A product without
 * one is requested from its seller now, because a buyer may know its id from elsewhere.
 */
export async function findOffers(
  ports: OfferPorts,
  mutation: Pick<Mutation<unknown>, 'scope' | 'principalId'>,
  {
    productIds,
    brand,
    connections,
  }: {
    readonly productIds: readonly string[];
    readonly brand: Brand;
    readonly connections: ReadonlyMap<string, Connection>;
  },
): Promise<OffersFound> {
  const wanted = [...new Set(productIds)];
  const known = new Map(await ports.store.offers(mutation.scope, wanted));
  for (const [id, offer] of known) if (!holdsIn(connections.get(offer.seller), offer)) known.delete(id);
  const missing = new Set<string>();
  const silent = new Set<string>();
  for (const id of wanted) {
    const split = known.has(id) ? undefined : splitId(id);
    if (split?.ok === true) missing.add(split.value.slug);
  }
  const requested = [...missing]
    .flatMap((slug) => connections.get(slug) ?? [])
    .filter((connection) => connection.state === 'live');
  if (requested.length === 0) return { offers: known, silent };
  const shown = await queryCatalogues(ports, mutation, requested, brand);
  if (shown === undefined) return { offers: known, silent: new Set(requested.map(({ slug }) => slug)) };
  for (const [slug, catalogue] of shown) {
    if (catalogue.kind !== 'shown') silent.add(slug);
    else for (const offer of catalogue.offers) known.set(prefixId(slug, offer.productId), offer);
  }
  return { offers: known, silent };
}

/** A quote for another account or login is no quote for this client: the seller is asked again. */
function holdsIn(connection: Connection | undefined, { quotedIn }: Offer): boolean {
  const isOpen = quotedIn === undefined && connection?.login === undefined;
  return isOpen || (connection !== undefined && shownTo(connection) === quotedIn);
}

/** What a seller answered to a request for its catalogue. */
export type Catalogue =
  | { readonly kind: 'shown'; readonly offers: readonly Offer[] }
  | { readonly kind: 'failed'; readonly failure: TransportFailure }
  /** The seller answered with something other than a catalogue. */
  | { readonly kind: 'unread' };

/**
 * Queries sellers for their catalogues, for at most 5 seconds. Returns them by slug, without sellers whose
 * credential cannot be leased; undefined where no credential can be leased.
 */
export async function queryCatalogues(
  ports: Omit<OfferPorts, 'store'>,
  mutation: Pick<Mutation<unknown>, 'scope' | 'principalId'>,
  connections: readonly Connection[],
  brand: Brand,
): Promise<ReadonlyMap<string, Catalogue> | undefined> {
  const use = { operationId: ports.ids.uuid(), purpose: getProducts.name };
  const secrets = await ports.lease(mutation.scope, connections, use);
  if (!secrets.ok) return undefined;
  const signer = ports.signerFor?.(mutation.scope, mutation.principalId, use);
  const shown = await Promise.all(
    connections.map(async (connection) => {
      const credential = secrets.value.get(connection.id)?.credential;
      if (connection.credentialId !== undefined && credential === undefined) return [];
      const to = {
        connection,
        ...defined({ credential, signer }),
      };
      return [[connection.slug, await catalogueOf(ports, to, brand)] as const];
    }),
  );
  return new Map(shown.flat());
}

async function catalogueOf(
  ports: Pick<OfferPorts, 'transport' | 'clock'>,
  to: Parameters<typeof callSeller>[1],
  brand: Brand,
): Promise<Catalogue> {
  const { connection } = to;
  const profile = profileOf(connection);
  const { account } = connection;
  const asked = wantsAccountForProducts(connection) ? defined({ account }) : {};
  const { args } = getProducts.projectRequest({ buyingMode: 'wholesale', brand, ...asked }, profile);
  const stop = new AbortController();
  const cancel = ports.clock.after(lookUpMs, () => stop.abort());
  const reported = await callSeller(
    ports.transport,
    to,
    { task: getProducts.name, args },
    stop.signal,
  ).finally(cancel);
  if (!reported.ok) return { kind: 'failed', failure: reported.error };
  const read = getProducts.readAnswer(reported.value.reply.payload, profile);
  if (!read.ok) return { kind: 'unread' };
  const { products } = read.value.answer;
  const now = ports.clock.now();
  return { kind: 'shown', offers: products.map((product) => offerOf(connection.slug, product, now)) };
}
