import { isUuid, type Instant } from '@switchyard/values';
import { byTime, given, listStatement, within, type Part } from '../core/list-statement.js';
import { partOf } from '../core/list-of-operations.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { principalOf, rolesOf, type HolderRow } from '../tenancy/principal-row.js';
import { endpointOf, endpointTakesNothing, endpointsThatAreTold } from './endpoint-repository.js';
import type {
  ClaimedDelivery,
  HandedOut,
  Notice,
  NoticePerson,
  NoticeSetting,
  NoticesShown,
  NoticeStore,
  ShownNotice,
} from './notice-store.js';

/** Notices that are handed out in one transaction. */
const handedOutAtOnce = 50;
/** The most people of an organization who are told. */
const mostPeople = 5_000;
const countedUnread = 100;
const forgottenAtOnce = 1_000;

export function noticeRepository(store: Store): NoticeStore {
  return {
    add: (scope, notice) =>
      store.inTenantModels(scope, async (models) => {
        await models.notice.createMany({
          data: {
            organization_id: scope.organizationId,
            kind: notice.kind,
            object_kind: notice.objectKind,
            object_id: notice.objectId,
            data: { ...notice.data },
            addressee_id: notice.addresseeId ?? null,
            principal_id: notice.principalId ?? null,
            client_id: notice.clientId ?? null,
            brand_domain: notice.brandDomain ?? null,
            campaign_id: notice.campaignId ?? null,
            dedupe_key: notice.dedupeKey,
            at: new Date(notice.at),
          },
          skipDuplicates: true,
        });
      }),
    addTimed: (scope, now) =>
      store.inTenant(scope, async (client) => {
        const values = [scope.organizationId, new Date(now)];
        const ending = await client.query(endingCredentials, values);
        const due = await client.query(dueMonth, values);
        return ending.rowCount + due.rowCount;
      }),
    handOut: (scope, now, plan) => store.inTenant(scope, (client) => handOut(client, now, plan)),
    list: (scope, { readerId, shown, isRead, kind, after, limit, ...times }) =>
      store.inTenant(scope, async (client) => {
        const statement = listStatement(
          {
            columns: `${noticeColumns}, d.id as delivery_id, d.read_at`,
            from: toReader,
            where: [
              ...ofReader(scope.organizationId, readerId, shown),
              isRead === undefined ? undefined : ([`d.read_at is ${isRead ? 'not ' : ''}null`] as const),
              given('n.kind = ?', kind),
              ...within('d.at', times),
            ],
            order: byTime('d.at', { column: 'd.id', isDescending: true }),
          },
          { limit, ...(after && { after }) },
        );
        const { rows } = await client.query(statement);
        return rows.map(shownNoticeOf);
      }),
    unread: (scope, { readerId, shown }) =>
      store.inTenant(scope, async (client) => {
        const unread = {
          columns: 'd.id',
          from: toReader,
          where: [...ofReader(scope.organizationId, readerId, shown), ['d.read_at is null'] as const],
          order: byTime('d.at', { column: 'd.id', isDescending: true }),
        };
        return (await client.query(listStatement(unread, { limit: countedUnread }))).rows.length;
      }),
    mark: (scope, readerId, ids, readAt) =>
      store.inTenantModels(scope, async ({ notice_delivery }) => {
        const shown = { organization_id: scope.organizationId, recipient_id: readerId, channel: 'console' };
        const { count } = await notice_delivery.updateMany({
          where: {
            ...{ ...shown, read_at: readAt === undefined ? { not: null } : null },
            ...(ids !== undefined && { notice_id: { in: ids.filter(isUuid) } }),
          },
          data: { read_at: readAt === undefined ? null : new Date(readAt) },
        });
        return count;
      }),
    claim: (scope, now, leaseMs, limit) =>
      store.inTenant(scope, (client) => claim(client, now, leaseMs, limit)),
    settle: (scope, deliveries, { state, dueAt, reason }, now) =>
      store.inTenant(scope, async (client) => {
        await client.query(settle, [
          scope.organizationId,
          deliveries.map(({ id }) => id),
          deliveries.map(({ attempt }) => attempt),
          state,
          dueAt === undefined ? null : new Date(dueAt),
          reason === undefined ? null : storableText(reason).slice(0, 300),
          new Date(now),
        ]);
      }),
    person: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<PersonRow>(`${people} and p.id = $2 limit 1`, [
          scope.organizationId,
          principalId,
        ]);
        return rows.map(personOf)[0];
      }),
    setting: (scope, principalId) =>
      store.inTenantModels(scope, async ({ notice_setting }) => {
        const where = { organization_id: scope.organizationId, principal_id: principalId };
        const row = await notice_setting.findFirst({ where });
        return row === null ? undefined : settingOf(row);
      }),
    saveSetting: (scope, principalId, setting, at) =>
      store.inTenantModels(scope, async ({ notice_setting }) => {
        const key = { organization_id: scope.organizationId, principal_id: principalId };
        const columns = {
          rules: storableValue(setting.rules),
          time_zone: setting.timeZone ?? null,
          digest_hour: setting.digestHour,
          quiet_from: setting.quietFrom ?? null,
          quiet_to: setting.quietTo ?? null,
          updated_at: new Date(at),
        };
        await notice_setting.upsert({
          where: { organization_id_principal_id: key },
          create: { ...key, ...columns },
          update: columns,
        });
      }),
    resend: (scope, endpointId, deliveryId, now) =>
      store.inTenantModels(scope, async ({ notice_delivery }) => {
        if (!isUuid(deliveryId)) return false;
        const own = { organization_id: scope.organizationId, id: deliveryId, recipient_id: endpointId };
        const { count } = await notice_delivery.updateMany({
          where: { ...own, state: { in: ['sent', 'failed'] } },
          data: { state: 'waiting', due_at: new Date(now), lease_until: null, ended_at: null },
        });
        return count > 0;
      }),
    forget: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const values = [scope.organizationId, new Date(before), forgottenAtOnce];
        const { rows } = await client.query<{ id: string }>(oldNotices, values);
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return 0;
        const [own, named] = [{ organization_id: scope.organizationId }, { in: ids }];
        await client.models.notice_delivery.deleteMany({ where: { ...own, notice_id: named } });
        await client.models.notice.deleteMany({ where: { ...own, id: named } });
        return ids.length;
      }),
  };
}

