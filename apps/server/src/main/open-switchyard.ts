import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  answerCache,
  adminAnswers,
  assistantActs,
  changeLog,
  checkpointStore,
  instanceNotes,
  jobFiles,
  jobRepository,
  oauthStore,
  listReader,
  objectSearch,
  readBudgetLines,
  readPacing,
  spendBy,
  spendInReporting,
  onboardingRuns,
  personErasures,
  quotaStore,
  trustDocuments,
  type DatabaseWatch,
  type InstanceNotes,
  capabilityVersions,
  governanceCases,
  governedThings,
} from '@switchyard/store';
import { tasks } from '@switchyard/protocol';
import { openMail } from '@switchyard/mail';
import {
  createTelemetry,
  openTracing,
  runningTrace,
  tracedCalls,
  type EventFields,
} from '@switchyard/telemetry';
import type { Organization } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { oncePerKey } from '../platform/routes/once-per-key.js';
import { actRecorder } from '../platform/routes/record-act.js';
import { CapabilitiesModule } from './capabilities.module.js';
import { financeDeps, financeJobDeps } from '../finance/finance.module.js';
import { adminRoutes, readRoute, runRow, type AdminDeps } from './routes.js';
import { ChangeStreams } from '../platform/routes/change-streams.js';
import { addFoundSeller } from '../sellers/gate/add-found-seller.js';
import { admitSeller, type AdmitSeller } from '../sellers/gate/admit-seller.js';
import type { RetryDeps } from '../sellers/gate/retry-slow.js';
import { seedSellers } from '../sellers/import-sellers.js';
import { listSellers } from '../sellers/sellers.routes.js';
import { issueToken } from '../people/tokens.routes.js';
import { makeSignInLink } from '../people/sign-in/sessions.js';
import type { SellerDraft } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { createAdmission } from '../platform/http/admission.js';
import { createAnsweredTasks } from '../platform/tasks/operation/answered-tasks.js';
import { countTasks } from '../platform/tasks/count-tasks.js';
import { createTaskPush } from '../platform/tasks/operation/task-push.js';
import { creativeBytesAtMost } from '../creatives/creative-files.routes.js';
import { removeOrganizations } from '../business/remove-organizations.js';
import { creativeFiles } from './creative-files.js';
import { createBuyPreview } from '../buys/tasks/preview-buy.js';
import { createTaskService } from '../platform/tasks/task-service.js';
import { handlerOf } from './handler-table.js';
import type { CaseWork } from '../sellers/governance/act-on-cases.js';
import { startBackground } from './workers.module.js';
import type { BackgroundContext } from './background-context.js';
import { jobItems } from '../platform/jobs/job-items.js';
import type { JobsContext } from '../platform/jobs/jobs.module.js';
import { runnable } from '../platform/jobs/run-jobs.js';
import { jobStarter } from '../platform/jobs/start-job.js';
import { jobKinds, type JobDeps } from './job-kinds.js';
import { refusePortInUse } from '../platform/http/listen.js';
import { createServer, type ServerOptions } from './server.js';
import { assemble } from './assemble.js';
import { credentialHealth, bindCredentials } from '../sellers/credential-health.js';
import type { Trust } from './assemble-trust.js';
import { closeInOrder, drainMsWithin, type Closer } from './close-in-order.js';
import { systemClock } from '../platform/clock.js';
import type { Profile } from './settings/http-settings.js';
import type { LoadSettings } from './settings/load-settings.js';
import { releaseAbandonedWork } from '../buys/legs/release-abandoned-work.js';
import { loadConnectors } from './load-connectors.js';
import { clockText, openAdapters, type About, type Adapters } from './open-adapters.js';
import { sealMoves } from './master-keys.js';
import { openManagement } from './management.js';
import { prepareLocal } from './prepare-local.js';
import { tracedEvents, tracedTasks, watchedJobs } from './traced.js';
import { requestWatch, watchedRelay } from './watch.js';
import { createIssuedTokens } from '../keys/issued-tokens.js';
import { keySet } from '../keys/key-set.js';
import { createOAuthKeys } from '../people/oauth/signing-keys.js';
import { tellQuota } from '../business/tell-quota.js';
import { createQuotas } from '../platform/caller/quotas.js';
import { shareRateLimits } from '../platform/caller/share-rate-limits.js';
import { createRateLimits } from '../platform/caller/token-buckets.js';
import { shareBreakers } from '../sellers/share-breakers.js';
import type { Settings } from './settings/settings.js';
import { readConfiguration } from './settings/read-configuration.js';
import { relayTimeoutMs } from '../relay/relay-deps.js';
import { createRelay } from '../relay/create-relay.js';
import { createLedgerVerifier } from '../ledger/verify-ledger.js';
import { createWebhookIntake } from '../webhooks/in/webhook-intake.js';
import type { StartFailure } from '../platform/start-failure.js';
import type { SwitchyardOptions } from './switchyard-options.js';

