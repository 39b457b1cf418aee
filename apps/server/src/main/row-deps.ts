import { randomBytes, randomUUID } from 'node:crypto';
import {
  assistantActs,
  jobFiles,
  jobRepository,
  listReader,
  objectSearch,
  type JobWait,
} from '@switchyard/store';
import { business } from '../business/business.module.js';
import { buys } from '../buys/buys.module.js';
import { createBuyPreview } from '../buys/tasks/preview-buy.js';
import { creatives } from '../creatives/creatives.module.js';
import { creativeBytesAtMost } from '../creatives/creative-files.routes.js';
import { financeDeps } from '../finance/finance.module.js';
import { keys } from '../keys/keys.module.js';
import { ledger } from '../ledger/ledger.module.js';
import { notices } from '../notices/notices.module.js';
import { people } from '../people/people.module.js';
import type { RateLimits } from '../platform/caller/rate-limits.js';
import { jobItems } from '../platform/jobs/job-items.js';
import { jobStarter } from '../platform/jobs/start-job.js';
import { platform } from '../platform/platform.module.js';
import { createTaskService } from '../platform/tasks/task-service.js';
import { relay } from '../relay/relay.module.js';
import { admitSeller } from '../sellers/gate/admit-seller.js';
import { sellers } from '../sellers/sellers.module.js';
import { webhooks } from '../webhooks/webhooks.module.js';
import type { Parts, Surroundings } from './compose.js';
import { handlerOf } from './handler-table.js';
import { monthArchive } from './commands/archive-ledger.js';
import { jobKinds } from './job-kinds.js';
import { sealMoves } from './master-keys.js';
import type { Local } from './prepare-local.js';
import { reportWriter } from './report-files.js';
import { adminRoutes, readRoute, type RowDeps } from './routes.js';
import type { SwitchyardOptions } from './switchyard-options.js';

interface Served {
  readonly options: SwitchyardOptions;
  readonly local: Local;
  readonly limits: RateLimits;
  /** Keeps the files of creatives. */
  readonly files: RowDeps['creatives']['creativeFolder'];
  readonly wakeJobs: (organizationId: string, waitsFor: JobWait) => void;
}

/** What the functions below make the dependencies from. */
interface Made {
  readonly parts: Parts;
  readonly around: Surroundings;
  readonly served: Served;
  readonly shared: ReturnType<typeof sharedOf>;
  readonly jobs: RowDeps['platform']['jobs'];
  /** Of all capabilities, once they are made. */
  readonly all: () => RowDeps;
}

/** What the rows of each capability need: what it has made itself, and by name what it takes from others. */
export function makeRowDeps(parts: Parts, around: Surroundings, served: Served): RowDeps {
  const jobs = jobRepository(parts.store);
  const shared = sharedOf(parts, served, jobs);
  const made: Made = { parts, around, served, shared, jobs, all: () => all };
  const all: RowDeps = { ...ofSetUp(made), ...ofTrade(made), ...ofBooks(made) };
  return all;
}

/** What the rows of several capabilities take. */
function sharedOf(
  { store, clock, vault, quotas, controls, setUp }: Parts,
  { local: { scope, operator }, wakeJobs }: Served,
  jobs: Made['jobs'],
) {
  const items = jobItems(vault, jobs);
  return {
    ...{ controls, setUp, lists: listReader(store, clock) },
    local: { scope, principalName: operator.name, operatorId: operator.principalId },
    jobStarter: jobStarter({ jobs, quotas, clock, items, newId: randomUUID, notify: wakeJobs }),
  };
}

/** Of who takes part: the organization, its people, their keys, and what is about every noun. */
function ofSetUp({
  parts,
  around,
  served: { options, wakeJobs },
  shared,
  jobs,
  all,
}: Made): Pick<RowDeps, 'business' | 'keys' | 'notices' | 'people' | 'platform'> {
  const { kernel, own, store, clock } = parts;
  const hasMail = around.configuration.mail !== undefined;
  const rowOf = (id: string) => adminRoutes.find((row) => row.id === id);
  return {
    business: business.deps(kernel, own.business, {
      ...{ ...shared, pacing: parts.pacing, notices: parts.telling.notices, ownKeys: parts.ownKeys },
      ...{ passwords: parts.passwords, teams: parts.teams, programs: parts.programs },
      ...{ allowsLoopback: parts.isLocal, randomBytes },
    }),
    keys: keys.deps(kernel, own.keys, { setUp: parts.setUp }),
    notices: notices.deps(kernel, own.notices, { lists: shared.lists, hasMail }),
    people: people.deps(kernel, own.people, {
      ...{ ...shared, hasMail, randomBytes },
      ...{ issuedTokens: parts.issuedTokens, trustsTestKeys: parts.trustsTestKeys },
      sellersReady: options.sellersReady ?? (() => Promise.resolve()),
    }),
    platform: platform.deps(
      kernel,
      {},
      {
        ...{ jobs, jobFiles: jobFiles(store), jobKinds, wakeJobs, search: objectSearch(store) },
        ...{ spendingLimits: parts.spendingLimits, firstDeeds: parts.firstDeeds },
        assistants: { acts: assistantActs(store), clock, rowOf },
        readRoute: (id, request) => readRoute(all(), id, request),
        practiceClock: options.practiceClock ?? (() => Promise.resolve(undefined)),
      },
    ),
  };
}

