import type { Offer } from '@switchyard/buys';
import { prefixId, splitId } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/** Keeps the newest quote of each product, in one statement. */
export async function saveOffers(
  client: TenantClient,
  scope: TenantScope,
  connectionId: string,
  offers: readonly Offer[],
): Promise<void> {
  if (offers.length === 0) return;
  // A seller may name one product twice in one answer: the last quote counts, and one statement may touch a row once.
  const newest = [...new Map(offers.map((offer) => [storableText(offer.productId), offer])).values()];
  await client.query(
    `INSERT INTO offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
     SELECT $1, quoted.product_id, $2, quoted.seller, quoted.offer, quoted.offered_at
     FROM unnest($3::text[], $4::text[], $5::jsonb[], $6::timestamptz[]) AS quoted (product_id, seller, offer, offered_at)
     ON CONFLICT (connection_id, product_id) DO UPDATE SET offer = excluded.offer, offered_at = excluded.offered_at`,
    [
      connectionId,
      scope.organizationId,
      newest.map((offer) => storableText(offer.productId)),
      newest.map((offer) => offer.seller),
      newest.map((offer) => storableJson(offer)),
      newest.map((offer) => new Date(offer.offeredAt)),
    ],
  );
}

export async function readOffers(
  client: TenantClient,
  prefixedIds: readonly string[],
): Promise<ReadonlyMap<string, Offer>> {
  const wanted = prefixedIds.flatMap((id) => {
    const split = splitId(id);
    return split.ok ? [split.value] : [];
  });
  const { rows } = await client.query<{ offer: Offer }>(
    `SELECT offer FROM offered_product
     WHERE (seller, product_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [wanted.map((item) => storableText(item.slug)), wanted.map((item) => storableText(item.id))],
  );
  return new Map(rows.map(({ offer }) => [prefixId(offer.seller, offer.productId), offer]));
}
