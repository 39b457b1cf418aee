import type { BuyPackage } from '@switchyard/buys';
import type { JsonObject } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { noteThings } from '../governance/governed-things.js';
import { packageColumns } from './rows.js';
import { insertRows } from './insert-rows.js';

export const targetingsOf = (packages: readonly BuyPackage[]): readonly JsonObject[] =>
  packages.flatMap(({ targeting }) => (targeting === undefined ? [] : [targeting]));

async function insertPackages(client: TenantClient, packages: readonly BuyPackage[]): Promise<void> {
  await Promise.all([
    insertRows(
      client,
      'buy_package',
      packages.map((item) => packageColumns(client.organizationId, item)),
    ),
    noteThings(client, targetingsOf(packages)),
  ]);
}

/**
 * Adds packages to one buy, after its present ones, in their order. The caller read the buy earlier, and others may
 * have joined since. The lock and the read are sent together; the read sees what was committed while the lock was
 * waited for.
 */
export async function joinPackages(client: TenantClient, packages: readonly BuyPackage[]): Promise<void> {
  const [first] = packages;
  if (first === undefined) return;
  const [, { rows }] = await Promise.all([
    client.query('SELECT 1 FROM media_buy WHERE id = $1 FOR NO KEY UPDATE', [first.mediaBuyId]),
    client.query<{ next: number }>(
      'SELECT coalesce(max(position) + 1, 0) AS next FROM buy_package WHERE media_buy_id = $1',
      [first.mediaBuyId],
    ),
  ]);
  const next = rows[0]?.next ?? 0;
  await insertPackages(
    client,
    packages.map((item, at) => ({ ...item, position: next + at })),
  );
}
