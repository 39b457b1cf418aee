import type { OperationState } from '@switchyard/buys';
import type { TenantClient } from '../core/tenant-client.js';
import { buyBeside, buyColumns, legOf, operationOf, packageOf, sellerBuyOf } from './rows.js';
import type { Row } from '../core/row-mapper.js';

/**
 * One operation with all its rows; `where` is on `operation`. With `lock`, it and the buy that it makes or changes are locked
 * before the rest is read, so that two changes of one buy cannot overwrite each other.
 */
export async function readState(
  client: TenantClient,
  where: string,
  values: readonly unknown[],
  lock: '' | 'FOR UPDATE' = '',
): Promise<OperationState | undefined> {
  const found = await client.query<Row>(
    `WITH found AS MATERIALIZED (SELECT * FROM operation WHERE ${where} ${lock})
     SELECT found.*, ${buyColumns}
     FROM found LEFT JOIN LATERAL (
       SELECT b.* FROM media_buy b WHERE b.operation_id = found.id OR b.id = found.media_buy_id ${lock}) buy ON true`,
    [...values],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const operation = operationOf(row);
  const legsOf = client.query<Row>('SELECT * FROM leg WHERE operation_id = $1 ORDER BY seller', [
    operation.id,
  ]);
  const buy = buyBeside(row);
  if (buy === undefined)
    return { operation, legs: (await legsOf).rows.map(legOf), sellerBuys: [], packages: [] };
  const [legs, rows] = await Promise.all([legsOf, partsOf(client, [buy.id])]);
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
