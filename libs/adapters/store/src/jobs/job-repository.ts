import { readPermissions } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import { partOf } from '../core/list-of-operations.js';
import { byTime, given, listStatement, within, type Part } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { storableJson, storableText, storableValue } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { jobModel } from '../generated/models.js';
import { withinReach } from '../core/within-reach.js';
import type {
  JobEnd,
  JobFault,
  JobLease,
  JobProgress,
  JobRecord,
  JobsShown,
  JobStore,
  JobWord,
  NewJob,
  TakenJob,
} from './job-store.js';
import { takeTurn } from '../core/take-turns.js';

/** A job, and its file while that is there. */
const withFile = `j.*, (
  select jsonb_build_object('bytes', f.bytes, 'sha256', f.sha256, 'endsAt', (extract(epoch from f.ends_at) * 1000)::bigint)
  from job_file f where f.organization_id = j.organization_id and f.job_id = j.id and f.sha256 is not null
    and j.state = 'succeeded') as file`;

/** Faults of one job that are kept; more are counted. As many as the longest list of items. */
const faultsAtMost = 10_000;
/** Jobs that one step forgets. */
const forgottenAtOnce = 100;

/** The oldest job of a kind that has not ended and starts another one each day. Two requests at once wait for each other. */
async function dailyOf(client: TenantSession, kind: string): Promise<string | undefined> {
  await takeTurn(client, 'job', kind);
  const daily = { input: { path: ['daily'], equals: true }, state: { in: ['waiting', 'running'] } };
  const oldest = await client.models.job.findFirst({
    where: { organization_id: client.organizationId, kind, ...daily },
    select: { id: true },
    orderBy: { created_at: 'asc' },
  });
  return oldest?.id;
}

export function jobRepository(store: Store): JobStore {
  return {
    insert: (scope, job) =>
      store.inTenant(scope, async (client) => {
        const there = job.isDaily === true ? await dailyOf(client, job.kind) : undefined;
        if (there === undefined) await addJob(client, job);
        return there;
      }),
    list: (scope, { shown, kind, state, sort, after, limit, ...times }) =>
      store.inTenant(scope, async (client) => {
        const jobs = {
          columns: withFile,
          from: 'job j',
          where: [
            isShown(shown),
            given('j.kind = ?', kind),
            given('j.state = ?', state),
            ...within('j.created_at', times),
          ],
          order: byTime('j.created_at', { column: 'j.id', isDescending: true }, sort),
        };
        const { rows } = await client.query<Row>(listStatement(jobs, { limit, ...(after && { after }) }));
        return rows.map(jobOf);
      }),
    find: (scope, id, shown) =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return undefined;
        const one = {
          columns: withFile,
          from: 'job j',
          where: [
            ['j.organization_id = ?', client.organizationId] as const,
            ['j.id = ?', id] as const,
            isShown(shown),
          ],
          order: [{ column: 'j.id', type: 'uuid' } as const],
        };
        return (await client.query<Row>(listStatement(one, { limit: 1 }))).rows.map(jobOf)[0];
      }),
    faults: (scope, jobId, page) =>
      store.inTenant(scope, async (client) => {
        const faults = {
          columns: 'f.position, f.item, f.code, f.message',
          from: 'job_fault f',
          where: [
            ['f.organization_id = ?', client.organizationId] as const,
            ['f.job_id = ?', jobId] as const,
          ],
          order: [{ column: 'f.position', type: 'int' } as const],
        };
        return (await client.query<Row>(listStatement(faults, page))).rows.map(faultOf);
      }),
    take: (scope, { waitsFor, kinds, now, leaseMs }) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, new Date(now), waitsFor, kinds, leaseMs];
        return (await client.query<StoredJob>(take, values)).rows.map(takenOf)[0];
      }),
    save: (scope, lease, progress, { now, leaseMs }) =>
      store.inTenant(scope, (client) => saveJob(client, lease, progress, { now, leaseMs })),
    follow: (scope, lease, progress, next, at) =>
      store.inTenant(scope, async (client) => {
        const word = await saveJob(client, lease, progress, at);
        if (word === 'go_on') await addJob(client, next);
        return word;
      }),
    extend: (scope, { jobId, take: held }, { now, leaseMs }) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, jobId, held, new Date(now), leaseMs];
        return wordOf((await client.query<CancelRow>(extend, values)).rows);
      }),
    release: (scope, { jobId, take: held }, { now, pauseMs, hasFailed }) =>
      store.inTenant(scope, async (client) => {
        await client.query(release, [client.organizationId, jobId, held, new Date(now), pauseMs, hasFailed]);
      }),
    end: (scope, lease, end, now) => store.inTenant(scope, (client) => endJob(client, lease, end, now)),
    cancel: (scope, id, now) =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return false;
        return (await client.query(cancel, [client.organizationId, id, new Date(now)])).rowCount > 0;
      }),
    retry: (scope, id, now, from) => store.inTenant(scope, (client) => retry(client, id, now, from)),
    itemsOf: (scope, jobId, part) =>
      store.inTenantModels(scope, async ({ job_items }) => {
        const where = { organization_id: scope.organizationId, job_id: jobId, part };
        return (await job_items.findFirst({ where }))?.credential_id;
      }),
    forget: (scope, before) => store.inTenant(scope, (client) => forget(client, before)),
  };
}

