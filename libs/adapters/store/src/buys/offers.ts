import type { Offer, Quote } from '@switchyard/buys';
import { prefixId, splitId } from '@switchyard/protocol';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Keeps the newest quote of each product, in one statement however many sellers quoted. A quote that says what is
 * stored already is not written: most questions bring the catalogue of the question before.
 */
export async function saveOffers(client: TenantClient, quotes: readonly Quote[]): Promise<void> {
  if (quotes.length === 0) return;
  // A seller may name one product twice: the last quote counts, and one statement may touch a row once. In one
  // order, so that two questions that are stored together cannot wait for each other.
  const newest = [
    ...new Map(
      quotes.map((quote) => [`${quote.connectionId} ${storableText(quote.offer.productId)}`, quote]),
    ).entries(),
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, quote]) => quote);
  await client.query({
    name: 'save_offers',
    text: `
      INSERT INTO offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
      SELECT quoted.connection_id, quoted.product_id, $1, quoted.seller, quoted.offer, quoted.offered_at
      FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[])
        AS quoted (connection_id, product_id, seller, offer, offered_at)
      ON CONFLICT (connection_id, product_id) DO UPDATE SET offer = excluded.offer, offered_at = excluded.offered_at
      WHERE offered_product.offer - 'offeredAt' IS DISTINCT FROM excluded.offer - 'offeredAt'`,
    values: [
      client.organizationId,
      newest.map(({ connectionId }) => connectionId),
      newest.map(({ offer }) => storableText(offer.productId)),
      newest.map(({ offer }) => offer.seller),
      newest.map(({ offer }) => storableJson(offer)),
      newest.map(({ offer }) => new Date(offer.offeredAt)),
    ],
  });
}

export async function readOffers(
  store: Pick<Store, 'onceInTenant'>,
  scope: TenantScope,
  prefixedIds: readonly string[],
): Promise<ReadonlyMap<string, Offer>> {
  const wanted = prefixedIds.flatMap((id) => {
    const split = splitId(id);
    return split.ok ? [split.value] : [];
  });
  const { rows } = await store.onceInTenant<{ offer: Offer }>(scope, {
    text: `SELECT offer FROM offered_product
           WHERE organization_id = scope.organization_id
             AND (seller, product_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    values: [wanted.map((item) => storableText(item.slug)), wanted.map((item) => storableText(item.id))],
  });
  return new Map(rows.map(({ offer }) => [prefixId(offer.seller, offer.productId), offer]));
}
