import { setTimeout as pause } from 'node:timers/promises';
import {
  answerCache,
  checkpointStore,
  instanceNotes,
  type DatabaseWatch,
  type InstanceNotes,
} from '@switchyard/store';
import { tasks } from '@switchyard/protocol';
import { createTelemetry } from '@switchyard/telemetry';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import type { AdminDeps } from '../admin/routes.js';
import { importSellers, listSellers } from '../admin/sellers.js';
import { mintToken } from '../admin/tokens.js';
import type { SellerDraft } from '../tasks/ports/admin.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { createAdmission } from '../tasks/admission.js';
import { createAnsweredTasks } from '../tasks/operation/answered-tasks.js';
import { countTasks } from '../tasks/operation/count-tasks.js';
import { createTaskPush } from '../tasks/operation/task-push.js';
import { createTaskService } from '../tasks/task-service.js';
import type { CustodyDeps } from '../workers/schedules/keep-custody.js';
import { startWorkers } from '../workers/workers.js';
import { refusePortInUse } from '../http/listen.js';
import { createServer, type ServerOptions } from '../server.js';
import { assemble } from './assemble.js';
import { bindCredentials } from './sellers/bind-credentials.js';
import type { Trust } from './assemble-trust.js';
import { closeInOrder, drainMsWithin } from './close-in-order.js';
import { checkKeys } from './keys/check-keys.js';
import { systemClock } from './clock.js';
import type { Profile } from './door-settings.js';
import type { LoadSettings } from './load-settings.js';
import { giveBackWork } from './give-back-work.js';
import { openAdapters, type About, type Adapters } from './open-adapters.js';
import { prepareLocal } from './prepare-local.js';
import { createIssuedTokens } from './keys/issued-tokens.js';
import { createRateLimits } from './rate-limits.js';
import { readConfiguration, type Settings } from './settings.js';
import { relayTimeoutMs } from '../relay/relay-timeout.js';
import { createRelay } from '../relay/create-relay.js';
import { createLedgerVerifier } from './verify-ledger.js';
import { createWebhookIntake } from './webhooks/webhook-intake.js';

export interface SwitchyardOptions {
  readonly dataDir: string;
  /** The variables of `settingsTable`. The AWS SDK reads its own by itself. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host?: string;
  readonly port?: number;
  readonly portIsExplicit?: boolean;
  readonly version: string;
  /** What this process does; everything when absent. */
  readonly role?: Role;
  /** What the admin file of the data folder holds. */
  readonly adminSecret: Secret;
  /** Addresses of the sandbox that belongs to this start. */
  readonly isSandboxUrl?: (agentUrl: string) => boolean;
  /** Resolves once the sellers of this start are live. */
  readonly sellersReady?: () => Promise<void>;
}

export interface StartFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * `http` answers everything that comes in and works on nothing in the background; `workers` runs the queue's processors
 * and the schedules, and answers `/healthz`, `/readyz` and `/metrics` alone.
 */
export type Role = 'http' | 'workers';

/** A running instance: the doors, the hands, and what the command line needs of them. */
export interface Switchyard {
  readonly url: string;
  readonly port: number;
  /** Where this process itself listens, as a program on this machine calls it. */
  readonly listensAt: string;
  readonly profile: Profile;
  /** What it runs on, in words. */
  readonly about: About;
  /** The holder of the data folder, as a caller. */
  readonly operator: PrincipalCaller;
  readonly admin: {
    listSellers(caller: PrincipalCaller): ReturnType<typeof listSellers>;
    importSellers(caller: PrincipalCaller, drafts: readonly SellerDraft[]): ReturnType<typeof importSellers>;
  };
  readonly notes: InstanceNotes;
  /** A token of the operator, good for 24 hours. */
  mintToken(): Promise<string>;
  /** Stops taking work, finishes what is under way, closes pools before the database. A second call is the first. */
  close(): Promise<void>;
}