/**
 * Stores the progress of a unit in the transaction of the unit's own rows, so that what is done is never done twice. If
 * the answer is `lost`, the transaction must be rolled back.
 */
export async function saveJob(
  client: TenantSession,
  { jobId, take: held }: JobLease,
  { cursor, done, total, phase, faults = [] }: JobProgress,
  { now, leaseMs }: { readonly now: Instant; readonly leaseMs: number },
): Promise<JobWord> {
  const { rows } = await client.query<CancelRow>(save, [
    client.organizationId,
    jobId,
    held,
    new Date(now),
    leaseMs,
    storableJson(cursor),
    done,
    total ?? null,
    phase ?? null,
    faults.length,
  ]);
  if (rows.length > 0 && faults.length > 0)
    await client.query(addFaults, [
      client.organizationId,
      jobId,
      faults.map(({ position }) => position),
      faults.map(({ item }) => cut(item, 200)),
      faults.map(({ code }) => cut(code, 80)),
      faults.map(({ message }) => cut(message, 500)),
      faultsAtMost,
    ]);
  return wordOf(rows);
}

type CancelRow = Pick<jobModel, 'cancel_requested_at'>;

function wordOf(rows: readonly CancelRow[]): JobWord {
  const [row] = rows;
  if (row === undefined) return 'lost';
  return row.cancel_requested_at === null ? 'go_on' : 'stop';
}

const cut = (text: string, longest: number): string => storableText(text).slice(0, longest);

/** Stores a job in the transaction of the act that starts it. */
export async function addJob(client: TenantSession, job: NewJob): Promise<void> {
  await client.models.job.create({
    data: {
      organization_id: client.organizationId,
      id: job.id,
      kind: job.kind,
      waits_for: job.waitsFor,
      state: 'waiting',
      input: storableValue(job.input),
      principal_id: job.principalId,
      permissions: storableValue(job.permissions),
      client_id: job.clientId ?? null,
      brand_domain: job.brandDomain ?? null,
      campaign_id: job.campaignId ?? null,
      phase: job.phase ?? null,
      total: job.total ?? null,
      cursor: storableValue(job.cursor),
      created_at: new Date(job.createdAt),
      due_at: new Date(job.dueAt ?? job.createdAt),
    },
    select: { id: true },
  });
  if (job.items.length > 0) await client.query(insertItems, [client.organizationId, job.id, job.items]);
}

const insertItems = `
  insert into job_items (organization_id, job_id, part, credential_id)
  select $1, $2, (i.place - 1)::int, i.id from unnest($3::uuid[]) with ordinality as i (id, place)`;

/** The job that waits longest comes first, and goes behind the others when its slice ends. */
const take = `
  with chosen as materialized (
    select organization_id, id from job
    where organization_id = $1 and waits_for = $3 and ended_at is null and due_at <= lease_now($2) and kind = any($4)
    order by due_at limit 1
    for update skip locked
  )
  update job j set state = 'running', takes = j.takes + 1, failures = j.failures + 1,
    started_at = coalesce(j.started_at, $2), due_at = lease_now($2) + $5 * interval '1 millisecond'
  from chosen c where j.organization_id = c.organization_id and j.id = c.id
  returning j.*`;

const save = `
  update job set cursor = $6, done = $7, total = coalesce($8, total), phase = coalesce($9, phase),
    faults = faults + $10, failures = 0, due_at = lease_now($4) + $5 * interval '1 millisecond',
    progress_at = case when progress_at > $4::timestamptz - interval '1 second' then progress_at else $4 end
  where organization_id = $1 and id = $2 and takes = $3 and ended_at is null
  returning cancel_requested_at`;

const addFaults = `
  insert into job_fault (organization_id, job_id, position, item, code, message)
  select $1, $2, f.position, f.item, f.code, f.message
  from unnest($3::int[], $4::text[], $5::text[], $6::text[]) as f (position, item, code, message)
  where (select count(*) from job_fault where organization_id = $1 and job_id = $2) < $7
  on conflict (organization_id, job_id, position)
  do update set item = excluded.item, code = excluded.code, message = excluded.message`;

const extend = `
  update job set due_at = lease_now($4) + $5 * interval '1 millisecond'
  where organization_id = $1 and id = $2 and takes = $3 and ended_at is null
  returning cancel_requested_at`;

const release = `
  update job set due_at = lease_now($4) + $5 * interval '1 millisecond',
    failures = case when $6::boolean then failures else 0 end
  where organization_id = $1 and id = $2 and takes = $3 and ended_at is null`;