/** A running instance: HTTP, the workers, and what the command line needs of them. */
export interface Switchyard {
  readonly url: string;
  readonly port: number;
  /** The address on which this process listens, for programs on this machine. */
  readonly listensAt: string;
  readonly profile: Profile;
  /** What it runs on, as text. */
  readonly about: About;
  /** The current organization of the data folder. */
  readonly organization: Organization;
  /** The holder of the data folder as a caller. */
  readonly operator: PrincipalCaller;
  readonly admin: {
    listSellers(caller: PrincipalCaller): ReturnType<typeof listSellers>;
    importSellers(caller: PrincipalCaller, drafts: readonly SellerDraft[]): ReturnType<typeof seedSellers>;
  };
  readonly notes: InstanceNotes;
  /** A token of the operator, valid for 24 hours. */
  issueToken(): Promise<string>;
  /** A link that signs the operator in to the console, once, within 15 minutes. */
  makeSignInLink(): Promise<string>;
  /** Stops taking work, finishes what is in progress, closes pools before the database. May be called twice. */
  close(): Promise<void>;
}

/** The time to close what a failed start had opened, in milliseconds. */
const usualStopMs = 30_000;
const longestTaskMs = Math.max(...tasks.map(({ deadlineMs }) => deadlineMs));

/** Opens everything in order, and closes what was opened, in reverse, when a later part fails. */
export async function openSwitchyard(options: SwitchyardOptions): Promise<Result<Switchyard, StartFailure>> {
  const closers: Closer[] = [];
  const opened = await open(options, closers);
  if (!opened.ok) {
    await closeInOrder(closers, usualStopMs);
    return opened;
  }
  const { load, turnAway, ...switchyard } = opened.value;
  const close = once(async () => {
    turnAway();
    await pause(load.stopGraceMs);
    await closeInOrder(closers, load.stopWithinMs - load.stopGraceMs);
  });
  return ok({ ...switchyard, close });
}

/** What was opened, and what is needed to close it. */
interface Opened extends Omit<Switchyard, 'close'> {
  readonly load: LoadSettings;
  /** From then on `/readyz` fails and connections close after their next answer. Requests are still served. */
  readonly turnAway: () => void;
}

