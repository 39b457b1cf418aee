import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import { jobsOn } from '../platform/jobs/job-kind.js';
import { period } from '../platform/routes/fields.js';

/** Archives months of all organizations (docs/ledger.md#archive). */
export interface ArchivesMonths {
  /**
   * `tell` is called with the organizations whose files are written, and all. Undefined: it was stopped, and nothing has
   * changed. Absent where this process has no connection of the tables' owner.
   */
  readonly run?: (
    before: string,
    options: {
      readonly stopped: AbortSignal;
      readonly tell: (done: number, total: number) => Promise<unknown>;
    },
  ) => Promise<Result<ArchivedMonths | undefined, { readonly code: string; readonly message: string }>>;
}

interface ArchivedMonths {
  readonly organizations: number;
  readonly entries: bigint;
}

interface ArchiveDeps {
  readonly archivesMonths?: ArchivesMonths;
  readonly local: { readonly operatorId: string };
}

/**
 * An archive as a job of the operator. Only a worker that has a connection of the tables' owner takes it. It is one unit:
 * nothing has changed before its last transaction, so a job that was stopped or cut off begins anew.
 */
export const archiveOfMonths = jobsOn<ArchiveDeps>()({
  name: 'archive_ledger',
  title: 'Archive of months',
  needs: 'principals.write',
  byPerson: true,
  waitsFor: 'files',
  input: z.strictObject({ before: period }),
  cursor: z.strictObject({}),
  first: {},
  unit: async ({ archivesMonths, local }, job) => {
    const { before } = job.input;
    if (job.caller.principalId !== local.operatorId || archivesMonths?.run === undefined)
      return err({ code: 'INSUFFICIENT_PERMISSIONS', message: 'This worker may not archive.' });
    let told = job.done;
    const archived = await archivesMonths.run(before, {
      stopped: job.stopped,
      tell: (written, total) => {
        told = written;
        return job.save({ cursor: {}, done: written, total, phase: 'writing, by organization' });
      },
    });
    // An archive whose worker died after its last transaction is done.
    if (!archived.ok && archived.error.code === 'nothing_to_archive' && job.begunAt !== undefined)
      return ok({ result: { before, organizations: 0, entries: '0' } });
    if (!archived.ok) return archived;
    if (archived.value === undefined) return ok({ progress: { cursor: {}, done: told } });
    const { organizations, entries } = archived.value;
    return ok({ result: { before, organizations, entries: entries.toString() } });
  },
});