async function endJob(
  client: TenantSession,
  { jobId, take: held }: JobLease,
  { state, result, error }: JobEnd,
  now: Instant,
): Promise<boolean> {
  const { rows } = await client.query<{ faults: number }>(end, [
    client.organizationId,
    jobId,
    held,
    new Date(now),
    state,
    result === undefined ? null : storableJson(result),
    error === undefined ? null : cut(error.code, 80),
    error === undefined ? null : cut(error.message, 500),
  ]);
  const [ended] = rows;
  // Nothing of it can be repeated, so its secrets are not needed any more.
  if (ended?.faults === 0 && state === 'succeeded') await dropItems(client, [jobId]);
  return ended !== undefined;
}

const end = `
  update job set state = $5, result = $6, error_code = $7, error_message = $8, ended_at = $4, progress_at = $4
  where organization_id = $1 and id = $2 and takes = $3 and ended_at is null
  returning faults`;

/** `takes` moves on, so a worker whose lease has ended stores nothing more. */
const cancel = `
  update job set cancel_requested_at = coalesce(cancel_requested_at, $3),
    state = case when state = 'waiting' or due_at <= lease_now($3) then 'canceled' else state end,
    ended_at = case when state = 'waiting' or due_at <= lease_now($3) then $3::timestamptz end,
    takes = case when state = 'waiting' or due_at <= lease_now($3) then takes + 1 else takes end
  where organization_id = $1 and id = $2 and ended_at is null`;

async function retry(
  client: TenantSession,
  id: string,
  now: Instant,
  from: Parameters<JobStore['retry']>[3],
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { organizationId } = client;
  const { rows } = await client.query<{ cursor: unknown }>(lockEnded, [organizationId, id]);
  const [row] = rows;
  if (row === undefined) return false;
  const where = { organization_id: organizationId, job_id: id };
  const found = await client.models.job_fault.findMany({ where, orderBy: { position: 'asc' } });
  const failed = found.map(({ position }) => position);
  const { cursor, forgets } = from(row.cursor, failed);
  const forgotten = forgets ? failed.length : 0;
  if (forgotten > 0) await client.models.job_fault.deleteMany({ where });
  await client.query(restart, [organizationId, id, new Date(now), storableJson(cursor), forgotten]);
  return true;
}

const lockEnded = `
  select cursor from job
  where organization_id = $1 and id = $2 and (state in ('failed', 'canceled') or state = 'succeeded' and faults > 0)
  for update`;

const restart = `
  update job set state = 'waiting', cursor = $4, done = greatest(done - $5::int, 0), faults = greatest(faults - $5::int, 0),
    failures = 0, takes = takes + 1, due_at = lease_now($3), ended_at = null, cancel_requested_at = null, result = null,
    error_code = null, error_message = null
  where organization_id = $1 and id = $2`;

async function dropItems(client: TenantSession, jobIds: readonly string[]): Promise<void> {
  const { models, organizationId } = client;
  await client.query(dropCredentials, [organizationId, jobIds]);
  await models.job_items.deleteMany({
    where: { organization_id: organizationId, job_id: { in: [...jobIds] } },
  });
}

const dropCredentials = `
  delete from credential c using job_items i
  where i.organization_id = $1 and i.job_id = any($2::uuid[]) and c.organization_id = i.organization_id
    and c.credential_id = i.credential_id`;

async function forget(client: TenantSession, before: Instant): Promise<number> {
  const { rows } = await client.query<{ id: string }>(oldJobs, [
    client.organizationId,
    new Date(before),
    forgottenAtOnce,
  ]);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const [own, named] = [{ organization_id: client.organizationId }, { in: ids }];
  await client.models.job_fault.deleteMany({ where: { ...own, job_id: named } });
  await dropItems(client, ids);
  await client.models.job.deleteMany({ where: { ...own, id: named } });
  return ids.length;
}

const oldJobs = `
  select id from job where organization_id = $1 and ended_at < $2 order by ended_at limit $3 for update skip locked`;

/** The jobs that one of these shows. */
function isShown(shown: readonly JobsShown[]): Part {
  const parts = shown.map(({ kinds, reach }): Part => {
    const [inReach, ...values] = partOf(withinReach('j', reach, 1));
    return [`j.kind = any(?::text[]) and ${inReach}`, kinds, ...values];
  });
  if (parts.length === 0) return ['false'];
  return [parts.map(([text]) => `(${text})`).join(' or '), ...parts.flatMap(([, ...values]) => values)];
}

type StoredJob = Row &
  Pick<jobModel, 'id' | 'takes' | 'failures' | 'input' | 'cursor' | 'permissions' | 'trace_parent'>;

const jobOf = rowReader<JobRecord>()(`
  id, kind, state, principal_id, client_id, brand_domain, campaign_id, phase, done, total, result, error_code,
  error_message, faults, cancel_requested_at, created_at, started_at, progress_at, ended_at, file`);

const faultOf = rowReader<JobFault>()('position, item, code, message');

function takenOf(row: StoredJob): TakenJob {
  const { id, takes, failures, input, cursor, permissions, trace_parent: parent } = row;
  const lease = { jobId: id, take: takes };
  return {
    ...jobOf(row),
    ...{ lease, input, cursor, failures, permissions: readPermissions(permissions) },
    // Empty in a session that has said another transaction's trace.
    ...(parent !== null && parent !== '' && { traceParent: parent }),
  };
}