/** Of what is bought, and where. */
function ofTrade({
  parts,
  around: { adapters, configuration },
  served: { options, limits, files },
  shared,
  all,
}: Made): Pick<RowDeps, 'buys' | 'creatives' | 'relay' | 'sellers'> {
  const { kernel, own, clock, vault, controls, names, senderKeys } = parts;
  const { settings } = configuration;
  const tasks = { ...parts.handlers, rates: limits };
  return {
    buys: buys.deps(kernel, own.buys, {
      ...{ controls, names, clients: parts.clients, budgetLines: parts.budgetLines, stops: parts.stops },
      ledger: parts.ledger,
      tasks: createTaskService(tasks, handlerOf),
      previewBuy: createBuyPreview(tasks, {
        standings: (scope, question) => parts.spendingLimits.standings(scope, question),
        sellersThatAsk: parts.capabilityVersions.thatAsk,
      }),
      approvalPorts: { ...own.buys.ports, ...own.buys },
    }),
    creatives: creatives.deps(
      kernel,
      {},
      {
        creativeFolder: files,
        creativeLimits: {
          bytes: Math.min(settings.SWITCHYARD_CREATIVE_FILE_MB * 1_000_000, creativeBytesAtMost),
          files: settings.SWITCHYARD_CREATIVE_FILES,
        },
      },
    ),
    relay: relay.deps(kernel, own.relay, {
      ...{ ...shared, senderKeys, names, anchors: parts.anchors, delegations: parts.delegations },
      ...{ chainEvidence: parts.chainEvidence, messageOfChain: parts.messageOfChain },
    }),
    sellers: sellers.deps(kernel, own.sellers, {
      ...{ ...shared, ports: parts.ports, quotas: parts.quotas },
      ...{ signers: parts.signers, domainOf: parts.domainOf },
      moveSeals: { ...sealMoves(adapters), vault, clock },
      isSandboxUrl: options.isSandboxUrl ?? (() => false),
      admit: (caller, draft) => admitSeller(all().sellers, caller, draft),
      ...{ version: options.version, startedAt: clock.now() },
    }),
  };
}

/** Of what came of it: figures, books and money. */
function ofBooks({
  parts,
  around: { adapters, configuration, connectors },
  shared,
  jobs,
}: Made): Pick<RowDeps, 'finance' | 'ledger' | 'webhooks'> {
  const { kernel, own, store, clock, names } = parts;
  const { settings } = configuration;
  const archive = settings.SWITCHYARD_ARCHIVE_FOLDER;
  return {
    finance: financeDeps(store, clock, {
      ...{ ...parts, ...shared, baseUrl: kernel.url, bookLayouts: connectors.books },
      fileLimits: {
        bytes: settings.SWITCHYARD_FINANCE_FILE_MB * 1_000_000,
        rows: settings.SWITCHYARD_FINANCE_FILE_ROWS,
      },
    }),
    ledger: ledger.deps(kernel, own.ledger, {
      ...{ ...shared, names, operations: parts.operations, senderKeys: parts.senderKeys },
      ...{ jobs, spendBy: parts.spendBy, spendInReporting: parts.spendInReporting },
      reportWriter: reportWriter(settings, adapters.openReports),
      archivesMonths: archive === undefined ? undefined : monthArchive(archive, adapters.archiveMonths),
    }),
    webhooks: webhooks.deps(kernel, own.webhooks, {
      ...{ ...shared, names, ports: parts.ports, creatives: parts.creatives, approvals: parts.approvals },
      ...{ ledger: parts.ledger, governance: parts.governance, governedThings: parts.governedThings },
      ...{ impairments: parts.impairments, watches: parts.watches },
    }),
  };
}
