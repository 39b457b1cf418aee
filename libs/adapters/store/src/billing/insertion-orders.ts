import { randomUUID } from 'node:crypto';
import {
  documentDigest,
  nextOrder,
  orderNumber,
  orderTitle,
  type Agreement,
  type OrderFacts,
  type OrderVersion,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue, storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { campaignModel, insertion_orderModel } from '../generated/models.js';
import { readAgreements } from '../finance/agreement-repository.js';
import { termDaysOf } from '../finance/payment-repository.js';
import type { PostalAddress } from './billing-settings.js';
import { takeTurn } from '../core/take-turns.js';

/** What an insertion order says beside its packages. */
export interface OrderNames {
  readonly seller: string;
  readonly client?: string;
  readonly campaign?: string;
  readonly poNumber?: string;
  readonly insertionOrder?: string;
  readonly estimate?: string;
  readonly reference?: string;
  /** Who bills the client, or the only legal entity. */
  readonly entity?: { readonly name: string; readonly address: PostalAddress; readonly taxId: string };
  /** Days until an invoice is due. */
  readonly termDays: number;
  /** With all sellers. */
  readonly agreements: readonly Agreement[];
  /** Quotes of the seller by its ids of products, as they are stored. */
  readonly offers: ReadonlyMap<string, JsonObject>;
}

interface OrderOf {
  readonly mediaBuyId: string;
  /** UUID. */
  readonly sellerBuyId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly productIds: readonly string[];
}

/** A version, with whether it was made now. */
export interface StoredOrder extends OrderVersion {
  /** UUID. */
  readonly id: string;
  readonly digest: string;
  readonly madeAt: Instant;
}

/** What was ordered of sellers, written down in versions. */
export function insertionOrders(store: Store) {
  return {
    names: (scope: TenantScope, of: OrderOf): Promise<OrderNames> =>
      store.inTenant(scope, (client) => orderNames(client, of)),
    /** The last version, or a new one where it says something else than the last. */
    make: (
      scope: TenantScope,
      of: Pick<OrderOf, 'mediaBuyId' | 'sellerBuyId' | 'seller'>,
      { facts, by }: { readonly facts: OrderFacts; readonly by: string },
      at: Instant,
    ): Promise<StoredOrder & { readonly isNew: boolean }> =>
      store.inTenant(scope, async (client) => {
        // Two requests of one organization take turns: each number is given once.
        await takeTurn(client, 'insertionOrder');
        const last = await lastOf(client, of.sellerBuyId);
        const serial = last?.serial ?? (await nextSerial(client));
        const number = orderNumber(serial);
        const next = nextOrder(facts, last, { number, madeAt: isoOf(at) });
        if (next === undefined && last !== undefined) return { ...last, isNew: false };
        if (next === undefined) throw new Error('The first version of an insertion order is always new.');
        const made = { id: randomUUID(), ...next, digest: documentDigest(next.document), madeAt: at };
        await client.models.insertion_order.create({
          data: {
            organization_id: client.organizationId,
            id: made.id,
            media_buy_id: of.mediaBuyId,
            seller_buy_id: of.sellerBuyId,
            seller: of.seller,
            serial,
            version: made.version,
            title: orderTitle(made),
            document: storableValue(made.document),
            digest: made.digest,
            changes: made.changes.map(storableText),
            made_by: by,
            made_at: new Date(at),
          },
        });
        return { ...made, isNew: true };
      }),
    find: (scope: TenantScope, id: string): Promise<StoredOrder | undefined> =>
      store.inTenantModels(scope, async ({ insertion_order }) => {
        const where = { organization_id: scope.organizationId, id };
        return orderOf(await insertion_order.findFirst({ where }));
      }),
  };
}

export type InsertionOrders = ReturnType<typeof insertionOrders>;

const readOrder = rowReader<Omit<StoredOrder, 'number'> & { readonly serial: number }>()(
  'id, serial, version, document, digest, changes, made_at',
);

const orderOf = (row: insertion_orderModel | null) =>
  row === null ? undefined : { ...readOrder(row), number: orderNumber(row.serial) };

async function lastOf({ models, organizationId }: TenantSession, sellerBuyId: string) {
  return orderOf(
    await models.insertion_order.findFirst({
      where: { organization_id: organizationId, seller_buy_id: sellerBuyId },
      orderBy: { version: 'desc' },
    }),
  );
}

async function nextSerial({ models, organizationId }: TenantSession): Promise<number> {
  const where = { organization_id: organizationId };
  const last = await models.insertion_order.findFirst({ where, orderBy: { serial: 'desc' } });
  return (last?.serial ?? 0) + 1;
}

type NamesRow = Pick<campaignModel, 'po_number' | 'insertion_order' | 'estimate' | 'reference'> & {
  readonly seller: string;
  readonly client: string | null;
  readonly campaign: string | null;
  readonly entity: OrderNames['entity'] | null;
};

async function orderNames(client: TenantSession, of: OrderOf): Promise<OrderNames> {
  const { rows } = await client.query<NamesRow>(
    `select n.name as seller, c.name as client, k.name as campaign, k.po_number, k.insertion_order, k.estimate, k.reference,
       (select jsonb_build_object('name', e.name, 'address', e.address, 'taxId', e.tax_id) from legal_entity e
        where e.organization_id = $1 and e.id = coalesce(b.entity_id, (
          select (array_agg(o.id))[1] from legal_entity o where o.organization_id = $1 having count(*) = 1))) as entity
     from media_buy m join connection n on n.id = $3 left join client c on c.id = m.client_id
     left join campaign k on k.id = m.campaign_id
     left join client_billing b on b.organization_id = $1 and b.client_id = m.client_id
     where m.id = $2 and m.organization_id = $1`,
    [client.organizationId, of.mediaBuyId, of.connectionId],
  );
  const offers = await client.models.offered_product.findMany({
    where: { connection_id: of.connectionId, product_id: { in: [...of.productIds] } },
  });
  const [row] = rows;
  return {
    seller: row?.seller ?? of.seller,
    ...present({
      client: row?.client,
      campaign: row?.campaign,
      poNumber: row?.po_number,
      insertionOrder: row?.insertion_order,
      estimate: row?.estimate,
      reference: row?.reference,
      entity: row?.entity,
    }),
    termDays: await termDaysOf(client, of.seller),
    agreements: await readAgreements(client),
    offers: new Map(offers.map(({ product_id: id, offer }) => [id, offer as JsonObject])),
  };
}
