import { setTimeout as pause } from 'node:timers/promises';
import { instanceNotes, type InstanceNotes } from '@switchyard/store';
import type { Organization } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { releaseAbandonedWork } from '../buys/legs/release-abandoned-work.js';
import { issueToken } from '../people/tokens.routes.js';
import { makeSignInLink } from '../people/sign-in/sessions.js';
import { shareRateLimits } from '../platform/caller/share-rate-limits.js';
import { createRateLimits } from '../platform/caller/rate-limits.js';
import { systemClock } from '../platform/clock.js';
import type { SellerDraft } from '../platform/failure.js';
import { refusePortInUse } from '../platform/http/listen.js';
import type { StartFailure } from '../platform/start-failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { bindCredentials, credentialHealth } from '../sellers/credential-health.js';
import { seedSellers } from '../sellers/import-sellers.js';
import { listSellers } from '../sellers/sellers.routes.js';
import { shareBreakers } from '../sellers/share-breakers.js';
import { backgroundContext } from './background-context.js';
import { closeInOrder, type Closer } from './close-in-order.js';
import { compose, type Parts, type Surroundings } from './compose.js';
import { creativeFiles } from './creative-files.js';
import { loadConnectors } from './load-connectors.js';
import { openAdapters, type About } from './open-adapters.js';
import { openManagement } from './management.js';
import { openWatching } from './open-watching.js';
import { prepareLocal, type Local } from './prepare-local.js';
import { measureOnScrape, readiness } from './readiness.js';
import type { RowDeps } from './routes.js';
import { makeRowDeps } from './row-deps.js';
import { createServer, type RunningServer, type ServerOptions } from './server.js';
import { openChanges, serverOptionsOf } from './server-options.js';
import type { LoadSettings } from './settings/load-settings.js';
import type { Profile } from './settings/http-settings.js';
import { readConfiguration, type Configuration } from './settings/read-configuration.js';
import type { Settings } from './settings/settings.js';
import type { SwitchyardOptions } from './switchyard-options.js';
import { startBackground, type Background } from './workers.module.js';

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
  const { settings, http, load } = configuration.value;
  const roleFits = refuseRole(options, settings, http);
  if (!roleFits.ok) return roleFits;
  const portFree = await refusePortInUse(options.host ?? '127.0.0.1', { ...options, ...http });
  if (!portFree.ok) return portFree;
  const surrounded = await surround(options, configuration.value, closers);
  if (!surrounded.ok) return surrounded;
  const { around, about, parts } = surrounded.value;
  const prepared = await prepare(parts, settings, options.role !== 'http' && around.adapters.isAlone);
  if (!prepared.ok) return prepared;
  const local = prepared.value;
  const state = { isStopping: false };
  const ready = () => readiness(around.adapters.watch, state.isStopping);
  const served = await serve(parts, around, { options, local, closers, ready });
  if (!served.ok) return served;
  const { rows, server } = served.value;
  parts.address.url = server.url;
  return ok({
    load,
    turnAway: () => {
      state.isStopping = true;
      server.turnAway();
    },
    ...{ url: server.url, port: server.port, listensAt: server.listensAt },
    ...{ profile: http.profile, about, organization: local.organization, operator: local.operator },
    ...byHand(parts, rows, local),
  });
}

/** Opens the adapters and composes the capabilities on them. */
async function surround(
  options: SwitchyardOptions,
  configuration: Configuration,
  closers: Closer[],
): Promise<Result<{ around: Surroundings; about: About; parts: Parts }, StartFailure>> {
  const { settings, http } = configuration;
  const connectors = loadConnectors(settings.SWITCHYARD_CONNECTORS ?? [], process.cwd());
  if (!connectors.ok) return connectors;
  const watching = await openWatching(configuration, options.version, closers);
  const { metrics, tracing, onUnexpected } = watching;
  // Adapters open first and make no call before the capabilities are composed.
  const late: { parts?: Parts } = {};
  const credentials = credentialHealth({ vault: () => late.parts?.vault, clock: systemClock, onUnexpected });
  const opened = await openAdapters({ ...options, ...http, settings }, closers, onUnexpected, {
    ...{ connectors: connectors.value.sellers, tracing, metrics },
    onAlarm: (kind) => metrics.alarms.inc({ kind }),
    onModelStatement: (text) =>
      metrics.modelStatements.inc({ table: /"public"\."(\w+)"/.exec(text)?.[1] ?? 'none' }),
    onQueueError: () => metrics.queueErrors.inc(),
    onEcho: (by) => late.parts?.echoes.echoed(by),
    onCredential: (target, status, tool) => credentials.judged(target, status, tool),
  });
  if (!opened.ok) return opened;
  const { adapters, about } = opened.value;
  const around = { adapters, configuration, watching, connectors: connectors.value };
  const parts = compose(around);
  late.parts = parts;
  const { keyAlarms, refusalLog, echoes, relay } = parts;
  closers.push(
    () => credentials.settled(),
    // Opened secrets are wiped once nothing uses them, before their minute is over.
    () => Promise.resolve(parts.vault.close()),
    () => Promise.all([keyAlarms.settled(), refusalLog.settled(), echoes.settled()]),
    () => relay.custody.close(),
    () => relay.quotes.close(),
    // Late notes are written to both of them.
    () => relay.deferredAnswers.caughtUp(),
    () => relay.paths.settled(),
    () => parts.quotas.stop(),
  );
  return ok({ around, about, parts });
}

