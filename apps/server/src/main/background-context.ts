import { adminAnswers, jobFiles as jobFilesOf, makeMonths, personErasures } from '@switchyard/store';
import type { EventFields } from '@switchyard/telemetry';
import { defined } from '@switchyard/values';
import { removeOrganizations } from '../business/remove-organizations.js';
import { financeJobDeps } from '../finance/finance.module.js';
import { archiveOfMonths } from '../ledger/archive-months.js';
import type { RecoveryDeps } from '../buys/reports/recover-reports.js';
import { jobItems } from '../platform/jobs/job-items.js';
import type { JobsContext } from '../platform/jobs/jobs.module.js';
import { runnable } from '../platform/jobs/run-jobs.js';
import type { WorkersContext } from '../platform/lanes/workers-context.js';
import { createTaskService } from '../platform/tasks/task-service.js';
import type { SendNoticesDeps } from '../notices/send-notices.js';
import type { CustodyDeps } from '../relay/custody/complete-custody.js';
import { relayTimeoutMs } from '../relay/relay-deps.js';
import { addFoundSeller } from '../sellers/gate/add-found-seller.js';
import { sellerWork } from '../sellers/sellers.module.js';
import type { DispatchDeps } from '../webhooks/out/dispatch-events.js';
import type { Parts, Surroundings } from './compose.js';
import { handlerOf } from './handler-table.js';
import { jobKinds, type JobDeps } from './job-kinds.js';
import { runRow, type RowDeps } from './routes.js';
import type { ScheduledJobsDeps } from './scheduled-jobs.js';
import { watchedJobs } from './traced.js';

/** The dependencies of all background work of a process. */
export interface BackgroundContext extends WorkersContext {
  readonly workers: ScheduledJobsDeps & RecoveryDeps;
  readonly dispatch: DispatchDeps;
  readonly custody: CustodyDeps;
  readonly jobs: JobsContext;
  readonly notices: SendNoticesDeps;
}

/** The background work of all capabilities; `rows` answers the requests of jobs. */
export function backgroundContext(
  parts: Parts,
  { adapters, configuration, watching }: Surroundings,
  rows: RowDeps,
): BackgroundContext {
  const { ownKeys, relay, clock } = parts;
  const onAttempt = (attempt: EventFields['webhook_out']): void => {
    parts.metrics.webhooksOut.inc({ kind: attempt.kind, outcome: attempt.outcome });
    watching.events('webhook_out', attempt);
  };
  return {
    workers: workersOf(parts, configuration.settings, rows),
    dispatch: { ...parts.dispatch, onAttempt },
    jobs: jobsOf(parts, watching, rows),
    notices: parts.telling,
    custody: {
      log: relay.log,
      store: relay.store,
      clock,
      keyidOf: async (scope, principalId) =>
        (await ownKeys.list(scope)).find((key) => key.principalId === principalId && key.state === 'live')
          ?.kid,
      openForMs: relayTimeoutMs + 60_000,
      isAlone: adapters.isAlone,
    },
    atOnce: configuration.settings.SWITCHYARD_WORKERS,
    stopWithinMs: configuration.load.workersStopMs,
  };
}

function workersOf(
  parts: Parts,
  settings: Surroundings['configuration']['settings'],
  rows: RowDeps,
): BackgroundContext['workers'] {
  const { kernel, store, clock, removals } = parts;
  const work = sellerWork(kernel, parts.sellers, parts);
  return {
    ...{ ...parts, ...work },
    looks: { ...work.looks, gate: rows.sellers },
    caseWork: {
      ...{ ...parts, cases: parts.governance, things: parts.governedThings },
      tasks: createTaskService(parts.handlers, handlerOf),
    },
    slowSellers: { gate: rows.sellers, principals: parts.principals, onUnexpected: parts.onUnexpected },
    removeOrganizations: () => removeOrganizations({ removals, files: rows.creatives.creativeFolder, clock }),
    adminAnswers: adminAnswers(store),
    ledgerMonths: { make: () => makeMonths(store.pool) },
    changesRetentionMs: daysMs(settings.SWITCHYARD_CHANGES_DAYS),
    bytesRetentionMs: daysMsOrEver(settings.SWITCHYARD_WEBHOOK_BYTES_DAYS),
    activityRetentionMs: daysMsOrEver(settings.SWITCHYARD_WEBHOOK_ACTIVITY_DAYS),
    auditRetentionMs:
      settings.SWITCHYARD_AUDIT_DAYS === 0 ? undefined : daysMs(settings.SWITCHYARD_AUDIT_DAYS),
  };
}

function jobsOf(
  parts: Parts,
  { metrics, tracing, events }: Surroundings['watching'],
  rows: RowDeps,
): JobsContext {
  const { store, clock } = parts;
  const { archivesMonths } = rows.ledger;
  const jobFiles = jobFilesOf(store);
  // Jobs read files for minutes, and people do not wait for them.
  const finance = { ...rows.finance, ...financeJobDeps(store, clock, rows.finance) };
  const deps: JobDeps = {
    admit: rows.sellers.admit,
    addFound: (caller, draft) => addFoundSeller(rows.sellers, caller, draft),
    erasures: personErasures(store),
    jobFiles,
    runRow: (id, request) => runRow({ ...rows, finance }, id, request),
    ...finance,
    ...{ organizations: parts.organizations, jobs: rows.platform.jobs, newId: parts.newId },
    local: rows.relay.local,
    ...defined({ reportWriter: rows.ledger.reportWriter, archivesMonths }),
  };
  // Only a worker with a connection of the tables' owner takes an archive.
  const kinds = jobKinds.filter(
    ({ name }) => name !== archiveOfMonths.name || archivesMonths?.run !== undefined,
  );
  return {
    ...{ ...parts, jobs: rows.platform.jobs, jobFiles, items: jobItems(parts.vault, rows.platform.jobs) },
    isStopped: (organizationId, principalId) => parts.isStopped(organizationId, 'principal', principalId),
    kinds: watchedJobs(runnable(kinds, deps), { tracing, metrics }),
    onEnd: (job) => {
      metrics.jobsEnded.inc({ kind: job.kind, outcome: job.outcome });
      metrics.jobSeconds.observe({ kind: job.kind }, job.duration_ms / 1_000);
      events('job', job);
    },
  };
}

const daysMs = (days: number): number => days * 24 * 3_600_000;

const daysMsOrEver = (days: number | undefined): number | undefined =>
  days === undefined ? undefined : daysMs(days);
