-- AlterTable
ALTER TABLE "onboarding_run" ADD COLUMN     "challenge" JSONB,
ADD COLUMN     "retry_at" TIMESTAMPTZ(3);

create index onboarding_run_due on onboarding_run (organization_id, retry_at) where retry_at is not null;

-- Which tenants have a seller that was too slow and is tried again: few at any time, found by one look.
create function tenants_with_slow_sellers(at timestamptz) returns setof uuid
language sql stable security definer set search_path = public, pg_temp
as $$ select distinct organization_id from public.onboarding_run where retry_at is not null and retry_at <= at $$;
revoke execute on function tenants_with_slow_sellers(timestamptz) from public;
comment on function tenants_with_slow_sellers(timestamptz) is 'for the application';
comment on table onboarding_run is 'read before the tenant is known';
select assign_lookup_functions();