/** Makes what the first start needs, and ends what an earlier process has left, before anything is served. */
async function prepare(
  parts: Parts,
  settings: Settings,
  isAlone: boolean,
): Promise<Result<Local, StartFailure>> {
  const { ownKeys, clock, onUnexpected } = parts;
  const local = await prepareLocal(parts, settings);
  parts.strangers.organizationId = local.scope.organizationId;
  const doubted = await ownKeys.mismatches();
  if (doubted.length > 0) return err(anotherKey(doubted));
  const operatorKey = await ownKeys.ensure(local.scope, local.operator.principalId);
  if (!operatorKey.ok) onUnexpected(new Error(operatorKey.error.message), "the operator's signing key");
  await bindCredentials({ ...parts, notes: instanceNotes(parts.store), now: clock.now() });
  if (isAlone) await releaseAbandonedWork(parts);
  return ok(local);
}

interface Serving {
  readonly options: SwitchyardOptions;
  readonly local: Local;
  readonly closers: Closer[];
  readonly ready: () => ReturnType<typeof readiness>;
}

/** Starts the background work, the management port and the HTTP server. */
async function serve(
  parts: Parts,
  around: Surroundings,
  { options, local, closers, ready }: Serving,
): Promise<Result<{ rows: RowDeps; server: RunningServer }, StartFailure>> {
  const { settings, rates } = around.configuration;
  const { clock, metrics } = parts;
  const { exchange, queue, egress } = around.adapters;
  const files = creativeFiles(settings, options.dataDir, egress);
  if (!files.ok) return files;
  const limits =
    exchange === undefined ? createRateLimits(rates, clock) : shareRateLimits(rates, clock, exchange);
  if (exchange !== undefined) shareBreakers(parts.breakers, clock, exchange);
  const wakeJobs: RowDeps['platform']['wakeJobs'] = (...wanted) => background.wakeJobs(...wanted);
  const rows = makeRowDeps(parts, around, { options, local, limits, files: files.value, wakeJobs });
  const works = options.role !== 'http';
  const background: Background = await startBackground(
    queue,
    works ? backgroundContext(parts, around, rows) : undefined,
  );
  closers.push(() => background.stop());
  measureOnScrape(parts, around, ready);
  if (settings.SWITCHYARD_MANAGEMENT_PORT !== undefined) {
    const management = await openManagement({
      ...{ clock, metrics, ready, logger: around.watching.logger },
      host: settings.SWITCHYARD_MANAGEMENT_HOST,
      port: settings.SWITCHYARD_MANAGEMENT_PORT,
    });
    if (!management.ok) return management;
    closers.push(() => management.value.close());
  }
  const changes = openChanges(parts, around);
  const server = await createServer(
    serverOptionsOf(parts, around, { options, rows, limits, background, changes, ready }),
  );
  if (!server.ok) return server;
  closers.push(() => server.value.close());
  // Streams do not end by themselves: closing the HTTP server would wait for them.
  closers.push(() => Promise.resolve(changes.close()));
  return ok({ rows, server: server.value });
}

/** What the command line does without HTTP. */
function byHand(
  { store, principals, clock, url }: Parts,
  rows: RowDeps,
  { scope, operator }: Local,
): Pick<Opened, 'admin' | 'notes' | 'makeSignInLink' | 'issueToken'> {
  return {
    admin: {
      listSellers: (caller) => listSellers(rows.sellers, caller),
      importSellers: (caller, drafts) => seedSellers(rows.sellers, caller, drafts),
    },
    notes: instanceNotes(store),
    makeSignInLink: async () => {
      const found = await principals.findByName(scope, operator.name);
      if (found === undefined) throw new Error('The operator of the data folder is gone.');
      return (await makeSignInLink(found, 15 * 60_000, { principals, clock, url })).link;
    },
    issueToken: async () => {
      const issued = await issueToken(rows.people, 'local', {});
      if (!issued.ok) throw new Error(issued.error.message);
      return issued.value.token;
    },
  };
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

/** The published key must match the signing key: this detects a key service that changed a key. */
function anotherKey(kids: readonly string[]): StartFailure {
  return {
    code: 'signing_key_mismatch',
    message:
      `The key service has another key than the one that is published as ${kids.join(', ')}: nobody could verify ` +
      'what it signs. Restore the key there, or retire ours, and start again.',
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
