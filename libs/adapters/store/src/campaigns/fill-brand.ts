import type { ClientBrand } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { bookAssignments } from '../ledger/book-assignments.js';
import { withoutClient } from '../spending/judge-move.js';
import { fillCommitments } from '../spending/settle-spend.js';

/**
 * Sets the client of earlier buys of a new brand. A row for a brand's own id applies to buys with that id; a row for
 * the whole domain applies to every id without a row of its own.
 */
export async function fillBrand(
  client: TenantClient,
  { clientId, domain, brandId }: Pick<ClientBrand, 'clientId' | 'domain' | 'brandId'>,
  { principalId, at }: { readonly principalId: string; readonly at: Instant },
  limit: number,
): Promise<number> {
  const named = [domain, brandId, limit, clientId];
  const { rowCount } = await client.query(
    `with picked as materialized (
         select b.id from media_buy b
         where ${withoutClient('b')}
         order by b.created_at desc, b.id limit $3 for update
     ), filled as (
       update media_buy m set client_id = $4 from picked p where m.id = p.id returning m.id, m.operation_id
     ), made as (
       update operation o set client_id = $4 from filled f where o.id = f.operation_id
     ), changed as (
       update operation o set client_id = $4 from filled f where o.media_buy_id = f.id and o.id <> f.operation_id
     )
     insert into buy_assignment (id, organization_id, media_buy_id, client_id, source, principal_id, at)
     select gen_random_uuid(), $5, id, $4, 'brand', $6, $7 from filled`,
    [...named, client.organizationId, principalId, new Date(at)],
  );
  // Creatives follow the operation that brought them: they do not store a brand's own id.
  await client.query(
    `update operation set client_id = $2 where id in (
       select o.id from operation o
       where o.brand_domain = $1 and o.client_id is null and o.task = 'sync_creatives'
         and not exists (select 1 from brand r where r.domain = $1 and r.client_id <> $2)
       order by o.created_at desc, o.id limit $3)`,
    [domain, clientId, limit],
  );
  while ((await bookAssignments(client, at, limit)) >= limit);
  await fillCommitments(client, { clientId, brandDomain: domain }, at);
  return rowCount;
}
