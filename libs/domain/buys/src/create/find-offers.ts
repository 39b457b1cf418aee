import { getProducts, prefixId, splitId, type Brand } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { callSeller } from '../send/call-seller.js';
import type { Mutation } from '../model/caller.js';
import { offerOf, type Offer } from '../model/offer.js';
import type { BuysPorts } from '../model/ports.js';

/** How long a seller may take to show its catalogue when a product was never quoted to us. */
const lookUpMs = 5_000;

export interface OffersFound {
  /** By prefixed product id. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Slugs of sellers that were asked and did not say what they offer. */
  readonly silent: ReadonlySet<string>;
}

/**
 * The quotes behind the packages of a request. What was quoted to this organization is on record; a product that
 * was not is asked for at its seller now, because a buyer may know an id from elsewhere.
 */
export async function findOffers(
  ports: BuysPorts,
  mutation: Pick<Mutation<unknown>, 'scope' | 'principalId'>,
  productIds: readonly string[],
  brand: Brand,
  connections: ReadonlyMap<string, Connection>,
): Promise<OffersFound> {
  const wanted = [...new Set(productIds)];
  const known = new Map(await ports.store.offers(mutation.scope, wanted));
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
  const use = { operationId: ports.ids.uuid(), purpose: getProducts.name };
  const secrets = await ports.lease(mutation.scope, requested, use);
  if (!secrets.ok) return { offers: known, silent: new Set(requested.map(({ slug }) => slug)) };
  const signer = ports.signerFor?.(mutation.scope, mutation.principalId, use);
  await Promise.all(
    requested.map(async (connection) => {
      const credential = secrets.value.get(connection.id)?.credential;
      if (connection.credentialId !== undefined && credential === undefined) return;
      const to = {
        connection,
        ...(credential === undefined ? {} : { credential }),
        ...(signer === undefined ? {} : { signer }),
      };
      const offers = await catalogueOf(ports, to, brand);
      if (offers === undefined) silent.add(connection.slug);
      for (const offer of offers ?? []) known.set(prefixId(connection.slug, offer.productId), offer);
    }),
  );
  return { offers: known, silent };
}

async function catalogueOf(
  ports: BuysPorts,
  to: Parameters<typeof callSeller>[1],
  brand: Brand,
): Promise<readonly Offer[] | undefined> {
  const { connection } = to;
  const profile = { dialect: connection.dialect, form: connection.form };
  const { args } = getProducts.projectRequest({ buyingMode: 'wholesale', brand }, profile);
  const stop = new AbortController();
  const cancel = ports.clock.after(lookUpMs, () => stop.abort());
  const reported = await callSeller(
    ports.transport,
    to,
    { task: getProducts.name, args },
    stop.signal,
  ).finally(cancel);
  const read = reported.ok ? getProducts.readAnswer(reported.value.reply.payload, profile) : undefined;
  if (read?.ok !== true) return undefined;
  return read.value.answer.products.map((product) => offerOf(connection.slug, product, ports.clock.now()));
}