async function open(options: SwitchyardOptions, closers: Closer[]): Promise<Result<Opened, StartFailure>> {
  const configuration = readConfiguration(options.env, options);
  if (!configuration.ok) return configuration;
  const { settings, http, issuers, rates, load } = configuration.value;
  const mail = configuration.value.mail === undefined ? undefined : openMail(configuration.value.mail);
  if (mail !== undefined) closers.push(() => Promise.resolve(mail.close()));
  const {
    logger,
    metrics,
    events: lines,
  } = createTelemetry({
    level: settings.SWITCHYARD_LOG_LEVEL,
    version: options.version,
  });
  const { traces } = configuration.value;
  const tracing = await openTracing(
    traces && { ...traces, onDropped: (spans) => metrics.spansDropped.inc(spans) },
  );
  closers.push(() => tracing.close());
  const events = tracedEvents(lines, tracing);
  const onUnexpected = (error: unknown, where: string): void =>
    logger.error({ err: error, where, ...runningTrace(tracing) }, 'unexpected');
  const roleFits = refuseRole(options, settings, http);
  if (!roleFits.ok) return roleFits;
  const settled = { ...options, ...http, settings };
  const portFree = await refusePortInUse(settled.host ?? '127.0.0.1', settled);
  if (!portFree.ok) return portFree;
  // Adapters open first and make no call before they are assembled.
  const echoes: { heard?: Trust['echoes']; vault?: ReturnType<typeof assemble>['vault'] } = {};
  const credentials = credentialHealth({ vault: () => echoes.vault, clock: systemClock, onUnexpected });
  const connectors = loadConnectors(settings.SWITCHYARD_CONNECTORS ?? [], process.cwd());
  if (!connectors.ok) return connectors;
  const opened = await openAdapters(settled, closers, onUnexpected, {
    connectors: connectors.value.sellers,
    onAlarm: (kind) => metrics.alarms.inc({ kind }),
    onModelStatement: (text) =>
      metrics.modelStatements.inc({ table: /"public"\."(\w+)"/.exec(text)?.[1] ?? 'none' }),
    onQueueError: () => metrics.queueErrors.inc(),
    onEcho: (by) => echoes.heard?.echoed(by),
    onCredential: (target, status, tool) => credentials.judged(target, status, tool),
    tracing,
    metrics,
  });
  if (!opened.ok) return opened;
  const { adapters } = opened.value;
  const issuedTokens = createIssuedTokens(issuers, adapters.egress, systemClock);
  const deps = assemble(adapters, {
    options: settled,
    onUnexpected,
    metrics,
    tracing,
    rates,
    settings,
    noticeConnectors: connectors.value.notices,
    ...(mail !== undefined && { mail }),
  });
  echoes.heard = deps.trust.echoes;
  echoes.vault = deps.vault;
  closers.push(() => credentials.settled());
  // Opened secrets are wiped once nothing uses them, before their minute is over.
  closers.push(() => Promise.resolve(deps.vault.close()));
  closers.push(() => deps.trust.settled());
  closers.push(() => deps.relay.custody.close());
  closers.push(() => deps.relay.quotes.close());
  // Late notes are written to both of them.
  closers.push(() => deps.relay.deferredAnswers.caughtUp());
  closers.push(() => deps.relay.paths.settled());
  const local = await prepareLocal(deps, settings);
  deps.strangers.organizationId = local.scope.organizationId;
  const doubted = await deps.ownKeys.mismatches();
  if (doubted.length > 0) return err(anotherKey(doubted));
  const operatorKey = await deps.ownKeys.ensure(local.scope, local.operator.principalId);
  if (!operatorKey.ok) onUnexpected(new Error(operatorKey.error.message), "the operator's signing key");
  const notes = instanceNotes(adapters.store);
  await bindCredentials({ ...deps, notes, now: systemClock.now(), onUnexpected });
  const works = options.role !== 'http';
  if (works && adapters.isAlone)
    await releaseAbandonedWork({ ...deps.workers, organizations: deps.organizations });
  const isSandboxUrl = options.isSandboxUrl ?? (() => false);
  const jobs = jobRepository(adapters.store);
  const items = jobItems(deps.vault, jobs);
  const admit: AdmitSeller = (caller, draft) => admitSeller(adminDeps, caller, draft);
  const addFound: JobDeps['addFound'] = (caller, draft) => addFoundSeller(adminDeps, caller, draft);
  const fileLimits = {
    bytes: settings.SWITCHYARD_FINANCE_FILE_MB * 1_000_000,
    rows: settings.SWITCHYARD_FINANCE_FILE_ROWS,
  };
  const quotas = createQuotas({
    store: quotaStore(adapters.store),
    clock: systemClock,
    onUnexpected,
    onNear: (scope, near) => tellQuota({ notices: deps.telling.notices, clock: systemClock }, scope, near),
  });
  closers.push(() => quotas.stop());
  const ofFinance = () => financeDeps(adapters.store, systemClock, adminDeps);
  const jobDeps: JobDeps = {
    admit,
    addFound,
    erasures: personErasures(adapters.store),
    jobFiles: jobFiles(adapters.store),
    // The deps of the routes are made below; no worker runs before.
    runRow: (id, request) => runRow(adminDeps, ofFinance(), id, request),
    ...financeJobDeps(adapters.store, systemClock, { ...deps, fileLimits, quotas }),
  };
  const jobsContext: JobsContext = {
    jobs,
    jobFiles: jobDeps.jobFiles,
    items,
    principals: deps.principals,
    isStopped: (organizationId, principalId) => adapters.isStopped(organizationId, 'principal', principalId),
    clock: systemClock,
    onUnexpected,
    kinds: watchedJobs(runnable(jobKinds, jobDeps), { tracing, metrics }),
    onEnd: (job) => {
      metrics.jobsEnded.inc({ kind: job.kind, outcome: job.outcome });
      metrics.jobSeconds.observe({ kind: job.kind }, job.duration_ms / 1_000);
      events('job', job);
    },
  };
  const onAttempt = (attempt: EventFields['webhook_out']): void => {
    metrics.webhooksOut.inc({ kind: attempt.kind, outcome: attempt.outcome });
    events('webhook_out', attempt);
  };
  const caseWork: CaseWork = {
    cases: governanceCases(adapters.store),
    things: governedThings(adapters.store),
    inbox: deps.workers.inbox,
    ports: deps.handlers.ports,
    publishers: deps.publishers,
    connections: deps.connections,
    principals: deps.principals,
    alarms: deps.trust.alarms,
    tasks: createTaskService(deps.handlers, handlerOf),
    clock: systemClock,
    onUnexpected,
  };
  const slowSellers: RetryDeps = {
    // The deps of the routes are made below; no round runs before.
    get gate() {
      return adminDeps;
    },
    principals: deps.principals,
    onUnexpected,
  };
  const stored = creativeFiles(settings, options.dataDir, adapters.egress);
  if (!stored.ok) return stored;
  const files = stored.value;
  const removeDue = () => removeOrganizations({ removals: deps.removals, files, clock: systemClock });
  const background = await startBackground(
    adapters.queue,
    works
      ? workersContext(
          adapters,
          {
            ...deps,
            workers: { ...deps.workers, caseWork, slowSellers, tracing, removeOrganizations: removeDue },
            dispatch: { ...deps.dispatch, onAttempt, tracing },
            jobs: jobsContext,
          },
          settings.SWITCHYARD_WORKERS,
          load.workersStopMs,
        )
      : undefined,
  );
  closers.push(() => background.stop());
  const state = { isStopping: false };
  metrics.onScrape(() => {
    const { totalCount, idleCount, waitingCount } = adapters.store.pool;
    metrics.dbConnections.set({ state: 'used' }, totalCount - idleCount);
    metrics.dbConnections.set({ state: 'idle' }, idleCount);
    metrics.dbConnections.set({ state: 'waiting' }, waitingCount);
    for (const phase of ['open', 'half_open'] as const)
      metrics.breakers.set({ state: phase }, deps.breakers.count(phase));
    metrics.ready.set(readiness(adapters.watch, state.isStopping).ready ? 1 : 0);
  });
  if (settings.SWITCHYARD_MANAGEMENT_PORT !== undefined) {
    const management = await openManagement({
      host: settings.SWITCHYARD_MANAGEMENT_HOST,
      port: settings.SWITCHYARD_MANAGEMENT_PORT,
      clock: systemClock,
      metrics,
      logger,
      ready: () => readiness(adapters.watch, state.isStopping),
    });
    if (!management.ok) return management;
    closers.push(() => management.value.close());
  }
  const { exchange } = adapters;
  const limits =
    exchange === undefined
      ? createRateLimits(rates, systemClock)
      : shareRateLimits(rates, systemClock, exchange);
  if (exchange !== undefined) shareBreakers(deps.breakers, systemClock, exchange);
  const versions = capabilityVersions(adapters.store);
  const acts = assistantActs(adapters.store);
  const adminDeps: AdminDeps = {
    ...deps.workers,
    governance: caseWork.cases,
    capabilityVersions: versions,
    ...deps.onboarding,
    ...deps.trust,
    ...deps,
    quotas,
    quotaStore: quotaStore(adapters.store),
    notices: deps.telling.notices,
    endpoints: deps.telling.endpoints,
    hasMail: mail !== undefined,
    bookLayouts: connectors.value.books,
    noticeConnectors: connectors.value.notices,
    fileLimits,
    pacing: (scope, wanted) => readPacing(adapters.store, scope, wanted),
    creativeFolder: files,
    creativeLimits: {
      bytes: Math.min(settings.SWITCHYARD_CREATIVE_FILE_MB * 1_000_000, creativeBytesAtMost),
      files: settings.SWITCHYARD_CREATIVE_FILES,
    },
    budgetLines: (scope, campaignId) => readBudgetLines(adapters.store, scope, campaignId),
    tasks: createTaskService({ ...deps.handlers, rates: limits }, handlerOf),
    spendBy: (scope, question) => spendBy(adapters.store, scope, question),
    spendInReporting: (scope, question) => spendInReporting(adapters.store, scope, question),
    documentKeys: deps.ownKeys,
    jobs,
    jobFiles: jobDeps.jobFiles,
    jobKinds,
    wakeJobs: background.wakeJobs,
    jobStarter: jobStarter({
      jobs,
      items,
      quotas,
      clock: systemClock,
      newId: randomUUID,
      notify: background.wakeJobs,
    }),
    previewBuy: createBuyPreview(
      { ...deps.handlers, rates: limits },
      {
        standings: (scope, question) => deps.spendingLimits.standings(scope, question),
        sellersThatAsk: versions.thatAsk,
      },
    ),
    domainOf: (scope) => deps.organizations.domainOf(scope),
    accounts: deps.handlers.accounts,
    controls: deps.controls,
    approvalPorts: {
      ...deps.ports,
      approvals: deps.approvals,
      creatives: deps.creatives,
      internal: deps.internal,
    },
    lanes: deps.relay.lanes,
    lists: listReader(adapters.store, systemClock),
    search: objectSearch(adapters.store),
    programs: oauthStore(adapters.store),
    log: deps.relay.log,
    baseUrl: () => deps.address.url,
    verifier: createLedgerVerifier({
      keys: adapters.keys,
      checkpoints: checkpointStore(adapters.store),
      read: adapters.readLedger,
      clock: systemClock,
    }),
    clock: systemClock,
    issuedTokens,
    egress: adapters.egress,
    onboardingRuns: onboardingRuns(adapters.store),
    candidateFinder: {
      egress: adapters.egress,
      clock: systemClock,
      documents: trustDocuments(adapters.store),
    },
    moveSeals: {
      ...sealMoves(adapters),
      vault: deps.vault,
      clock: systemClock,
    },
    version: options.version,
    startedAt: systemClock.now(),
    local: {
      scope: local.scope,
      principalName: local.operator.name,
      operatorId: local.operator.principalId,
    },
    isSandboxUrl,
    admit,
    practiceClock: options.practiceClock ?? (() => Promise.resolve(undefined)),
    sellersReady: options.sellersReady ?? (() => Promise.resolve()),
    assistants: { acts, clock: systemClock, rowOf: (id) => adminRoutes.find((row) => row.id === id) },
    readRoute: (id, request) => readRoute(adminDeps, ofFinance(), id, request),
  };
  const changes = new ChangeStreams({
    log: changeLog(adapters.store),
    clock: systemClock,
    onUnexpected,
    most: settings.SWITCHYARD_STREAMS,
    mostPerPrincipal: settings.SWITCHYARD_STREAMS_PER_CALLER,
  });
  const server = await createServer({
    ...serverOptions(settled),
    ...http,
    served: {
      recordAct: actRecorder({ ...adminDeps, audit: deps.audit, onUnexpected, log: events }),
      oncePerKey: oncePerKey({ ...adminDeps, answers: adminAnswers(adapters.store), onUnexpected }),
      modules: [CapabilitiesModule.on(adapters.store, adminDeps, deps.audit)],
    },
    ports: {
      changes,
      tracing,
      tasks: tracedTasks(
        countTasks(
          createTaskService({ ...deps.handlers, rates: limits, quotas }, handlerOf),
          metrics,
          events,
        ),
        tracing,
      ),
      onSignIn: (attempt) => {
        metrics.signIns.inc({ way: attempt.way, outcome: attempt.outcome });
        events('sign_in', attempt);
      },
      assistantActs: acts,
      answeredTasks: createAnsweredTasks(answerCache(adapters.store), systemClock),
      taskPush: createTaskPush({ ...deps.handlers, taskCallbacks: deps.taskCallbacks, rates: limits }),
      webhooks: tracedCalls(
        tracing,
        'webhook',
        createWebhookIntake({
          ...deps.intake,
          log: events,
          notifyInbox: background.notifyInbox,
          rates: limits,
        }),
        ['accept'],
      ),
      ...(deps.testController === undefined ? {} : { testController: deps.testController }),
      publishedKeys: async (state) => keySet(await deps.ownKeys.published(), state, deps.isLocal),
      scim: {
        scim: deps.scim,
        principals: deps.principals,
        addresses: deps.addresses,
        audit: deps.audit,
        clock: systemClock,
        newId: randomUUID,
      },
      publishedHeads: (organizationId) => deps.anchors.published({ organizationId }),
      relay: tracedCalls(
        tracing,
        'relay',
        watchedRelay(createRelay({ ...deps.relay, rates: limits, quotas }), { metrics, events }),
        ['pass', 'passKnown', 'tooLarge'],
      ),
      signatures: deps.signatures,
      principals: deps.principals,
      signIn: deps.signIn,
      grants: deps.grants,
      identities: deps.identities,
      issuedTokens,
      oauth: {
        store: oauthStore(adapters.store),
        keys: createOAuthKeys({
          store: oauthStore(adapters.store),
          vault: deps.vault,
          custodian: local.scope,
          clock: systemClock,
        }),
        egress: adapters.egress,
        limits: deps.spendingLimits,
        organizations: deps.organizations,
        audit: deps.audit,
        newId: randomUUID,
      },
      rates: limits,
      quotas,
      isStopped: adapters.isStopped,
      ready: { check: () => Promise.resolve(readiness(adapters.watch, state.isStopping)) },
      metrics: {
        contentType: metrics.contentType,
        render: () => metrics.exposition(),
        isElsewhere: settings.SWITCHYARD_MANAGEMENT_PORT !== undefined,
        answered: requestWatch(metrics, events),
      },
      clock: systemClock,
    },
    publicOrganizationId: local.scope.organizationId,
    gate: {
      calls: createAdmission(load.calls, { clock: systemClock, busyShare: busyShare() }),
      webhooks: createAdmission(load.webhooks, { clock: systemClock, busyShare: busyShare() }),
      isAvailable: () => adapters.watch.isAvailable(),
    },
    drainMs: Math.min(longestTaskMs, drainMsWithin(load.stopWithinMs - load.stopGraceMs)),
    onUnexpected,
    healthOnly: options.role === 'workers',
  });
  if (!server.ok) return server;
  closers.push(() => server.value.close());
  // Streams do not end by themselves: closing the HTTP server would wait for them.
  closers.push(() => Promise.resolve(changes.close()));
  deps.address.url = server.value.url;
  return ok({
    load,
    turnAway: () => {
      state.isStopping = true;
      server.value.turnAway();
    },
    url: server.value.url,
    port: server.value.port,
    listensAt: server.value.listensAt,
    profile: http.profile,
    about: opened.value.about,
    organization: local.organization,
    operator: local.operator,
    admin: {
      listSellers: (caller) => listSellers(adminDeps, caller),
      importSellers: (caller, drafts) => seedSellers(adminDeps, caller, drafts),
    },
    notes: instanceNotes(adapters.store),
    makeSignInLink: async () => {
      const operator = await deps.principals.findByName(local.scope, local.operator.name);
      if (operator === undefined) throw new Error('The operator of the data folder is gone.');
      const ports = { principals: deps.principals, clock: systemClock, url: () => server.value.url };
      return (await makeSignInLink(operator, 15 * 60_000, ports)).link;
    },
    issueToken: async () => {
      const issued = await issueToken(adminDeps, 'local', {});
      if (!issued.ok) throw new Error(issued.error.message);
      return issued.value.token;
    },
  });
}

