import type { ResignedLeg } from '@switchyard/relay';
import { legOf, operationOf } from '../buys/rows.js';
import type { Row } from '../core/row-reader.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Answered legs that are in no chain of custody yet, oldest first. A leg without a known outcome waits until it has
 * one, or until a person takes it.
 */
export async function unrecordedLegs(client: TenantClient, limit: number): Promise<readonly ResignedLeg[]> {
  const legs = await client.query<Row>(
    `select l.*, p.name as principal_name, c.agent_url as seller_url, c.credential_id as seller_credential
     from leg l
     join operation o on o.organization_id = l.organization_id and o.id = l.operation_id
     join principal p on p.organization_id = l.organization_id and p.id = o.principal_id
     join connection c on c.organization_id = l.organization_id and c.id = l.connection_id
     where l.organization_id = $1 and l.custody_at is null and not l.sealed and l.attempts > 0
       and l.status not in ('held', 'pending', 'sent')
     order by l.created_at limit $2`,
    [client.organizationId, limit],
  );
  const ids = [...new Set(legs.rows.map((row) => row['operation_id']))];
  const found = await client.query<Row>('select * from operation where id = any($1::uuid[])', [ids]);
  const operations = new Map(found.rows.map(operationOf).map((one) => [one.id, one]));
  return legs.rows.flatMap((row) => {
    const leg = legOf(row);
    const operation = operations.get(leg.operationId);
    const { principal_name: principal, seller_url: sellerUrl, seller_credential: credentialId } = row;
    if (operation === undefined || typeof principal !== 'string' || typeof sellerUrl !== 'string') return [];
    return [
      { leg, operation, principal, sellerUrl, ...(typeof credentialId === 'string' ? { credentialId } : {}) },
    ];
  });
}
