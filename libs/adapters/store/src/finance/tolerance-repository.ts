import { randomUUID } from 'node:crypto';
import type { SetTolerance } from '@switchyard/ledger';
import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import { comparedBy } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';

/** A tolerance in its list: with the client's name, who set it and when. */
export interface ListedTolerance extends SetTolerance {
  readonly client?: string;
  readonly setBy?: string;
  readonly setAt: Instant;
}

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
    /** Newest first unless set. A limited reach is shown those of its clients, and those without a client. */
    list: (
      scope: TenantScope,
      {
        reach,
        sort = 'newest',
        after,
        limit,
      }: {
        readonly reach: Reach;
        readonly sort?: ListSort;
        readonly after?: readonly (string | number)[];
        readonly limit: number;
      },
    ): Promise<readonly ListedTolerance[]> =>
      store.inTenant(scope, async (client) => {
        const [at, id] = after ?? [];
        const { rows } = await client.query<ToleranceRow & ListedRow>(
          `select t.id, t.seller, t.client, t.absolute_micros, t.percent_hundredths, t.set_at, c.name, p.name as setter
           from tolerance t
           left join client c on c.id::text = t.client and t.client <> ''
           left join principal p on p.id = t.set_by
           where t.organization_id = $1 and ($2::boolean or t.client = '' or t.client = any($3::text[]))
             and ($4::timestamptz is null or t.set_at ${comparedBy(sort)} $4
               or (t.set_at = $4 and t.id ${sort === 'oldest' ? '<' : '>'} $5::uuid))
           order by t.set_at ${sort === 'oldest' ? 'asc, t.id desc' : 'desc, t.id'} limit $6`,
          [
            client.organizationId,
            reach.kind === 'everything',
            reach.kind === 'everything' ? [] : reach.clientIds,
            at ?? null,
            id ?? null,
            limit,
          ],
        );
        return rows.map((row) => ({
          ...toleranceOf(row),
          setAt: row.set_at.getTime(),
          ...present({ client: row.name, setBy: row.setter }),
        }));
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

interface ListedRow {
  readonly set_at: Date;
  readonly name: string | null;
  readonly setter: string | null;
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