async function handOut(
  client: TenantClient,
  now: Instant,
  plan: Parameters<NoticeStore['handOut']>[2],
): Promise<number> {
  const { organizationId } = client;
  const found = await client.query(waiting, [organizationId, handedOutAtOnce]);
  if (found.rows.length === 0) return 0;
  const [persons, endpoints] = [
    await client.query<PersonRow>(`${people} order by p.created_at, p.id limit $2`, [
      organizationId,
      mostPeople,
    ]),
    await client.query(endpointsThatAreTold, [organizationId]),
  ];
  const notices = found.rows.map(noticeOf);
  const planned = plan(notices, persons.rows.map(personOf), endpoints.rows.map(endpointOf));
  await insertDeliveries(client, notices, planned);
  const ids = notices.map(({ id }) => id);
  const needs = ids.map((id) => planned.needs.get(id) ?? null);
  await client.query(handedOut, [organizationId, ids, needs, new Date(now)]);
  return notices.length;
}

async function insertDeliveries(
  client: TenantClient,
  notices: readonly Notice[],
  { deliveries }: HandedOut,
): Promise<void> {
  if (deliveries.length === 0) return;
  const at = new Map(notices.map((notice) => [notice.id, new Date(notice.at)]));
  await client.query(insert, [
    client.organizationId,
    deliveries.map(({ id }) => id),
    deliveries.map(({ noticeId }) => noticeId),
    deliveries.map(({ recipientId }) => recipientId),
    deliveries.map(({ channel }) => channel),
    deliveries.map(({ noticeId }) => at.get(noticeId)),
    deliveries.map(({ dueAt }) => new Date(dueAt)),
    deliveries.map(({ digestAt }) => (digestAt === undefined ? null : new Date(digestAt))),
  ]);
}

/**
 * The claims of one organization run one after another, so that no digest is torn. Each attempt is counted and committed
 * before anything is sent.
 */
