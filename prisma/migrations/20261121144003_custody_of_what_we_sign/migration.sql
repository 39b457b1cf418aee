-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "wants_relay_signature" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "leg" ADD COLUMN     "custody_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "signed_by" JSONB;

-- What is not in a chain of custody yet is looked for again and again, and is little.
create index leg_without_custody on leg (organization_id, created_at) where custody_at is null and not sealed and attempts > 0;

-- A reporting webhook names no operation: under a standing address its registration is found by the buy it is about.
create index webhook_registration_standing on webhook_registration (split_part(id, '.r.', 1))
  where kind = 'report' and starts_with(id, 'whs_');
create function relay_report_registration(standing text, seller_buy text)
returns text
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id
  from public.webhook_registration r
  join public.seller_buy s on s.organization_id = r.organization_id and s.leg_id = r.leg_id
  where r.kind = 'report' and starts_with(r.id, 'whs_') and split_part(r.id, '.r.', 1) = standing
    and s.seller_media_buy_id = seller_buy
  limit 1
$$;
revoke execute on function relay_report_registration(text, text) from public;
comment on function relay_report_registration(text, text) is 'for the application';
