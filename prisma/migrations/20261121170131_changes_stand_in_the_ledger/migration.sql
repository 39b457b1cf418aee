-- AlterTable
ALTER TABLE "buy_change" ADD COLUMN     "entry_id" UUID;

-- What the ledger has to take in: few, and looked for every second.
create index buy_change_unbooked on buy_change (organization_id, at, id)
  where entry_id is null and action <> 'refused_transition';
-- A part is bought once, whatever is replayed.
create unique index buy_change_one_purchase on buy_change (seller_buy_id) where action = 'create';
