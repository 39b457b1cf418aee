-- runs with: 20261123120400_journal_checkpoints
CREATE TABLE "journal_anchor" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "stream" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "entry_total" BIGINT NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "jws" TEXT NOT NULL,
    "key" JSONB NOT NULL,

    CONSTRAINT "journal_anchor_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "journal_anchor_organization_id_made_at_id_idx" ON "journal_anchor"("organization_id", "made_at" DESC, "id" DESC);

select stand_under_tenancy('journal_anchor');

-- A memory that can be edited is none.
create function journal_anchor_stays() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  raise exception 'A signed head is never changed.' using errcode = 'restrict_violation';
end
$$;
revoke execute on function journal_anchor_stays() from public;
create trigger journal_anchor_stays before update or delete on journal_anchor
  for each row execute function journal_anchor_stays();
