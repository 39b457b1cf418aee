import type { CustodyRecord } from '@switchyard/relay';
import { isoOf } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';

/** Columns of an open row, in the order of `openValues`; its tenant comes before them. */
export const openColumns = `id, principal_id, seller, way, task, delegation_id, operation_id, keyid, nonce, body_hash,
  held_micros, commitment_id, state, draft, arrived_at`;

/** What a request holds of its delegation's budget, and the id that it shares with its retries. */
interface HeldBudget {
  readonly micros: string | null;
  readonly commitmentId: string | null;
}

export const holdsNothing: HeldBudget = { micros: null, commitmentId: null };

/** Writes the row of a request in progress. */
export async function insertOpen(
  client: TenantClient,
  record: Omit<CustodyRecord, 'outcome'>,
  held: HeldBudget,
  nonce: string | null,
): Promise<void> {
  await client.lastQuery({
    name: 'relay_request_open',
    text: `insert into relay_request (organization_id, ${openColumns})
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'open', $14, $15)`,
    values: openValues(client.organizationId, record, held, nonce),
  });
}

/** The values of an open row: its tenant, then one for each of `openColumns` except its state. */
export function openValues(
  organizationId: string,
  record: Omit<CustodyRecord, 'outcome'>,
  { micros, commitmentId }: HeldBudget,
  nonce: string | null,
): readonly unknown[] {
  return [
    ...common(organizationId, record),
    nonce,
    record.arrived.bodyHash,
    micros,
    commitmentId,
    record,
    isoOf(record.arrived.at),
  ];
}

/** Writes the row of a refused request, unless it exists. */
export async function insertRefused(client: TenantClient, record: CustodyRecord): Promise<void> {
  await client.query({
    name: 'relay_request_refused',
    text: `insert into relay_request (organization_id, id, principal_id, seller, way, task, delegation_id, operation_id,
             keyid, body_hash, state, outcome, code, draft, arrived_at, ended_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, $13, $14, $14)
           on conflict (id) do nothing`,
    values: [
      ...common(client.organizationId, record),
      record.arrived.bodyHash,
      record.outcome,
      record.code ?? null,
      record,
      isoOf(record.arrived.at),
    ],
  });
}

function common(organizationId: string, record: Omit<CustodyRecord, 'outcome'>): readonly unknown[] {
  return [
    organizationId,
    record.id,
    record.principalId,
    record.seller,
    record.way,
    record.task ?? null,
    record.delegationId ?? null,
    record.operationId ?? null,
    record.arrived.keyid ?? null,
  ];
}