async function claim(
  client: TenantClient,
  now: Instant,
  leaseMs: number,
  limit: number,
): Promise<readonly ClaimedDelivery[]> {
  const { organizationId } = client;
  await client.query(`select pg_advisory_xact_lock(hashtextextended('notices ' || $1, 0))`, [organizationId]);
  const { rows } = await client.query(take, [organizationId, new Date(now), leaseMs, limit]);
  return rows.map(claimedOf);
}

const noticeColumns = `n.id, n.kind, n.object_kind, n.object_id, n.data, n.addressee_id, n.needs, n.principal_id,
  n.client_id, n.brand_domain, n.campaign_id, n.dedupe_key, n.at`;

/**
 * Credentials for sellers whose newest version ends within 30 days: told at 30, 7 and 1 days, each once. A token that its
 * authorization server replaces by itself is none of them; one that it does not replace is.
 */
const endingCredentials = `
  insert into notice (organization_id, kind, object_kind, object_id, data, dedupe_key, at)
  select c.organization_id, 'credential.expiring', 'seller', c.seller,
    jsonb_build_object('seller', c.seller, 'until', to_char(e.ends at time zone 'UTC', 'YYYY-MM-DD'), 'days', e.days),
    'credential.expiring:' || c.credential_id || ':' || c.version || ':' || e.ends || ':' || e.days, $2
  from credential c
  cross join lateral (select least(c.ends_at, c.retired_at) as ends) t
  cross join lateral (select t.ends, case when t.ends <= $2::timestamptz + interval '1 day' then 1
    when t.ends <= $2::timestamptz + interval '7 days' then 7 else 30 end as days) e
  where c.organization_id = $1 and c.seller is not null and e.ends > $2
    and e.ends <= $2::timestamptz + interval '30 days' and (c.retired_at is null or c.retired_at > $2)
    and c.state <> 'refused'
    and (c.kind in ('bearer', 'basic', 'webhook', 'oauth_client', 'client_cert') or c.kind = 'oauth_access'
      and exists (select from seller_authorization a
        where a.organization_id = c.organization_id and a.connection_id = c.connection_id
          and a.access_credential_id = c.credential_id and a.access_version = c.version and a.code = 'not_renewable'))
    and not exists (select from credential n
      where n.organization_id = c.organization_id and n.credential_id = c.credential_id and n.version > c.version
        and n.state <> 'refused' and (n.retired_at is null or n.retired_at > c.retired_at))
  on conflict (organization_id, dedupe_key) do nothing`;

/** The month before, from its third day after the end on, if anything was bought by then and it is not closed. */
const dueMonth = `
  insert into notice (organization_id, kind, object_kind, object_id, data, dedupe_key, at)
  select $1, 'month.due', 'period', m.period, jsonb_build_object('period', m.period), 'month.due:' || m.period, $2
  from (select to_char($2::timestamptz at time zone 'UTC' - interval '1 month', 'YYYY-MM') as period) m
  where extract(day from $2::timestamptz at time zone 'UTC') >= 3
    and exists (select from media_buy b
      where b.organization_id = $1 and b.created_at < date_trunc('month', $2::timestamptz at time zone 'UTC') at time zone 'UTC')
    and not exists (select from accounting_period p
      where p.organization_id = $1 and p.period = m.period and p.state = 'closed')
  on conflict (organization_id, dedupe_key) do nothing`;

const waiting = `
  select ${noticeColumns} from notice n
  where n.organization_id = $1 and n.expanded_at is null order by n.at limit $2 for update skip locked`;

const people = `
  select p.*, ${rolesOf}, o.time_zone as usual_time_zone, s.organization_id as has_setting, s.rules, s.time_zone,
    s.digest_hour, s.quiet_from, s.quiet_to,
    (select a.email from proved_address a
     where a.organization_id = p.organization_id and a.principal_id = p.id order by a.proved_at desc limit 1) as email
  from principal p
  join organization o on o.id = p.organization_id
  left join notice_setting s on s.organization_id = p.organization_id and s.principal_id = p.id
  where p.organization_id = $1 and p.kind = 'person' and p.disabled_at is null`;

const insert = `
  insert into notice_delivery (organization_id, id, notice_id, recipient_id, channel, state, at, due_at, digest_at)
  select $1, d.id, d.notice_id, d.recipient_id, d.channel, case when d.channel = 'console' then 'shown' else 'waiting' end,
    d.at, d.due_at, d.digest_at
  from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[])
    as d (id, notice_id, recipient_id, channel, at, due_at, digest_at)
  on conflict (organization_id, notice_id, recipient_id, channel) do nothing`;

