-- AlterTable
ALTER TABLE "buyer_registration" ADD COLUMN     "active_from" TIMESTAMPTZ(3),
ADD COLUMN     "replaced_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "outbox_event_organization_id_ended_at_idx" ON "outbox_event"("organization_id", "ended_at");

-- Until now every address with a media buy came with the request that made the buy.
update buyer_registration set active_from = created_at where media_buy_id is not null;

-- Calls that no principal made are signed by a key of the organization's own, which names no principal: nulls are
-- distinct to the two indexes that keep a principal to one key of a kind.
create unique index signing_key_own_live on signing_key (organization_id) where state = 'live' and principal_id is null;
create unique index signing_key_own_published on signing_key (organization_id)
  where state = 'published' and principal_id is null;
