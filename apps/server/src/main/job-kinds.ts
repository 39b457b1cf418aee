import { importJob } from '../finance/import-invoices.js';
import { reconciliationJob } from '../finance/run-reconciliation.js';
import { archiveOfMonths } from '../ledger/archive-months.js';
import { reportFiles } from '../ledger/report-files.js';
import type { JobKind } from '../platform/jobs/job-kind.js';
import { requestKinds } from '../platform/jobs/request-job.js';
import { personErasure } from '../people/erase-person.js';
import { fileImport } from '../sellers/import-file.js';
import { sellerImport } from '../sellers/import-sellers.js';
import { adminRoutes } from './routes.js';

const kinds = [
  ...[sellerImport, fileImport, personErasure, importJob, reconciliationJob, reportFiles, archiveOfMonths],
  ...requestKinds(adminRoutes),
] as const;

type DepsOf<Kinds> = Kinds extends JobKind<infer Deps> ? (deps: Deps) => void : never;

/** The dependencies of all kinds of jobs: the intersection of what each names. */
export type JobDeps = DepsOf<(typeof kinds)[number]> extends (deps: infer Deps) => void ? Deps : never;

/** Every kind of job. */
export const jobKinds: readonly JobKind<JobDeps>[] = kinds;
