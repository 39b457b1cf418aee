import { randomUUID } from 'node:crypto';
import { createEgress, createTxtLookup } from '@switchyard/egress';
import {
  AwsSigner,
  openKeyManagement,
  type KeyManagementEnvironment,
  type ProviderKind,
} from '@switchyard/kms';
import {
  openExchange,
  openQueue,
  prepareQueueSchema,
  type Exchange,
  type QueueConnection,
} from '@switchyard/queue';
import {
  withLifecycleSellers,
  type Egress,
  type SellerLanes,
  type SellerTransport,
  type TxtLookup,
} from '@switchyard/sellers';
import type { KeyService } from '@switchyard/signing';
import {
  archiveMonths,
  instanceNotes,
  openDatabase,
  openStore,
  stopRepository,
  verifyInWorker,
  watchDatabase,
  type DatabaseWatch,
  type OpenedDatabase,
  type Store,
  type InstanceNotes,
  type ArchiveJob,
} from '@switchyard/store';
import type { IsStopped, Stop, StopRepository } from '@switchyard/tenancy';
import { createSellerTransport, type SellerTransportOptions } from '@switchyard/transports';
import { err, ok, type Result, type Clock, type Instant } from '@switchyard/values';
import { makeKeyCheck, type MasterKeys } from '@switchyard/vault';
import {
  chooseFirst,
  chosenKey,
  lacksChosenKey,
  storedKeyCheck,
  storeFirstCheck,
  verifyStoredCheck,
} from './master-keys.js';
import { pausedOr } from './backup/paused.js';
import { openReports } from './report-files.js';
import type { VerifierDeps } from '../ledger/verify-ledger.js';
import { systemClock } from '../platform/clock.js';
import type { Profile } from './settings/http-settings.js';
import type { Settings } from './settings/settings.js';
import type { Closer } from './close-in-order.js';
import type { SwitchyardOptions } from './switchyard-options.js';
import type { StartFailure } from '../platform/start-failure.js';
import type { Metrics, Tracing } from '@switchyard/telemetry';
import { tracedEgress, watchedKeys, watchedTransport } from './traced.js';

/** The open adapters, one of each technology. */
export interface Adapters {
  readonly store: Store;
  /** The last known state of the database, without a query. */
  readonly watch: DatabaseWatch;
  readonly keys: MasterKeys;
  /** Signs for principals that have a key of their own in a key service. */
  readonly signer: KeyService;
  /** Reads a ledger on a separate thread and connection. */
  readonly readLedger: VerifierDeps['read'];
  readonly queue: QueueConnection;
  /** Between the processes of an installation; absent without Redis. */
  readonly exchange?: Exchange;
  readonly egress: Egress;
  readonly txt: TxtLookup;
  readonly transport: SellerTransport & SellerLanes;
  /** Emergency stops, checked before every outbound call. */
  readonly isStopped: IsStopped;
  /** Opens what reports are read from (docs/growth.md#a-replica-for-reading). Close it. */
  readonly openReports: () => ReturnType<typeof openReports>;
  /** Archives months; absent where the owner of the tables is not known. */
  readonly archiveMonths?: (job: ArchiveJob) => ReturnType<typeof archiveMonths>;
  /** True if no other process can use the database: it belongs to the data folder, which is locked. */
  readonly isAlone: boolean;
}

/** What an instance runs on, as text for the person who started it. */
export interface About {
  readonly database: string;
  readonly queue: string;
  readonly keys: string;
}

/** Callbacks for events of adapters. */
interface AdapterEvents {
  /** Called for each alarm of a committed transaction. */
  readonly onAlarm: (kind: string) => void;
  /** Called with the text of each statement of Prisma's client. */
  readonly onModelStatement: (text: string) => void;
  /** Called for each lost connection and failed handler of the queue. */
  readonly onQueueError: () => void;
  /** Called for each answer from which our own credential was removed. */
  readonly onEcho: NonNullable<SellerTransportOptions['onEcho']>;
  /** Called with the result of each call that used a credential of ours. */
  readonly onCredential: NonNullable<SellerTransportOptions['onCredential']>;
  /** Ways to call sellers that packages outside of the product have brought. */
  readonly connectors: NonNullable<SellerTransportOptions['connectors']>;
  readonly tracing: Tracing;
  readonly metrics: Pick<Metrics, 'legSeconds' | 'kmsSeconds' | 'dbWaitSeconds' | 'headWaitSeconds'>;
}

/** The greatest age of an answer, in milliseconds: half of the second in which a stop takes effect in every process. */
const freshMs = 500;

interface Read {
  /** When the read began: it contains everything committed before. */
  readonly at: Instant;
  readonly stops: Promise<readonly Stop[]>;
}

