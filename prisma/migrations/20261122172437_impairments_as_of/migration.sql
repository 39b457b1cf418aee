-- AlterTable
ALTER TABLE "impairment" ADD COLUMN     "changed_at" TIMESTAMPTZ(3);

-- Of those on record only these times are known; what changed in between says no more when.
update impairment set changed_at = coalesce(resolved_at, first_seen_at);

ALTER TABLE "impairment" ALTER COLUMN "changed_at" SET NOT NULL;
