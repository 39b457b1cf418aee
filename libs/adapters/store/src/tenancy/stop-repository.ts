import type { Stop, StopRepository } from '@switchyard/tenancy';
import { isoOf, type Clock } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { emergency_stopModel } from '../generated/models.js';
import { raiseAlarm } from '../signing/alarm-repository.js';

/** Emergency stops in PostgreSQL: a row applies to all processes. */
export function stopRepository(store: Store, clock: Clock): StopRepository {
  return {
    put: (scope, { kind, subject, target, reason, by, at }) =>
      store.inTenant(scope, async (client) => {
        const stop = {
          organization_id: client.organizationId,
          kind,
          subject,
          target,
          reason: reason ?? null,
        };
        const { count } = await client.models.emergency_stop.createMany({
          data: { ...stop, stopped_by: by, stopped_at: new Date(at) },
          skipDuplicates: true,
        });
        if (count === 1) {
          const detail = { stopped_by: by, since: isoOf(at), ...(reason === undefined ? {} : { reason }) };
          await raiseAlarm(client, { kind: 'emergency_stop', subject: target, detail }, at);
        }
        return count === 1;
      }),
    lift: (scope, target, by) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<emergency_stopModel>(
          'delete from emergency_stop where organization_id = $1 and target = $2 returning *',
          [client.organizationId, target],
        );
        if (rows.length > 0)
          await client.models.alarm.updateMany({
            where: { ...open, organization_id: client.organizationId, subject: target },
            data: { acknowledged_at: new Date(clock.now()), acknowledged_by: by, reason: 'started again' },
          });
        return rows.map(stopOf)[0];
      }),
    knowsKey: (scope, kid) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ known: boolean }>(
          `select exists (select from signing_key where organization_id = $1 and kid = $2)
             or exists (select from seen_key where organization_id = $1 and keyid = $2)
             or exists (select from principal_signer where organization_id = $1 and jwks->'keys' @> $3) as known`,
          [client.organizationId, storableText(kid), JSON.stringify([{ kid: storableText(kid) }])],
        );
        return rows[0]?.known === true;
      }),
    list: async (scope) => {
      const { rows } = await store.onceInTenant<emergency_stopModel>(scope, {
        name: 'emergency_stops',
        text: `select * from (
            select kind, subject, target, reason, stopped_by, stopped_at from emergency_stop
            where organization_id = scope.organization_id
            union all select 'organization', '', 'organization', null, requested_by::text, closed_at
            from organization_deletion where organization_id = scope.organization_id) s
          order by stopped_at, target`,
      });
      return rows.map(stopOf);
    },
  };
}

const open = { kind: 'emergency_stop', acknowledged_at: null };

const readStop = rowReader<Omit<Stop, 'by' | 'at'>>()('kind, subject, target, reason');

function stopOf(row: emergency_stopModel): Stop {
  return { ...readStop(row), by: row.stopped_by, at: row.stopped_at.getTime() };
}
