import type { LedgerStore } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { AdminFailure } from '../platform/failure.js';

/** Reads where the tables of a ledger begin. */
export interface ArchiveDeps {
  readonly ledger: Pick<LedgerStore, 'archive'>;
}

/** Refuses what needs the entries of a period that is archived (docs/ledger.md#archive). */
export async function refuseArchivedPeriod(
  { ledger }: ArchiveDeps,
  { organizationId }: TenantScope,
  period: string,
): Promise<AdminFailure | undefined> {
  const archive = await ledger.archive({ organizationId });
  return archive === undefined || period >= archive.before
    ? undefined
    : archivedBefore(
        archive.before,
        `the period ${period} cannot be changed, compared or exported any more`,
        'period',
      );
}

/** Refuses what needs archived entries. `so` says what is not possible. */
export function archivedBefore(before: string, so: string, field?: string): AdminFailure {
  return {
    code: 'CONFLICT',
    message: `Entries from before ${before} are archived in files, so ${so}.`,
    ...(field === undefined ? {} : { field }),
    suggestion: 'Statements, exports and breaks that were made before the archive are still there.',
  };
}
