import { isMadeOrMayBe, type OperationStore, type SellerBuy } from '@switchyard/buys';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { orderTitle } from '@switchyard/ledger';
import { lists, type InsertionOrders, type MadeDocuments } from '@switchyard/store';
import type { PageDocument } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { err, isUuid, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { jsonObject, nameOrId } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { checkedAt } from './documents/checked-at.js';
import { documentFile, renderedFile } from './documents/document-file.js';
import { insertionOrderPage } from './documents/insertion-order-page.js';
import { orderFacts } from './documents/order-facts.js';

/** What an insertion order is rendered from. */
export interface OrderDocumentDeps extends ListDeps {
  readonly orders: InsertionOrders;
  readonly baseUrl: () => string;
}

interface InsertionOrdersDeps extends OrderDocumentDeps {
  readonly operations: Pick<OperationStore, 'mediaBuys'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  readonly domainOf: (scope: PrincipalCaller) => Promise<string>;
  readonly clock: Clock;
}

const orderId = '4c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d33';

const declared = resource(lists.insertionOrderList, {
  noun: 'order',
  plural: 'orders',
  area: 'media_buys',
  summary: 'Insertion orders: what was ordered of each seller, in versions',
  views: { changes: z.array(z.string()) },
  example: {
    insertion_order_id: orderId,
    number: 'IO-00012',
    version: 2,
    media_buy_id: 'mb_7f2e4d0a',
    seller: 'harbor',
    client: 'Nova Foods',
    campaign: 'Autumn',
    currency: 'EUR',
    total: '2480',
    changes: ['Home page: budget 1480, before 1200.'],
    digest: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    made_by: 'ada',
    made_at: '2026-11-02T09:00:00.000Z',
  },
  command: {
    title: 'orders: what was ordered of sellers, as documents',
    summary: 'list versions of insertion orders, newest first',
    columns: {
      Number: 'number',
      Version: 'version',
      Seller: 'seller',
      Campaign: { of: ['campaign'], none: '' },
      Total: 'total',
      Currency: 'currency',
      Made: 'made_at',
    },
    none: 'No insertion order was made.',
  },
});

const made = z.strictObject({
  insertion_order_id: z.string(),
  number: z.string(),
  version: z.int(),
  seller: z.string(),
  is_new: z.boolean().describe('False: the last version says what is ordered now.'),
  changes: z.array(z.string()),
  digest: z.string(),
});

const route = routesOn<InsertionOrdersDeps>();

/** What was ordered of sellers, as documents with versions. */
export const insertionOrderRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/orders',
    id: 'make_orders',
    summary: 'Write down what a buy orders of its sellers: a new version where it changed since the last one',
    needs: 'media_buys.write',
    body: z.strictObject({
      media_buy_id: z.string().min(1).max(200),
      seller: nameOrId.exactOptional().describe('Only of this seller.'),
    }),
    answer: z.strictObject({ orders: z.array(made) }),
    handle: (deps, { caller, body }) => makeOrders(deps, caller, body),
  }),
  route({
    method: 'get',
    path: '/v1/orders/{id}/document',
    id: 'render_order',
    summary: 'A version of an insertion order as a file: all its renderings say what its text says',
    needs: 'media_buys.read',
    query: z.strictObject({
      format: z
        .enum(['json', 'pdf', 'xlsx', 'html'])
        .exactOptional()
        .describe('json unless set: the text alone.'),
    }),
    answer: z.strictObject({
      document: jsonObject.describe('The text that its digest covers.'),
      digest: z.string().describe('SHA-256 of the canonical text (RFC 8785).'),
      file: documentFile.exactOptional(),
    }),
    handle: async (deps, { caller, params: { id }, query: { format = 'json' } }) => {
      const found = await orderDocument(deps, caller, id);
      if (!found.ok) return found;
      const { document, digest, page, name } = found.value;
      return format === 'json'
        ? ok({ document, digest })
        : ok({ document, digest, file: await renderedFile(page, format, name) });
    },
  }),
];

async function makeOrders(
  deps: InsertionOrdersDeps,
  caller: PrincipalCaller,
  { media_buy_id: id, seller }: { readonly media_buy_id: string; readonly seller?: string },
): Promise<Result<{ orders: z.output<typeof made>[] }, AdminFailure>> {
  const reach = reachOf(caller, 'media_buys', 'write');
  const [record] = await deps.operations.mediaBuys(caller, { ids: [id], limit: 1, reach });
  if (record === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no media buy with this id.', field: 'media_buy_id' });
  const connections = await deps.connections.list(caller);
  const isMeant = ({ seller: slug, connectionId }: SellerBuy): boolean =>
    seller === undefined || seller === slug || seller === connectionId;
  const parts = record.sellerBuys.filter((part) => isMadeOrMayBe(part) && isMeant(part));
  if (parts.length === 0)
    return err({
      code: 'NOT_FOUND',
      message: 'No seller has taken a part of this buy, or not the one that is named.',
      field: 'seller',
    });
  const organization = await deps.domainOf(caller);
  const orders: z.output<typeof made>[] = [];
  for (const part of parts) {
    const { id: sellerBuyId, connectionId } = part;
    const productIds = record.packages
      .filter(({ legId }) => legId === part.legId)
      .map(({ productId }) => productId);
    const of = { mediaBuyId: id, sellerBuyId, connectionId, seller: part.seller, productIds };
    const names = await deps.orders.names(caller, of);
    const agentUrl = connections.find((one) => one.id === connectionId)?.agentUrl ?? '';
    const facts = orderFacts({ record, part, names, organization, agentUrl });
    const now = deps.clock.now();
    const order = await deps.orders.make(caller, of, { facts, by: caller.principalId }, now);
    await deps.madeDocuments.record(caller, { digest: order.digest, title: orderTitle(order) }, now);
    orders.push({
      ...{ insertion_order_id: order.id, number: order.number, version: order.version, seller: part.seller },
      ...{ is_new: order.isNew, changes: [...order.changes], digest: order.digest },
    });
  }
  return ok({ orders });
}

/** A version of an insertion order: its text, its digest, and the page that its files are rendered from. */
export async function orderDocument(
  { orders, lists: reader, baseUrl }: OrderDocumentDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<
  Result<
    {
      readonly document: JsonObject;
      readonly digest: string;
      readonly page: PageDocument;
      readonly name: string;
    },
    AdminFailure
  >
> {
  const reach = reachOf(caller, 'media_buys', 'read');
  const listed = isUuid(id) ? await reader.one(caller, lists.insertionOrderList, reach, id) : undefined;
  const found = listed === undefined ? undefined : await orders.find(caller, id);
  if (found === undefined)
    return err({ code: 'NOT_FOUND', message: 'No insertion order has this id.', field: 'id' });
  const { document, digest, number, version } = found;
  const page = insertionOrderPage(document, digest, checkedAt(baseUrl(), caller, digest));
  return ok({ document, digest, page, name: `${number}-${String(version)}` });
}
