import type { BuyPackage } from '@switchyard/buys';
import type { TenantClient } from '../core/tenant-client.js';
import { packageColumns } from './columns.js';
import { columnValue, insertRows } from './insert-rows.js';

/** The packages that a buy is made with, at their places in its buyer's request. */
export function insertPackages(client: TenantClient, packages: readonly BuyPackage[]): Promise<void> {
  return insertRows(
    client,
    'buy_package',
    packages.map((item) => packageColumns(client.organizationId, item)),
  );
}

/**
 * Packages that join one buy, after all that it has, in their order: whoever adds some has read the buy a while ago, and
 * others may have joined since. The two statements travel together; the second sees what was committed while the first
 * waited for the lock.
 */
export async function joinPackages(client: TenantClient, packages: readonly BuyPackage[]): Promise<void> {
  const [first] = packages;
  if (first === undefined) return;
  const rows = packages.map((item, at) => ({
    ...packageColumns(client.organizationId, item),
    position: at + 1,
  }));
  await Promise.all([
    client.query('SELECT 1 FROM media_buy WHERE id = $1 FOR NO KEY UPDATE', [columnValue(first.mediaBuyId)]),
    insertRows(client, 'buy_package', rows, {
      column: 'position',
      value: first.mediaBuyId,
      text: (place, buy) =>
        `${place}::int + (SELECT coalesce(max(position), -1) FROM buy_package WHERE media_buy_id = ${buy})`,
    }),
  ]);
}