/** A process with a role runs beside others, which need the same database and one public address. */
function refuseRole(
  { role }: SwitchyardOptions,
  settings: Settings,
  { publicUrl }: Pick<ServerOptions, 'publicUrl'>,
): Result<undefined, StartFailure> {
  if (role === undefined) return ok(undefined);
  const missing = [
    ...(settings.DATABASE_URL === undefined ? ['DATABASE_URL'] : []),
    ...(publicUrl === undefined ? ['SWITCHYARD_PUBLIC_URL'] : []),
  ];
  if (missing.length === 0) return ok(undefined);
  return err({
    code: 'role_needs_settings',
    message:
      `--role ${role} needs ${missing.join(' and ')}: the processes of one instance share a database, and sellers are ` +
      'given one address of all of them. The embedded database belongs to one process; start that without --role.',
  });
}

function workersContext(
  { isAlone }: Adapters,
  {
    workers,
    dispatch,
    relay,
    ownKeys,
    jobs,
    telling,
  }: ReturnType<typeof assemble> & Pick<BackgroundContext, 'jobs'>,
  atOnce: number,
  stopWithinMs: number,
): BackgroundContext {
  return {
    workers,
    dispatch,
    jobs,
    notices: telling,
    custody: {
      log: relay.log,
      store: relay.store,
      clock: systemClock,
      keyidOf: async (scope, principalId) =>
        (await ownKeys.list(scope)).find((key) => key.principalId === principalId && key.state === 'live')
          ?.kid,
      openForMs: relayTimeoutMs + 60_000,
      isAlone,
    },
    atOnce,
    stopWithinMs,
  };
}

