-- runs with: 20261123120400_journal_checkpoints
-- outside a transaction
create index concurrently if not exists "credential_use_organization_id_used_at_id_idx" ON "credential_use"("organization_id", "used_at" DESC, "id" DESC);
create index concurrently if not exists credential_use_of_people on credential_use (organization_id, actor, used_at desc, id desc)
  where purpose = 'evidence';
