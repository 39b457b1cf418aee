import { randomUUID } from 'node:crypto';
import {
  assistantActs,
  jobFiles,
  jobRepository,
  listReader,
  objectSearch,
  type JobWait,
} from '@switchyard/store';
import { defined } from '@switchyard/values';
import { createBuyPreview } from '../buys/tasks/preview-buy.js';
import { creativeBytesAtMost } from '../creatives/creative-files.routes.js';
import { financeDeps } from '../finance/finance.module.js';
import type { RateLimits } from '../platform/caller/rate-limits.js';
import { jobItems } from '../platform/jobs/job-items.js';
import { jobStarter } from '../platform/jobs/start-job.js';
import { createTaskService } from '../platform/tasks/task-service.js';
import { admitSeller } from '../sellers/gate/admit-seller.js';
import type { Parts, Surroundings } from './compose.js';
import { handlerOf } from './handler-table.js';
import { monthArchive } from './commands/archive-ledger.js';
import { jobKinds } from './job-kinds.js';
import { sealMoves } from './master-keys.js';
import type { Local } from './prepare-local.js';
import { reportWriter } from './report-files.js';
import { adminRoutes, readRoute, type AdminDeps } from './routes.js';
import type { SwitchyardOptions } from './switchyard-options.js';

interface Served {
  readonly options: SwitchyardOptions;
  readonly local: Local;
  readonly limits: RateLimits;
  /** Keeps the files of creatives. */
  readonly files: AdminDeps['creativeFolder'];
  readonly wakeJobs: (organizationId: string, waitsFor: JobWait) => void;
}

/** What the admin routes of all capabilities need. */
export function makeRowDeps(
  parts: Parts,
  { adapters, configuration, connectors }: Surroundings,
  { options, local, limits, files, wakeJobs }: Served,
): AdminDeps {
  const { store, clock, vault, quotas, approvals, creatives, internal } = parts;
  const { settings } = configuration;
  const jobs = jobRepository(store);
  const tasks = { ...parts.handlers, rates: limits };
  const deps: AdminDeps = {
    ...{ ...parts.telling, ...parts, quotas, jobKinds, wakeJobs, jobs, jobFiles: jobFiles(store) },
    hasMail: configuration.mail !== undefined,
    bookLayouts: connectors.books,
    noticeConnectors: connectors.notices,
    fileLimits: {
      bytes: settings.SWITCHYARD_FINANCE_FILE_MB * 1_000_000,
      rows: settings.SWITCHYARD_FINANCE_FILE_ROWS,
    },
    creativeFolder: files,
    ...defined({
      reportWriter: reportWriter(settings, adapters.openReports),
      archivesMonths:
        settings.SWITCHYARD_ARCHIVE_FOLDER === undefined
          ? undefined
          : monthArchive(settings.SWITCHYARD_ARCHIVE_FOLDER, adapters.archiveMonths),
    }),
    creativeLimits: {
      bytes: Math.min(settings.SWITCHYARD_CREATIVE_FILE_MB * 1_000_000, creativeBytesAtMost),
      files: settings.SWITCHYARD_CREATIVE_FILES,
    },
    tasks: createTaskService(tasks, handlerOf),
    jobStarter: jobStarter({
      ...{ jobs, quotas, clock, items: jobItems(vault, jobs), newId: randomUUID, notify: wakeJobs },
    }),
    previewBuy: createBuyPreview(tasks, {
      standings: (scope, question) => parts.spendingLimits.standings(scope, question),
      sellersThatAsk: parts.capabilityVersions.thatAsk,
    }),
    approvalPorts: { ...parts.ports, approvals, creatives, internal },
    lanes: parts.relay.lanes,
    lists: listReader(store, clock),
    search: objectSearch(store),
    log: parts.relay.log,
    baseUrl: parts.url,
    moveSeals: { ...sealMoves(adapters), vault, clock },
    version: options.version,
    startedAt: clock.now(),
    local: {
      scope: local.scope,
      principalName: local.operator.name,
      operatorId: local.operator.principalId,
    },
    allowsLoopback: parts.isLocal,
    isSandboxUrl: options.isSandboxUrl ?? (() => false),
    admit: (caller, draft) => admitSeller(deps, caller, draft),
    practiceClock: options.practiceClock ?? (() => Promise.resolve(undefined)),
    sellersReady: options.sellersReady ?? (() => Promise.resolve()),
    assistants: {
      ...{ acts: assistantActs(store), clock, rowOf: (id) => adminRoutes.find((row) => row.id === id) },
    },
    readRoute: (id, request) => readRoute(deps, financeDeps(store, clock, deps), id, request),
  };
  return deps;
}
