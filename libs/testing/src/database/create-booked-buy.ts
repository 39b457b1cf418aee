import { randomUUID } from 'node:crypto';
import type { Store } from '@switchyard/store';
import { createConnection } from './create-organization.js';

export interface BookedBuyRows {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  readonly legId: string;
  readonly operationId: string;
  /** The seller's own ids; that of the buy is absent until it was answered. */
  readonly sellerMediaBuyId?: string;
  readonly packages: readonly string[];
}

interface StoredBuyOptions {
  readonly seller?: string;
  /** An existing seller, instead of a new one. */
  readonly connection?: { readonly id: string; readonly slug: string };
  readonly currency?: string;
  readonly packages?: readonly string[];
  readonly budgetMicros?: bigint;
  /** False: the seller has not answered yet. */
  readonly answered?: boolean;
}

/** A buy at a new seller, with what reports need. Default: EUR and three packages. */
export async function createBookedBuy(
  store: Store,
  organizationId: string,
  options: StoredBuyOptions = {},
): Promise<BookedBuyRows> {
  const connection =
    options.connection ??
    (await createConnection(
      store,
      organizationId,
      options.seller === undefined ? {} : { slug: options.seller },
    ));
  const { currency = 'EUR', packages = ['p1', 'p2', 'p3'], budgetMicros = 1_000_000_000n } = options;
  const sellerMediaBuyId = options.answered === false ? null : `their-${randomUUID().slice(0, 8)}`;
  const [sellerBuyId, legId, operationId] = [randomUUID(), randomUUID(), randomUUID()];
  const mediaBuyId = `mb_${randomUUID().slice(0, 8)}`;
  await store.inTenant({ organizationId }, async (client) => {
    await client.query(
      `insert into media_buy (id, organization_id, operation_id, principal_id, brand, operator, currency, status,
                              start_time, end_time, created_at, updated_at)
       values ($1, $2, $3, $4, '{}', 'agency.example', $5, 'active', 'asap', '2026-12-01T00:00:00Z', now(), now())`,
      [mediaBuyId, organizationId, operationId, randomUUID(), currency],
    );
    await client.query(
      `insert into seller_buy (id, organization_id, media_buy_id, leg_id, connection_id, seller, seller_media_buy_id,
                               status, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'active', now(), now())`,
      [sellerBuyId, organizationId, mediaBuyId, legId, connection.id, connection.slug, sellerMediaBuyId],
    );
    for (const [position, ref] of packages.entries()) {
      await client.query(
        `insert into buy_package (id, organization_id, media_buy_id, leg_id, position, seller, product_id,
                                  pricing_option_id, currency, budget_micros, seller_package_id)
         values (gen_random_uuid(), $1, $2, $3, $4, $5, 'product', 'cpm', $6, $7, $8)`,
        [
          organizationId,
          mediaBuyId,
          legId,
          position,
          connection.slug,
          currency,
          budgetMicros.toString(),
          ref,
        ],
      );
    }
  });
  return {
    organizationId,
    connectionId: connection.id,
    seller: connection.slug,
    mediaBuyId,
    sellerBuyId,
    legId,
    operationId,
    packages,
    ...(sellerMediaBuyId === null ? {} : { sellerMediaBuyId }),
  };
}
