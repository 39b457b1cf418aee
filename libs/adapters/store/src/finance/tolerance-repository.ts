import { randomUUID } from 'node:crypto';
import type { SetTolerance } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';

/** How much an invoice may differ, per seller and client. */
export function toleranceRepository(store: Store) {
  return {
    /** Replaces the one for the same seller and client. Returns its id. */
    set: (scope: TenantScope, wanted: Omit<SetTolerance, 'id'>, by: string, at: Instant): Promise<string> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string }>(
          `insert into tolerance (id, organization_id, seller, client, absolute_micros, percent_hundredths, set_by, set_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (organization_id, seller, client) do update set absolute_micros = excluded.absolute_micros,
             percent_hundredths = excluded.percent_hundredths, set_by = excluded.set_by, set_at = excluded.set_at
           returning id`,
          [
            randomUUID(),
            client.organizationId,
            storableText(wanted.seller ?? ''),
            wanted.clientId ?? '',
            wanted.absoluteMicros.toString(),
            wanted.percentHundredths,
            by,
            new Date(at),
          ],
        );
        return rows[0]?.id ?? '';
      }),
    /** All of them, for a reconciliation. */
    all: (scope: TenantScope): Promise<readonly SetTolerance[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ToleranceRow>(
          `select id, seller, client, absolute_micros, percent_hundredths from tolerance where organization_id = $1`,
          [client.organizationId],
        );
        return rows.map(toleranceOf);
      }),
    /** False if there is none with this id. */
    remove: (scope: TenantScope, id: string): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return false;
        return (await client.query('delete from tolerance where id = $1', [id])).rowCount > 0;
      }),
  };
}

export type ToleranceRepository = ReturnType<typeof toleranceRepository>;

interface ToleranceRow {
  readonly id: string;
  readonly seller: string;
  readonly client: string;
  readonly absolute_micros: string;
  readonly percent_hundredths: number;
}

function toleranceOf(row: ToleranceRow): SetTolerance {
  return {
    id: row.id,
    absoluteMicros: BigInt(row.absolute_micros),
    percentHundredths: row.percent_hundredths,
    ...(row.seller !== '' && { seller: row.seller }),
    ...(row.client !== '' && { clientId: row.client }),
  };
}
