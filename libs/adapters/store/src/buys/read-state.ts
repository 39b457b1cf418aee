import type { BuyFilter, MediaBuyRecord, OperationState } from '@switchyard/buys';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { legOf, mediaBuyOf, operationOf, packageOf, sellerBuyOf, type Row } from './rows.js';

/** One operation with all that hangs on it. `where` may end in a locking clause. */
export async function readState(
  client: TenantClient,
  where: string,
  values: readonly unknown[],
): Promise<OperationState | undefined> {
  const found = await client.query<Row>(`SELECT * FROM operation WHERE ${where}`, [...values]);
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const operation = operationOf(row);
  // The buy that it makes, or the one that it changes. Whoever holds the operation locked holds the buy as well, so that
  // two changes of one buy cannot each write over what the other has done.
  const [legs, buys] = await Promise.all([
    client.query<Row>('SELECT * FROM leg WHERE operation_id = $1 ORDER BY seller', [operation.id]),
    client.query<Row>(
      `SELECT * FROM media_buy WHERE operation_id = $1 OR id = $2 ${where.endsWith('FOR UPDATE') ? 'FOR UPDATE' : ''}`,
      [operation.id, operation.mediaBuyId ?? null],
    ),
  ]);
  const [buyRow] = buys.rows;
  if (buyRow === undefined) return { operation, legs: legs.rows.map(legOf), sellerBuys: [], packages: [] };
  const buy = mediaBuyOf(buyRow);
  const parts = await partsOf(client, [buy.id]);
  return {
    operation,
    buy,
    legs: legs.rows.map(legOf),
    sellerBuys: parts.sellerBuys.map(sellerBuyOf),
    packages: parts.packages.map(packageOf),
  };
}

/** Media buys, newest first, each with its sellers' buys, packages and legs: four statements however many there are. */
export async function readMediaBuys(
  client: TenantClient,
  filter: BuyFilter,
): Promise<readonly MediaBuyRecord[]> {
  const found = await client.query<Row>(
    `SELECT * FROM media_buy
     WHERE ($1::uuid IS NULL OR principal_id = $1)
       AND (($2::text[] IS NULL AND $3::text[] IS NULL) OR id = ANY($2) OR buyer_ref = ANY($3))
       AND ($5::text IS NULL OR (brand->>'domain' = $5 AND coalesce(brand->>'brand_id', '') = $6 AND operator = $7))
       AND (NOT $8::boolean OR status NOT IN ('completed', 'rejected', 'canceled'))
       AND ($9::timestamptz IS NULL OR created_at < $9 OR (created_at = $9 AND id > $10))
     ORDER BY created_at DESC, id LIMIT $4`,
    [
      filter.principalId ?? null,
      filter.ids?.map(storableText) ?? null,
      filter.buyerRefs?.map(storableText) ?? null,
      filter.limit,
      filter.account?.brandDomain ?? null,
      filter.account?.brandId ?? '',
      filter.account?.operator ?? '',
      filter.isOpen === true,
      filter.after === undefined ? null : new Date(filter.after.madeAt),
      filter.after?.id ?? '',
    ],
  );
  const buys = found.rows.map(mediaBuyOf);
  if (buys.length === 0) return [];
  const { sellerBuys, packages } = await partsOf(
    client,
    buys.map((buy) => buy.id),
  );
  const legs = await client.query<Row>('SELECT * FROM leg WHERE operation_id = ANY($1) ORDER BY seller', [
    buys.map((buy) => buy.operationId),
  ]);
  const allSellerBuys = sellerBuys.map(sellerBuyOf);
  const allPackages = packages.map(packageOf);
  const allLegs = legs.rows.map(legOf);
  return buys.map((buy) => ({
    buy,
    sellerBuys: allSellerBuys.filter((item) => item.mediaBuyId === buy.id),
    packages: allPackages.filter((item) => item.mediaBuyId === buy.id),
    legs: allLegs.filter((leg) => leg.operationId === buy.operationId),
  }));
}

async function partsOf(
  client: TenantClient,
  buyIds: readonly string[],
): Promise<{ sellerBuys: Row[]; packages: Row[] }> {
  const [sellerBuys, packages] = await Promise.all([
    client.query<Row>('SELECT * FROM seller_buy WHERE media_buy_id = ANY($1) ORDER BY seller', [buyIds]),
    client.query<Row>(
      'SELECT * FROM buy_package WHERE media_buy_id = ANY($1) ORDER BY media_buy_id, position',
      [buyIds],
    ),
  ]);
  return { sellerBuys: sellerBuys.rows, packages: packages.rows };
}
