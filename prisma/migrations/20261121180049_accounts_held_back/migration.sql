-- AlterTable
ALTER TABLE "principal_account" ADD COLUMN     "held_at" TIMESTAMPTZ(3),
ADD COLUMN     "hold" TEXT,
ADD COLUMN     "hold_reason" TEXT;

-- A hold is one of those that buyers are told of, and says since when and why.
alter table principal_account add constraint principal_account_hold check (
  hold in ('payment_required', 'suspended') and hold_reason is not null and held_at is not null
  or hold is null and hold_reason is null and held_at is null
);
