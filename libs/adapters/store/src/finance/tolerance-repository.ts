import { randomUUID } from 'node:crypto';
import type { SetTolerance } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import type { toleranceModel } from '../generated/models.js';

/** How much an invoice may differ, per seller and client. */
export function toleranceRepository(store: Store) {
  return {
    /** Replaces the one for the same seller and client. Returns its id. */
    set: (scope: TenantScope, wanted: Omit<SetTolerance, 'id'>, by: string, at: Instant): Promise<string> =>
      store.inTenant(scope, async ({ models, organizationId }) => {
        const key = {
          organization_id: organizationId,
          seller: storableText(wanted.seller ?? ''),
          client: wanted.clientId ?? '',
        };
        const allowed = {
          absolute_micros: wanted.absoluteMicros,
          percent_hundredths: wanted.percentHundredths,
          set_by: by,
          set_at: new Date(at),
        };
        const { id } = await models.tolerance.upsert({
          where: { organization_id_seller_client: key },
          create: { id: randomUUID(), ...key, ...allowed },
          update: allowed,
          select: { id: true },
        });
        return id;
      }),
    /** All of them, for a reconciliation. */
    all: (scope: TenantScope): Promise<readonly SetTolerance[]> =>
      store.inTenant(scope, async ({ models }) => (await models.tolerance.findMany()).map(toleranceOf)),
    /** False if there is none with this id. */
    remove: (scope: TenantScope, id: string): Promise<boolean> =>
      store.inTenant(scope, async ({ models }) => {
        if (!isUuid(id)) return false;
        return (await models.tolerance.deleteMany({ where: { id } })).count > 0;
      }),
  };
}

export type ToleranceRepository = ReturnType<typeof toleranceRepository>;

function toleranceOf(row: toleranceModel): SetTolerance {
  return {
    id: row.id,
    absoluteMicros: row.absolute_micros,
    percentHundredths: row.percent_hundredths,
    ...(row.seller !== '' && { seller: row.seller }),
    ...(row.client !== '' && { clientId: row.client }),
  };
}