/**
 * Answers whether a stop is active, from a read that is at most half a second old: one small query per organization and
 * half second, for any number of calls, and none while nothing happens.
 */
export function currentStops(repository: Pick<StopRepository, 'list'>, clock: Clock): IsStopped {
  const reads = new Map<string, Read>();
  const read = (organizationId: string): Promise<readonly Stop[]> => {
    const now = clock.now();
    const known = reads.get(organizationId);
    if (known !== undefined && now - known.at < freshMs && now >= known.at) return known.stops;
    const stops = repository.list({ organizationId });
    const fresh = { at: now, stops };
    reads.set(organizationId, fresh);
    stops.catch(() => {
      // A failed read is not shared: the next call reads again.
      if (reads.get(organizationId) === fresh) reads.delete(organizationId);
    });
    return stops;
  };
  return async (organizationId, kind, subject) =>
    (await read(organizationId)).some(
      (stop) =>
        (stop.kind === kind && stop.subject === subject) || (stop.kind === 'all' && kind === 'seller'),
    );
}

const keepers: Readonly<Record<ProviderKind, string>> = {
  aws: 'AWS KMS',
  local: 'a local keyring',
  transit: 'HashiCorp Vault',
  google: 'Google Cloud KMS',
  azure: 'Azure Key Vault',
};

/** Opens the adapters in order. Each one adds its closer, so that a later failure closes it. */
export async function openAdapters(
  options: SwitchyardOptions & { readonly profile: Profile; readonly settings: Settings },
  closers: Closer[],
  onUnexpected: (error: unknown, where: string) => void,
  {
    onAlarm,
    onModelStatement,
    onQueueError,
    onEcho,
    onCredential,
    tracing,
    metrics,
    connectors,
  }: AdapterEvents,
): Promise<Result<{ readonly adapters: Adapters; readonly about: About }, StartFailure>> {
  const { settings, dataDir } = options;
  const database = await openDatabase(settings, dataDir);
  if (!database.ok) return database;
  closers.push(() => database.value.stop());
  const signer = new AwsSigner();
  closers.push(() => Promise.resolve(signer.close()));
  const preparedStatements =
    (settings.SWITCHYARD_PREPARED_STATEMENTS ?? (database.value.pooled ? 'off' : 'on')) === 'on';
  const store = openStore(database.value.appUrl, {
    connections: settings.SWITCHYARD_DATABASE_CONNECTIONS,
    // After this time a caller gets a retry time.
    waitMs: 5_000,
    onIdleError: (error) => onUnexpected(error, 'an idle connection'),
    onAlarm,
    onModelStatement,
    onWait: (ms) => metrics.dbWaitSeconds.observe(ms / 1_000),
    ...(tracing.isOn && { traceParent: () => tracing.current() }),
    onHeadWait: (ms) => metrics.headWaitSeconds.observe(ms / 1_000),
    preparedStatements,
  });
  closers.push(() => store.close());
  const watch = await watchDatabase(database.value.appUrl, systemClock, {
    onWrongClock: (aheadMs) =>
      onUnexpected(new Error(`The clock of this machine is ${clockText(aheadMs)}.`), 'the clock'),
  });
  closers.push(() => watch.stop());
  const ending = new AbortController();
  closers.push(() => Promise.resolve(ending.abort()));
  const { appUrl, ownerUrl } = database.value;
  const redisUrl = settings.REDIS_URL;
  const onRedisError = (error: unknown): void => {
    onQueueError();
    onUnexpected(error, 'the queue');
  };
  const queue = await queueOn(database.value, redisUrl, onRedisError);
  if (!queue.ok) return queue;
  closers.push(() => queue.value.close());
  const exchange = redisUrl === undefined ? undefined : openExchange({ redisUrl, onError: onRedisError });
  if (exchange !== undefined) closers.push(() => exchange.close());
  // Only the local profile may call loopback and plain http.
  const egress = tracedEgress(createEgress({ allowLoopback: options.profile === 'local' }), tracing);
  closers.push(() => egress.close());
  const stops = currentStops(stopRepository(store, systemClock), systemClock);
  const isStopped = pausedOr(stops, instanceNotes(store), systemClock);
  const calls = createSellerTransport({
    egress,
    isStopped: ({ organizationId, connectionId }) => isStopped(organizationId, 'seller', connectionId),
    client: { name: 'switchyard', version: options.version },
    connectors,
    clock: systemClock,
    onEcho,
    onCredential,
  });
  const watched = watchedTransport(calls, { tracing, metrics });
  const transport = { ...watched, ...withLifecycleSellers(watched, randomUUID) };
  closers.push(() => transport.close());
  // Last, so that a first start that fails earlier makes no keyring and binds the database to none.
  const keys = await openKeys(settings, dataDir, instanceNotes(store), systemClock.now());
  if (!keys.ok) return keys;
  return ok({
    adapters: {
      signer,
      store,
      watch,
      readLedger: ({ organizationId }, options) =>
        verifyInWorker({ appUrl, preparedStatements, organizationId, ...options }, ending.signal),
      keys: watchedKeys(keys.value.keys, { tracing, metrics }),
      queue: queue.value,
      ...(exchange !== undefined && { exchange }),
      egress,
      txt: createTxtLookup(),
      transport,
      isStopped,
      openReports: () => openReports({ primaryUrl: appUrl, readUrl: settings.SWITCHYARD_READ_URL, appUrl }),
      ...(ownerUrl !== undefined && { archiveMonths: (job) => archiveMonths(ownerUrl, job) }),
      isAlone: database.value.embedded,
    },
    about: {
      database: aboutDatabase(database.value),
      queue: redisUrl === undefined ? 'queues in PostgreSQL' : 'queues in Redis',
      keys: `keys in ${keepers[keys.value.kind]}`,
    },
  });
}

