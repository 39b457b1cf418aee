-- AlterTable
ALTER TABLE "credential" ADD COLUMN     "destination" TEXT;

-- What was sealed before destinations were part of the seal, and is sent somewhere. It is sealed again at the next
-- start or at its first use, so this index is empty soon after.
create index credential_unbound on credential (organization_id)
  where scheme = 'sy-vault-1' and retired_at is null and kind in ('bearer', 'basic', 'webhook', 'callback');

-- That a credential was bound to its destination is said once. The application can only append to this table.
create unique index credential_use_bind on credential_use (organization_id, credential_id) where purpose = 'bind';
