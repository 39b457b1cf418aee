import { custodyEntry, type Ended } from '@switchyard/relay';
import { isoOf } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { appendCustody } from './custody-chain.js';

/** Ends rows that are still open, and appends their records to the chain of their principal. */
export async function sealRequests(
  client: TenantClient,
  principalId: string,
  ended: readonly Ended[],
): Promise<void> {
  const { rows } = await client.query<{ id: string }>({
    name: 'relay_request_ended',
    text: `update relay_request r
           set state = 'sealed', draft = null, outcome = e.outcome, code = e.code, ended_at = e.ended_at,
               operation_id = coalesce(r.operation_id, e.operation_id),
               held_micros = case when e.releases then null else r.held_micros end
           from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::boolean[])
             as e(id, outcome, code, ended_at, operation_id, releases)
           where r.organization_id = $1 and r.id = e.id and r.state = 'open' and r.principal_id = $8
           returning r.id`,
    values: [
      client.organizationId,
      ended.map(({ record }) => record.id),
      ended.map(({ record }) => record.outcome),
      ended.map(({ record }) => record.code ?? null),
      ended.map(({ at }) => isoOf(at)),
      ended.map(({ record }) => record.operationId ?? null),
      ended.map(({ releases }) => releases),
      principalId,
    ],
  });
  const taken = new Set(rows.map(({ id }) => id));
  const links = ended
    .filter(({ record }) => taken.has(record.id))
    .map(({ record }) => ({ ...custodyEntry(record), recordId: record.id }));
  const last = ended.at(-1);
  if (links.length > 0 && last !== undefined) await appendCustody(client, principalId, links, last.at);
}
