import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { JobFile, JobLease } from './job-store.js';

/** A file that is whole, and who may read it. */
export interface MadeJobFile extends JobFile {
  /** What its writer was given of the caller, to be compared at each reading. */
  readonly madeFor: string;
}

/** Answers that jobs write, compressed and in parts. A worker that has lost its lease writes nothing more. */
export interface JobFiles {
  /** Begins the file of a job anew. False if the lease was lost. */
  begin(
    scope: TenantScope,
    lease: JobLease,
    about: { readonly madeFor: string; readonly endsAt: Instant },
  ): Promise<boolean>;
  /** Adds the part of this position, from 0. False if the lease was lost. */
  add(scope: TenantScope, lease: JobLease, position: number, content: Buffer): Promise<boolean>;
  /** The file is whole. False if the lease was lost. */
  finish(scope: TenantScope, lease: JobLease, file: Pick<JobFile, 'bytes' | 'sha256'>): Promise<boolean>;
  /** The whole file of a job that has succeeded. */
  find(scope: TenantScope, jobId: string): Promise<MadeJobFile | undefined>;
  /** A part of a whole file; undefined behind the last one, and once it is deleted. */
  part(scope: TenantScope, jobId: string, position: number): Promise<Buffer | undefined>;
  /** Deletes files that ended at an instant or before. Returns how many. */
  forget(scope: TenantScope, now: Instant): Promise<number>;
}

/** Files that one step deletes. */
const forgottenAtOnce = 10;

export function jobFiles(store: Store): JobFiles {
  const isStored = (
    scope: TenantScope,
    text: string,
    values: (organizationId: string) => unknown[],
  ): Promise<boolean> =>
    store.inTenant(
      scope,
      async (client) => (await client.query(text, values(client.organizationId))).rowCount > 0,
    );
  return {
    begin: (scope, { jobId, take }, { madeFor, endsAt }) =>
      store.inTenant(scope, async (client) => {
        const begun = await client.query(begin, [
          ...[client.organizationId, jobId, take],
          ...[madeFor, new Date(endsAt)],
        ]);
        if (begun.rowCount === 0) return false;
        await client.query(dropParts, [client.organizationId, [jobId]]);
        return true;
      }),
    add: (scope, { jobId, take }, position, content) =>
      isStored(scope, add, (id) => [id, jobId, take, position, content, content.length]),
    finish: (scope, { jobId, take }, { bytes, sha256 }) =>
      isStored(scope, finish, (id) => [id, jobId, take, bytes, sha256]),
    find: (scope, jobId) =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(jobId)) return undefined;
        const { rows } = await client.query<{
          made_for: string;
          bytes: string;
          sha256: string;
          ends_at: Date;
        }>(
          `select made_for, bytes, sha256, ends_at from job_file f
           where organization_id = $1 and job_id = $2 and sha256 is not null and exists (
             select from job j where j.organization_id = $1 and j.id = $2 and j.state = 'succeeded')`,
          [client.organizationId, jobId],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        const { made_for: madeFor, bytes, sha256, ends_at: endsAt } = row;
        return { madeFor, sha256, bytes: Number(bytes), endsAt: endsAt.getTime() };
      }),
    part: (scope, jobId, position) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ content: Buffer }>(
          `select p.content from job_file f join job_file_part p
             on p.organization_id = f.organization_id and p.job_id = f.job_id and p.take = f.take
           where f.organization_id = $1 and f.job_id = $2 and f.sha256 is not null and p.position = $3`,
          [client.organizationId, jobId, position],
        );
        return rows[0]?.content;
      }),
    forget: (scope, now) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ job_id: string }>(
          `select job_id from job_file where organization_id = $1 and ends_at <= $2
           order by ends_at limit $3 for update skip locked`,
          [client.organizationId, new Date(now), forgottenAtOnce],
        );
        const ids = rows.map((row) => row.job_id);
        if (ids.length === 0) return 0;
        await client.query(dropParts, [client.organizationId, ids]);
        const where = { organization_id: client.organizationId, job_id: { in: ids } };
        await client.models.job_file.deleteMany({ where });
        return ids.length;
      }),
  };
}

/** The row of the job is locked: another worker takes it before or after, and its parts are other ones. */
const held = `
  held as materialized (
    select organization_id, id from job
    where organization_id = $1 and id = $2 and takes = $3 and ended_at is null for no key update
  )`;

const begin = `
  with ${held}
  insert into job_file as f (organization_id, job_id, take, made_for, ends_at)
  select organization_id, id, $3::int, $4::text, $5::timestamptz from held
  on conflict (organization_id, job_id) do update set take = excluded.take, made_for = excluded.made_for,
    ends_at = excluded.ends_at, stored = 0, bytes = null, sha256 = null`;

const dropParts = 'delete from job_file_part where organization_id = $1 and job_id = any($2::uuid[])';

const add = `
  with ${held}, counted as (
    update job_file f set stored = f.stored + $6::bigint from held
    where f.organization_id = held.organization_id and f.job_id = held.id and f.take = $3
    returning f.organization_id, f.job_id, f.take
  )
  insert into job_file_part (organization_id, job_id, take, position, content)
  select organization_id, job_id, take, $4::int, $5::bytea from counted`;

const finish = `
  with ${held}
  update job_file f set bytes = $4::bigint, sha256 = $5::text from held
  where f.organization_id = held.organization_id and f.job_id = held.id and f.take = $3`;