/** For what was opened by a start that failed, in milliseconds. */
const usualStopMs = 30_000;
const longestTaskMs = Math.max(...tasks.map(({ deadlineMs }) => deadlineMs));

export type Closer = () => Promise<void>;

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

/** What openers leave to whoever closes. */
interface Opened extends Omit<Switchyard, 'close'> {
  readonly load: LoadSettings;
  /** `/readyz` is red from then on, and connections end with their next answer. All is served as before. */
  readonly turnAway: () => void;
}

async function open(options: SwitchyardOptions, closers: Closer[]): Promise<Result<Opened, StartFailure>> {
  const configuration = readConfiguration(options.env, options);
  if (!configuration.ok) return configuration;
  const { settings, doors, issuers, rates, load } = configuration.value;
  const { logger, metrics } = createTelemetry({ level: settings.SWITCHYARD_LOG_LEVEL });
  const onUnexpected = (error: unknown, where: string): void =>
    logger.error({ err: error, where }, 'unexpected');
  const roleFits = refuseRole(options, settings, doors);
  if (!roleFits.ok) return roleFits;
  const settled = { ...options, ...doors, settings };
  const portFree = await refusePortInUse(settled.host ?? '127.0.0.1', settled);
  if (!portFree.ok) return portFree;
  // Adapters are opened first, and nobody is called before they are put together.
  const echoes: { heard?: Trust['echoes'] } = {};
  const opened = await openAdapters(settled, closers, onUnexpected, {
    onAlarm: (kind) => metrics.alarms.inc({ kind }),
    onEcho: (by) => echoes.heard?.echoed(by),
  });
  if (!opened.ok) return opened;
  const { adapters } = opened.value;
  const keysFit = await checkKeys(adapters.keys, instanceNotes(adapters.store), systemClock.now());
  if (!keysFit.ok) return keysFit;
  const issuedTokens = createIssuedTokens(issuers, adapters.egress, systemClock);
  const parts = assemble(adapters, {
    options: settled,
    onUnexpected,
    metrics,
    rates,
    settings,
    issuedTokens,
  });
  echoes.heard = parts.trust.echoes;
  // Opened secrets are wiped once nobody works with them, not when their minute is over.
  closers.push(() => Promise.resolve(parts.vault.close()));
  closers.push(() => parts.trust.settled());
  closers.push(() => parts.relay.custody.close());
  closers.push(() => parts.relay.quotes.close());
  // What is noted late goes into both of them.
  closers.push(() => parts.relay.notes.caughtUp());
  closers.push(() => parts.relay.paths.settled());
  const local = await prepareLocal(parts);
  parts.strangers.organizationId = local.scope.organizationId;
  const doubted = await parts.ownKeys.mismatches();
  if (doubted.length > 0) return err(anotherKey(doubted));
  const operatorKey = await parts.ownKeys.ensure(local.scope, local.operator.principalId);
  if (!operatorKey.ok) onUnexpected(new Error(operatorKey.error.message), "the operator's signing key");
  const notes = instanceNotes(adapters.store);
  await bindCredentials({ ...parts, notes, now: systemClock.now(), onUnexpected });
  if (options.role !== 'http')
    closers.push(await startBackground(adapters, parts, settings.SWITCHYARD_WORKERS, load.workersStopMs));
  const state = { isStopping: false };
  const adminDeps: AdminDeps = {
    ...parts.hands,
    ...parts.onboarding,
    ...parts.trust,
    ...parts,
    accounts: parts.handlers.accounts,
    approvalPorts: { ...parts.ports, approvals: parts.approvals, creatives: parts.creatives },
    lanes: parts.relay.lanes,
    log: parts.relay.log,
    baseUrl: () => parts.address.url,
    verifier: createLedgerVerifier({
      keys: adapters.keys,
      checkpoints: checkpointStore(adapters.store),
      read: adapters.readLedger,
      clock: systemClock,
    }),
    clock: systemClock,
    currentKeyId: () => adapters.keys.currentKeyId(),
    version: options.version,
    startedAt: systemClock.now(),
    local: {
      scope: local.scope,
      principalName: local.operator.name,
      operatorId: local.operator.principalId,
    },
    isSandboxUrl: options.isSandboxUrl ?? (() => false),
    sellersReady: options.sellersReady ?? (() => Promise.resolve()),
  };
  const limits = createRateLimits(rates, systemClock);
  const server = await createServer({
    ...serverOptions(settled),
    ...doors,
    ports: {
      tasks: countTasks(createTaskService({ ...parts.handlers, rates: limits }), metrics),
      answeredTasks: createAnsweredTasks(answerCache(adapters.store), systemClock),
      taskPush: createTaskPush({ ...parts.handlers, taskCallbacks: parts.taskCallbacks, rates: limits }),
      webhooks: createWebhookIntake({ ...parts.intake, rates: limits }),
      ...(parts.rehearsal === undefined ? {} : { rehearsal: parts.rehearsal }),
      identity: parts.identity,
      principalAdmin: parts.principalAdmin,
      relay: createRelay({ ...parts.relay, rates: limits }),
      signatures: parts.signatures,
      runRoute: (route, request) => route.handle(adminDeps, request),
      principals: parts.principals,
      identities: parts.identities,
      issuedTokens,
      rates: limits,
      ready: { check: () => Promise.resolve(readiness(adapters.watch, state.isStopping)) },
      metrics: { contentType: metrics.contentType, render: () => metrics.exposition() },
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
  parts.address.url = server.value.url;
  return ok({
    load,
    turnAway: () => {
      state.isStopping = true;
      server.value.turnAway();
    },
    url: server.value.url,
    port: server.value.port,
    listensAt: server.value.listensAt,
    profile: doors.profile,
    about: opened.value.about,
    operator: local.operator,
    admin: {
      listSellers: (caller) => listSellers(adminDeps, caller),
      importSellers: (caller, drafts) => importSellers(adminDeps, caller, drafts),
    },
    notes: instanceNotes(adapters.store),
    mintToken: async () => {
      const issued = await mintToken(adminDeps, 'local', {});
      if (!issued.ok) throw new Error(issued.error.message);
      return issued.value.token;
    },
  });
}

/** A process with a role has others beside it, which have to find the same database and be reached at one address. */
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

/** Starts everything that works without being called, and answers what stops it. */
async function startBackground(
  adapters: Adapters,
  parts: ReturnType<typeof assemble>,
  workersAtOnce: number,
  stopWithinMs: number,
): Promise<Closer> {
  if (adapters.isAlone) await giveBackWork({ ...parts.hands, organizations: parts.organizations });
  const custody: CustodyDeps = {
    log: parts.relay.log,
    store: parts.relay.store,
    clock: systemClock,
    keyidOf: async (scope, principalId) =>
      (await parts.ownKeys.list(scope)).find((key) => key.principalId === principalId && key.state === 'live')
        ?.kid,
    openForMs: relayTimeoutMs + 60_000,
    isAlone: adapters.isAlone,
  };
  const workers = await startWorkers(
    { hands: parts.hands, dispatch: parts.dispatch, custody },
    adapters.queue,
    { workers: workersAtOnce, stopWithinMs },
  );
  return () => workers.stop();
}

/** What verifies our signatures has to be what makes them: a key service that changed a key is found out here. */
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

/** Known already when it is asked for, so that the answer waits for nothing that hangs. */
function readiness(
  watch: DatabaseWatch,
  isStopping: boolean,
): { ready: boolean; parts: Record<string, string> } {
  const database = watch.isAvailable() ? 'ok' : 'unreachable';
  const parts = { database, ...(isStopping ? { server: 'stopping' } : {}) };
  return { ready: database === 'ok' && !isStopping, parts };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
