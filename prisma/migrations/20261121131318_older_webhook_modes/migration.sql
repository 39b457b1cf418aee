-- AlterTable
ALTER TABLE "connection" ADD COLUMN     "webhook_credential_id" UUID,
ALTER COLUMN "legacy_webhooks" DROP NOT NULL,
ALTER COLUMN "legacy_webhooks" DROP DEFAULT,
ALTER COLUMN "legacy_webhooks" SET DATA TYPE TEXT;

-- AlterTable
ALTER TABLE "inbox_event" ADD COLUMN     "sealed_id" UUID;

-- AlterTable
ALTER TABLE "webhook_registration" ADD COLUMN     "credential_id" UUID,
ADD COLUMN     "token_hash" TEXT;

-- A boolean stood here that nobody could set: every seller was one that signs, and stays one.
update connection set legacy_webhooks = null;

-- With the secret and the token that were agreed: needed before anybody knows whose address it is.
drop function webhook_registration_by_id(text);
create function webhook_registration_by_id(registration_id text)
returns table (
  id text, organization_id uuid, connection_id uuid, leg_id uuid, operation_id uuid, kind text, mode text,
  seller_operation_id text, credential_id uuid, token_hash text, dialect text, agent_url text
)
language sql stable security definer set search_path = public, pg_temp
as $$
  select r.id, r.organization_id, r.connection_id, r.leg_id, r.operation_id, r.kind, r.mode, r.seller_operation_id,
         r.credential_id, r.token_hash, c.dialect, c.agent_url
  from public.webhook_registration r
  join public.connection c on c.id = r.connection_id and c.organization_id = r.organization_id
  where r.id = registration_id
$$;
revoke execute on function webhook_registration_by_id(text) from public;