/** The published key must match the signing key: this detects a key service that changed a key. */
function anotherKey(kids: readonly string[]): StartFailure {
  return {
    code: 'signing_key_mismatch',
    message:
      `The key service has another key than the one that is published as ${kids.join(', ')}: nobody could verify ` +
      'what it signs. Restore the key there, or retire ours, and start again.',
  };
}

function serverOptions(
  options: SwitchyardOptions,
): Pick<ServerOptions, 'host' | 'port' | 'portIsExplicit' | 'adminSecret' | 'version'> {
  const { host, port, portIsExplicit, adminSecret, version } = options;
  return {
    adminSecret,
    version,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(portIsExplicit === undefined ? {} : { portIsExplicit }),
  };
}

/** The share of its time that the event loop was busy since the last call. */
function busyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** The state is read in advance, so that the answer does not wait for a hanging database. */
function readiness(
  watch: DatabaseWatch,
  isStopping: boolean,
): { ready: boolean; parts: Record<string, string> } {
  const database = watch.isAvailable() ? 'ok' : 'unreachable';
  const aheadMs = watch.clockAheadMs();
  const parts = {
    database,
    ...(isStopping ? { server: 'stopping' } : {}),
    ...(aheadMs === 0 ? {} : { clock: clockText(aheadMs) }),
  };
  return { ready: database === 'ok' && !isStopping, parts };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
