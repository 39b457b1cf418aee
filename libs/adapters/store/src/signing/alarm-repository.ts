import { randomUUID } from 'node:crypto';
import type { Alarm, AlarmRepository, AlarmKind, AlarmToRaise } from '@switchyard/tenancy';
import { isUuid, type Clock, type Instant } from '@switchyard/values';
import { byTime, given, listStatement, within } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { alarmModel } from '../generated/models.js';

const quietMs = 24 * 3_600_000;
const listed = 500;

/** Alarms in PostgreSQL. A unique index over the open ones makes two processes count in one row. */
export function alarmRepository(store: Store, clock: Clock): AlarmRepository {
  return {
    raise: (scope, alarm) => store.inTenant(scope, (client) => raiseAlarm(client, alarm, clock.now())),
    end: (scope, { kind, subject }, reason) =>
      store.inTenantModels(scope, async ({ alarm }) => {
        const data = { acknowledged_at: new Date(clock.now()), acknowledged_by: 'switchyard', reason };
        await alarm.updateMany({ where: { kind, subject, acknowledged_at: null }, data });
      }),
    list: (scope, { isOpen, kind, sort, limit = listed, ...filter }) =>
      store.inTenant(scope, async (client) => {
        const alarms = {
          columns: '*',
          from: 'alarm',
          where: [
            isOpen === undefined ? undefined : ([`acknowledged_at is ${isOpen ? '' : 'not'} null`] as const),
            given('kind = ?', kind),
            ...within('last_at', filter),
          ],
          order: byTime('last_at', { column: 'id', isDescending: false }, sort),
        };
        const { rows } = await client.query<alarmModel>(listStatement(alarms, { ...filter, limit }));
        return rows.map(alarmOf);
      }),
    find: (scope, id) =>
      store.inTenantModels(scope, async ({ alarm }) => {
        const row = isUuid(id) ? await alarm.findFirst({ where: { id } }) : null;
        return row === null ? undefined : alarmOf(row);
      }),
    acknowledge: (scope, id, by, reason) =>
      store.inTenantModels(scope, async ({ alarm }) => {
        if (!isUuid(id)) return false;
        const data = { acknowledged_at: new Date(clock.now()), acknowledged_by: by, reason };
        return (await alarm.updateMany({ where: { id, acknowledged_at: null }, data })).count > 0;
      }),
  };
}

/** The same in the caller's transaction, for an alarm that must exist if and only if its change is stored. */
export async function raiseAlarm(
  client: TenantClient,
  { kind, subject, detail }: AlarmToRaise,
  at: Instant,
): Promise<'raised' | 'counted' | 'quiet'> {
  const now = new Date(at);
  const text = JSON.stringify(detail);
  // Equal to an alarm that a person acknowledged lately: it is counted, without a new alarm.
  const quiet = await client.query(
    `update alarm set count = count + 1, last_at = $4 where id = (
       select id from alarm
       where kind = $1 and subject = $2 and detail = $3::jsonb and acknowledged_at > $5 and acknowledged_by <> 'switchyard'
         and not exists (select 1 from alarm where kind = $1 and subject = $2 and acknowledged_at is null)
       order by acknowledged_at desc limit 1)`,
    [kind, subject, text, now, new Date(at - quietMs)],
  );
  if (quiet.rowCount > 0) return 'quiet';
  const { rows } = await client.query<{ count: number }>(
    `insert into alarm as known (id, organization_id, kind, subject, detail, first_at, last_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $6)
     on conflict (organization_id, kind, subject) where acknowledged_at is null
     do update set count = known.count + 1, last_at = excluded.last_at, detail = excluded.detail
     returning count`,
    [randomUUID(), client.organizationId, kind, subject, text, now],
  );
  client.alarmRaised(kind);
  return rows[0]?.count === 1 ? 'raised' : 'counted';
}

function alarmOf(row: alarmModel): Alarm {
  const at = row.acknowledged_at;
  return {
    id: row.id,
    kind: row.kind as AlarmKind,
    subject: row.subject,
    detail: row.detail as Alarm['detail'],
    firstAt: row.first_at.getTime(),
    lastAt: row.last_at.getTime(),
    count: row.count,
    ...(at === null
      ? {}
      : { acknowledged: { at: at.getTime(), by: row.acknowledged_by ?? '', reason: row.reason ?? '' } }),
  };
}
