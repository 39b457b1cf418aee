-- runs with: 20261201050100_subscribers
-- The answer of a request that a job did, compressed and in parts.
-- CreateTable
CREATE TABLE "job_file" (
    "organization_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "take" INTEGER NOT NULL,
    "made_for" TEXT NOT NULL,
    "stored" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT,
    "sha256" TEXT,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "job_file_pkey" PRIMARY KEY ("organization_id","job_id")
);

-- CreateTable
CREATE TABLE "job_file_part" (
    "organization_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "take" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "job_file_part_pkey" PRIMARY KEY ("organization_id","job_id","take","position")
);

-- CreateIndex
CREATE INDEX "job_file_organization_id_ends_at_idx" ON "job_file"("organization_id", "ends_at");

select stand_under_tenancy('job_file');
select stand_under_tenancy('job_file_part');
-- Compressed already.
alter table job_file_part alter column content set storage external;

do $$
declare
  body text := pg_get_functiondef('work_due(text[], timestamptz[])'::regprocedure);
begin
  drop function work_due(text[], timestamptz[]);
  execute replace(body, $r$('old_jobs',$r$, $r$('jobs_with_files', 'job', 'due_at', $q$waits_for = 'files' and ended_at is null$q$),
      ('old_job_files', 'job_file', 'ends_at', $q$true$q$),
      ('old_jobs',$r$);
end
$$;

revoke execute on function work_due(text[], timestamptz[]) from public;
comment on function work_due(text[], timestamptz[]) is 'for the application';
comment on table job_file is 'read before the tenant is known';
select assign_lookup_functions();