interface OpenedKeys {
  readonly kind: ProviderKind;
  readonly keys: MasterKeys;
}

/**
 * Opens the master keys, and refuses those of another database: a replica or a restored backup with them could not open
 * what the others sealed. Only the first start on a database stores the check value and makes a keyring.
 */
async function openKeys(
  environment: KeyManagementEnvironment,
  dataDir: string,
  notes: InstanceNotes,
  now: Instant,
): Promise<Result<OpenedKeys, StartFailure>> {
  let stored = await storedKeyCheck(notes);
  const opened = await openKeyManagement(environment, dataDir, {
    mayMake: stored === undefined,
    chosen: chosenKey(notes),
  });
  if (!opened.ok)
    return opened.error.code === 'keyring_missing' ? err(otherKeys(opened.error.message)) : opened;
  const { keys } = opened.value;
  await chooseFirst(notes, keys, now);
  const chosen = await keys.refresh();
  if (!chosen.ok) return chosen;
  const lacking = lacksChosenKey(keys);
  if (lacking?.ok === false) return err(otherKeys(lacking.error.message));
  if (stored === undefined) {
    const made = await makeKeyCheck(keys);
    if (!made.ok) return made;
    stored = await storeFirstCheck(notes, made.value, now);
  }
  const verified = await verifyStoredCheck(keys, notes, stored, now);
  if (!verified.ok) return isOutage(verified.error.code) ? verified : err(otherKeys(verified.error.message));
  return ok({ kind: keys.kindOf(chosen.value) ?? 'local', keys });
}

function otherKeys(reason: string): StartFailure {
  return {
    code: 'other_master_keys',
    message:
      `This database's secrets are sealed under other master keys. ${reason} Start with the keyring.json of the ` +
      'installation that made this database, copied into the data folder, or with its SWITCHYARD_KMS_KEY_ID.',
  };
}

function isOutage(code: string): boolean {
  return code === 'unavailable' || code === 'throttled' || code === 'denied';
}

/** How far the clock of this machine is from the database's, for people. */
export function clockText(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
}

/** Which database was opened, as a text for the start (docs/runbooks/operate.md#more-than-one-process). */
export function aboutDatabase({
  embedded,
  pooled,
  newer,
}: Pick<OpenedDatabase, 'embedded' | 'pooled' | 'newer'>): string {
  const tables = newer.length === 0 ? '' : ` (its tables are of a newer version: ${newer.join(', ')})`;
  if (embedded) return `PostgreSQL of its own${tables}`;
  return `PostgreSQL of DATABASE_URL${pooled ? ' through a pooler' : ''}${tables}`;
}

async function queueOn(
  database: OpenedDatabase,
  redisUrl: string | undefined,
  onError: (error: Error) => void,
): Promise<Result<QueueConnection, StartFailure>> {
  if (redisUrl !== undefined) return openQueue({ redisUrl, onError });
  if (database.pooled)
    return err({
      code: 'pooled',
      message:
        'DATABASE_URL leads through a pooler, and queues in PostgreSQL listen on connections of their own. Set REDIS_URL.',
    });
  const prepared = await prepareQueue(database);
  if (!prepared.ok) return prepared;
  return openQueue({ databaseUrl: database.appUrl, onError });
}

/** Makes the tables of the queue if an owner URL is set; otherwise they exist already. */
export async function prepareQueue({
  ownerUrl,
  appUrl,
}: OpenedDatabase): Promise<Result<void, StartFailure>> {
  if (ownerUrl === undefined) return ok(undefined);
  return prepareQueueSchema({ ownerUrl, applicationRole: decodeURIComponent(new URL(appUrl).username) });
}