const handedOut = `
  update notice n set expanded_at = $4, needs = h.needs from unnest($2::uuid[], $3::text[]) as h (id, needs)
  where n.organization_id = $1 and n.id = h.id`;

const take = `
  with first as materialized (
    select d.id, d.recipient_id, d.channel, d.digest_at from notice_delivery d
    where d.organization_id = $1 and d.state = 'waiting' and greatest(d.due_at, d.lease_until) <= lease_now($2)
      and not ${endpointTakesNothing}
    order by greatest(d.due_at, d.lease_until) limit $4
  ), chosen as materialized (
    select id from first where digest_at is null
    union
    select o.id from first f join notice_delivery o
      on o.organization_id = $1 and o.state = 'waiting' and o.recipient_id = f.recipient_id and o.digest_at = f.digest_at
        and o.channel = f.channel and greatest(o.due_at, o.lease_until) <= lease_now($2)
  )
  update notice_delivery d set attempts = d.attempts + 1, lease_until = lease_now($2) + $3 * interval '1 millisecond'
  from chosen c, notice n
  where d.organization_id = $1 and d.id = c.id and n.organization_id = $1 and n.id = d.notice_id
  returning ${noticeColumns}, d.id as delivery_id, d.recipient_id, d.channel, d.attempts as attempt, d.digest_at`;

const settle = `
  update notice_delivery d set state = $4, due_at = coalesce($5, d.due_at), lease_until = null, reason = $6,
    ended_at = case when $4 = 'waiting' then null else $7::timestamptz end
  from unnest($2::uuid[], $3::int[]) as s (id, attempt)
  where d.organization_id = $1 and d.id = s.id and d.attempts = s.attempt and d.state = 'waiting'`;

const oldNotices = `
  select id from notice where organization_id = $1 and at < $2 order by at limit $3 for update skip locked`;

const toReader = `notice_delivery d join notice n on n.organization_id = d.organization_id and n.id = d.notice_id`;

/** The notices at the console of a reader that it may still see. */
function ofReader(organizationId: string, readerId: string, shown: readonly NoticesShown[]): readonly Part[] {
  const inReach = shown.map(({ needs, reach }): Part => {
    const [text, ...values] = partOf(withinReach('n', reach, 1));
    return [`n.needs = any(?::text[]) and ${text}`, needs, ...values];
  });
  const all: readonly Part[] = [['n.addressee_id = ?', readerId], ...inReach];
  return [
    ['d.organization_id = ?', organizationId],
    [`d.recipient_id = ? and d.channel = 'console'`, readerId],
    [all.map(([text]) => `(${text})`).join(' or '), ...all.flatMap(([, ...values]) => values)],
  ];
}

const noticeOf = rowReader<Notice>()(
  'id, kind, object_kind, object_id, data, addressee_id, needs, principal_id, client_id, brand_domain, campaign_id, dedupe_key, at',
);
const shownMembers = rowReader<Pick<ShownNotice, 'deliveryId' | 'readAt'>>()('delivery_id, read_at');
const shownNoticeOf = (row: object): ShownNotice => ({ ...noticeOf(row), ...shownMembers(row) });
const claimedMembers = rowReader<Pick<ClaimedDelivery, 'recipientId' | 'channel' | 'attempt' | 'digestAt'>>()(
  'recipient_id, channel, attempt, digest_at',
);
const claimedOf = (row: object): ClaimedDelivery => ({
  id: shownMembers(row).deliveryId,
  ...claimedMembers(row),
  notice: noticeOf(row),
});

type PersonRow = HolderRow & {
  readonly usual_time_zone: string;
  readonly has_setting: string | null;
  readonly email: string | null;
};

const settingOf = rowReader<NoticeSetting>()('rules, time_zone, digest_hour, quiet_from, quiet_to');

function personOf(row: PersonRow): NoticePerson {
  return {
    principal: principalOf(row),
    usualTimeZone: row.usual_time_zone,
    ...(row.email !== null && { email: row.email }),
    ...(row.has_setting !== null && { setting: settingOf(row) }),
  };
}
