import type { OperationState } from '@switchyard/buys';
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

/** What hangs on some buys: two statements however many there are. */
export async function partsOf(
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
