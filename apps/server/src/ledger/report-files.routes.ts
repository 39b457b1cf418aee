import { err, type Clock } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import { day, period } from '../platform/routes/fields.js';
import { routesOn, startedJob } from '../platform/routes/route.js';
import { archiveOfMonths, type ArchivesMonths } from './archive-months.js';
import {
  dayBefore,
  narrowFor,
  phaseOf,
  reportFiles,
  unset,
  writableFrom,
  type ReportWriter,
} from './report-files.js';

interface ReportFilesDeps {
  readonly jobStarter: JobStarter;
  readonly reportWriter?: ReportWriter;
  readonly archivesMonths?: ArchivesMonths;
  readonly local: { readonly operatorId: string };
  readonly clock: Clock;
}

const route = routesOn<ReportFilesDeps>();
const example = { job_id: '7b0d9a4e-6f0b-4f0b-8f2e-0c5c1f0b6a11', state: 'waiting' } as const;

/** Files that the operator's commands write too, as jobs of the running instance. */
export const reportFileRoutes = [
  route({
    method: 'post',
    path: '/v1/report-files',
    id: 'write_report_files',
    summary:
      'Write the figures of a day as files, and a manifest with their rows and digests, to the place of this installation; each day, if that is asked for',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      day: day.exactOptional().describe('A UTC day that is over; yesterday unless set.'),
      format: z.enum(['csv', 'parquet']).default('parquet'),
      daily: z
        .boolean()
        .default(false)
        .describe(
          'Each day goes on by itself: the job of the next day waits in the list of jobs. Cancel it to end that.',
        ),
    }),
    answer: startedJob,
    example,
    status: 202,
    mayStartJob: true,
    handle: async ({ jobStarter, reportWriter, clock }, { caller, body }) => {
      const { format, daily, day: of = dayBefore(clock.now()) } = body;
      const narrow = narrowFor(caller);
      if (narrow !== undefined) return err(narrow);
      if (reportWriter === undefined) return err({ code: 'CONFLICT', message: unset });
      if (of > dayBefore(clock.now()))
        return err({ code: 'INVALID_REQUEST', message: `The day ${of} is not over in UTC.`, field: 'day' });
      const dueAt = writableFrom(of);
      return jobStarter.start(reportFiles, caller, {
        input: { day: of, format, daily },
        total: reportWriter.views.length + 1,
        ...(daily && { onlyDaily: dailyIsThere }),
        ...(dueAt > clock.now() && { dueAt, phase: phaseOf(of) }),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/ledger/archives',
    id: 'archive_ledger',
    summary:
      "Move the ledgers of all organizations before a month to the installation's folder of Parquet files; the operator's alone",
    needs: 'principals.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ before: period.describe('The first month that stays.') }),
    bodyExample: { before: '2026-01' },
    answer: startedJob,
    example,
    status: 202,
    mayStartJob: true,
    handle: ({ jobStarter, archivesMonths, local }, { caller, body }) => {
      if (caller.principalId !== local.operatorId)
        return Promise.resolve(err({ code: 'INSUFFICIENT_PERMISSIONS', message: ofOperator }));
      if (archivesMonths === undefined) return Promise.resolve(err({ code: 'CONFLICT', message: noFolder }));
      return jobStarter.start(archiveOfMonths, caller, { input: body });
    },
  }),
];

const dailyIsThere = (jobId: string): AdminFailure => ({
  code: 'CONFLICT',
  message: `Files are written each day already: the job ${jobId} waits for the next one.`,
  field: 'daily',
  suggestion: 'Cancel it first to begin anew.',
});

const ofOperator =
  'Months of all organizations are archived together, by the operator of the installation alone.';
const noFolder =
  'The operator of this installation has named no folder for archives (SWITCHYARD_ARCHIVE_FOLDER).';
