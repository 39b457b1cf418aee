import type { OperationState } from '@switchyard/buys';
import type { TenantClient } from '../core/tenant-client.js';
import { legOf, mediaBuyOf, operationOf, packageOf, sellerBuyOf } from './rows.js';
import type { Row } from '../core/row-mapper.js';

/** One operation with all its rows. `where` may end in a locking clause. */
export async function readState(
  client: TenantClient,
  where: string,
  values: readonly unknown[],
): Promise<OperationState | undefined> {
  const found = await client.query<Row>(`SELECT * FROM operation WHERE ${where}`, [...values]);
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const operation = operationOf(row);
  // The buy that it makes or changes. The lock of the operation covers the buy too, so that two changes of one buy
  // cannot overwrite each other.
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
  const rows = await partsOf(client, [buy.id]);
  return {
    operation,
    buy,
    legs: legs.rows.map(legOf),
    sellerBuys: rows.sellerBuys.map(sellerBuyOf),
    packages: rows.packages.map(packageOf),
  };
}

/** The parts of some buys, in two statements for any number of buys. */
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
