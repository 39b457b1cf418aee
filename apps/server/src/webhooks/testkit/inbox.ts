import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ReadPorts, RegistrationDraft } from '@switchyard/buys';
import type { RegistrationMode } from '@switchyard/events';
import { dialects } from '@switchyard/protocol';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy, type Connection } from '@switchyard/sellers';
import {
  generateSigningKey,
  noRevocations,
  publicJwk,
  signRequest,
  type SigningKey,
} from '@switchyard/signing';
import {
  connectionDirectory,
  credentialStore,
  dueWork,
  eventLog,
  impairments,
  inboxStore,
  inboxWork,
  ledgerStore,
  nameReader,
  openStore,
  operationStore,
  replayStore,
  senderKeys,
  reportWatches,
  webhookRegistrations,
  type EventLog,
  type Store,
} from '@switchyard/store';
import { createTelemetry } from '@switchyard/telemetry';
import {
  createConnection,
  createOrganization,
  makeOperation,
  memoryKeyManagement,
  createTestDatabase,
  testClock,
  type TestClock,
} from '@switchyard/testing';
import { err, must, ok, Secret, type JsonObject, type Result } from '@switchyard/values';
import { createVault, destinationOf, type Vault } from '@switchyard/vault';
import { eventRoutes, type EventsDeps } from '../in/events.routes.js';
import type { MessageView } from '../in/event-views.js';
import type { EventDetail } from '../in/event-views.js';
import type { EventView } from '../in/event-views.js';
import type { EventState } from '../in/event-views.js';
import type { Route } from '../../platform/routes/route.js';
import { callRoutes } from '../../platform/routes/testkit/call-route.js';
import type { AdminFailure } from '../../platform/failure.js';
import { noJobStarter } from '../../platform/jobs/testkit/no-job-starter.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { openHttpHarness } from '../../main/testkit/http-harness.js';
import { leaseSecretsFrom } from '../../keys/lease-secrets.js';
import { localCredentials } from '../in/local-credentials.js';
import { evidenceVault } from '../in/seal-evidence.js';
import { createWebhookIntake, type IntakeDeps } from '../in/webhook-intake.js';
import { webhookSecrets } from '../in/webhook-secrets.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import type { RecoveryDeps } from '../../buys/reports/recover-reports.js';

/** Returns a seller's answer by tool; undefined: the seller cannot be reached. */
type SpecAnswers = (tool: string, args: JsonObject) => JsonObject | undefined;

/** One seller, our buy there, and the webhook addresses that it has. */
export interface SpecSeller {
  readonly connection: Connection;
  readonly key: SigningKey;
  readonly operationId: string;
  readonly legId: string;
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  readonly sellerMediaBuyId: string;
  readonly packageRef: string;
  readonly taskAddress: string;
  readonly reportAddress: string;
  readonly sellerOperationId: string;
  /** Empty if the seller has none. */
  readonly nativeAddress: string;
}

export interface SellerOptions {
  readonly connection?: Partial<Connection>;
  /** The mode of its addresses, and the secret of a legacy one. */
  readonly mode?: Exclude<RegistrationMode, 'token'>;
  readonly secret?: string;
  /** Keeps the report address signed, whatever the mode of the other: a seller that changes its mode. */
  readonly signsReports?: true;
  /** Gives it a native A2A address of this mode. */
  readonly native?: 'signed' | 'token';
  readonly token?: string;
}

interface SpecAddresses {
  readonly modes: Partial<RegistrationDraft>;
  readonly reportModes?: Partial<RegistrationDraft>;
  readonly native?: Omit<RegistrationDraft, 'legId' | 'connectionId'>;
}

export interface Posting {
  readonly address?: string;
  readonly key?: SigningKey;
  /** Replaces the header lines that a signature needs. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Seconds from now. */
  readonly created?: number;
  readonly expires?: number;
  readonly nonce?: string;
  readonly url?: string;
}

/** Real endpoints, intake and workers on PostgreSQL, for specs of received webhooks. */
export interface SpecInbox {
  readonly store: Store;
  readonly clock: TestClock;
  readonly url: string;
  /** The token of a person with all permissions, in the organization of these specs. */
  readonly token: string;
  readonly scope: { readonly organizationId: string };
  /** The database URL of its owner, for specs that make it unavailable. */
  readonly ownerUrl: string;
  /** The database URL of the server's role. */
  readonly appUrl: string;
  readonly deps: RecoveryDeps & { readonly events: EventLog };
  readonly admin: SpecEvents;
  readonly caller: PrincipalCaller;
  readonly vault: Vault;
  /** Calls of tools at sellers. */
  readonly sellerCalls: { readonly tool: string; readonly args: JsonObject }[];
  /** Connections whose seller wrote our credential into a webhook, once for each. */
  readonly echoes: string[];
  answerWith(answers: SpecAnswers): void;
  seller(requested?: SellerOptions): Promise<SpecSeller>;
  /** Signs a body as a seller does, and posts it over HTTP. */
  post(seller: SpecSeller, body: unknown, posting?: Posting): Promise<Response>;
  intake(over: Partial<IntakeDeps>): ReturnType<typeof createWebhookIntake>;
  close(): Promise<void>;
}

/** 2026-11-21, after the start of the buys' flights. */
export const started = Date.UTC(2026, 10, 21, 12);

export async function specInbox(): Promise<SpecInbox> {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  const clock = testClock(started);
  const scope = { organizationId: (await createOrganization(store)).id };
  const vault = createVault({
    kms: memoryKeyManagement(),
    store: credentialStore(store),
    clock,
    newId: randomUUID,
    randomBytes,
  });
  const keys = new Map<string, { readonly jwk: JsonObject; readonly agentUrl: string }>();
  const sellerCalls: { tool: string; args: JsonObject }[] = [];
  let answers: SpecAnswers = () => undefined;
  const connections = connectionDirectory(store);
  const ledger = ledgerStore(store);
  const repository = impairments(store, ledger);
  const ports: ReadPorts = {
    impairments: repository,
    store: operationStore(store),
    connections,
    transport: {
      call: (_target, { tool, args, wantsText }) => {
        sellerCalls.push({ tool, args });
        const payload = answers(tool, args);
        return Promise.resolve(
          payload === undefined
            ? err({ code: 'unreachable', delivered: 'no', message: 'Nobody answers.' } as const)
            : ok({ payload, isError: false, ...(wantsText === true && { text: JSON.stringify(payload) }) }),
        );
      },
      listTools: () => Promise.resolve(ok({})),
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    lease: () => Promise.resolve(ok(new Map())),
    clock,
    ids: { uuid: () => randomUUID(), token: (prefix) => `${prefix}_${randomUUID()}` },
    callbackBase: () => 'http://127.0.0.1',
    notice: () => undefined,
    breakers: new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined }),
    bulkhead: new Bulkhead(16),
  };
  const deps = {
    ports,
    store,
    connections,
    inbox: inboxWork(store),
    ledger,
    impairments: repository,
    due: dueWork(store),
    onUnexpected: (error: unknown) => {
      throw error;
    },
    events: eventLog(store),
    watches: reportWatches(store),
  };
  const resolve = (keyid: string) => {
    const known = keys.get(keyid);
    return Promise.resolve(known === undefined ? err('key_unknown' as const) : ok(known));
  };
  const address = { url: '' };
  const echoes: string[] = [];
  const intakeParts: IntakeDeps = {
    registrations: webhookRegistrations(store),
    inbox: inboxStore(store),
    nonces: replayStore(store, { clock, cap: 100_000 }),
    keys: {
      resolve: (_connection, keyid) => resolve(keyid),
      of: () => ({ resolve }),
      revocationsOf: () => noRevocations,
    },
    senderKeys: senderKeys(store, clock),
    secrets: webhookSecrets(vault, credentialStore(store), clock),
    localCredentials: localCredentials(leaseSecretsFrom(vault), clock, randomUUID),
    onEcho: ({ connectionId }) => void echoes.push(connectionId),
    evidence: evidenceVault(vault),
    connections,
    clock,
    newId: () => randomUUID(),
    baseUrl: () => address.url,
    metrics: createTelemetry({ level: 'silent', processFigures: false }).metrics,
    notifyInbox: () => undefined,
  };
  const eventsDeps = {
    names: nameReader(store),
    ...deps,
    jobStarter: noJobStarter,
    evidence: evidenceVault(vault),
    newId: () => randomUUID(),
  };
  const http = await openHttpHarness(
    {},
    {
      webhooks: createWebhookIntake(intakeParts),
      runRoute: (route, request) =>
        (eventRoutes.find(({ id }) => id === route.id) ?? (route as Route<EventsDeps>)).handle(eventsDeps, {
          ...request,
          caller,
        }),
    },
  );
  address.url = http.url;
  const caller: PrincipalCaller = {
    kind: 'principal',
    organizationId: scope.organizationId,
    principalId: randomUUID(),
    name: 'finance',
    principalKind: 'person',
    permissions: { sellers: ['read'], reports: ['read'], ledger: ['read', 'approve'] },
    transitional: false,
    legacy: false,
  };
  return {
    store,
    clock,
    url: http.url,
    scope,
    ownerUrl: database.ownerUrl,
    appUrl: database.appUrl,
    deps,
    caller,
    sellerCalls,
    echoes,
    vault,
    admin: specEvents(eventsDeps),
    token: http.token,
    answerWith: (given) => {
      answers = given;
    },
    seller: async (requested = {}) => {
      const connection = await createConnection(store, scope.organizationId, {
        form: '3.1',
        ...requested.connection,
      });
      const key = generateSigningKey(`kid-${connection.slug}`);
      keys.set(key.kid, { jwk: publicJwk(key, ['ads_use']), agentUrl: connection.agentUrl });
      return bookedAt(deps, scope, connection, key, await addressesOf(vault, scope, connection, requested));
    },
    post: (seller, body, posting = {}) => postSigned(http.url, clock.now(), seller, body, posting),
    intake: (over) => createWebhookIntake({ ...intakeParts, ...over }),
    close: async () => {
      await http.close();
      await store.close();
      await database.stop();
    },
  };
}

/** Actions of people on webhooks. */
interface SpecEvents {
  list(
    caller: PrincipalCaller,
    filter: { readonly state?: EventState; readonly seller?: string },
  ): Promise<readonly EventView[]>;
  show(caller: PrincipalCaller, id: string, options: { readonly raw: boolean }): Shown;
  admit(caller: PrincipalCaller, id: string, reason: string): Shown;
  dismiss(caller: PrincipalCaller, id: string, reason: string): Shown;
  messages(caller: PrincipalCaller): Promise<readonly MessageView[]>;
}
type Shown = Promise<Result<EventDetail, AdminFailure>>;

function specEvents(deps: EventsDeps): SpecEvents {
  const call = callRoutes(eventRoutes, deps);
  return {
    messages: async (caller) => {
      const exported = must(await call(caller, 'export_events'));
      return exported['messages'] as unknown as readonly MessageView[];
    },
    list: async (caller, query) => {
      const listed = must(await call(caller, 'list_events', { query }));
      return listed['events'] as unknown as readonly EventView[];
    },
    show: (caller, id, { raw }) =>
      call(caller, 'show_event', { params: { id }, query: raw ? { raw: 'true' } : {} }) as unknown as Shown,
    admit: (caller, id, reason) =>
      call(caller, 'admit_event', { params: { id }, body: { reason } }) as unknown as Shown,
    dismiss: (caller, id, reason) =>
      call(caller, 'dismiss_event', { params: { id }, body: { reason } }) as unknown as Shown,
  };
}

/** Registers a seller's addresses; the secret of a legacy mode is sealed first. */
async function addressesOf(
  vault: Vault,
  scope: { readonly organizationId: string },
  { id: connectionId, slug: seller, agentUrl }: Connection,
  { mode = 'signed', secret, signsReports, native, token = 'a-token' }: SellerOptions,
): Promise<SpecAddresses> {
  const sealed =
    secret === undefined
      ? undefined
      : await vault.put(scope, {
          kind: 'webhook',
          secret: new Secret(Buffer.from(secret)),
          connectionId,
          seller,
          destination: destinationOf(agentUrl),
        });
  const id = `whr_${randomUUID()}`;
  const tokenHash = createHash('sha256').update(token).digest('hex');
  return {
    modes: { mode, ...(sealed?.ok === true ? { credentialId: sealed.value.credentialId } : {}) },
    ...(signsReports === undefined ? {} : { reportModes: {} }),
    ...(native === undefined
      ? {}
      : { native: { id, kind: 'a2a', mode: native, sellerOperationId: id, tokenHash } }),
  };
}

/** Creates a buy of one package that the seller has confirmed after a while. */
export async function bookedAt(
  deps: WorkerDeps,
  scope: { readonly organizationId: string },
  connection: Connection,
  key: SigningKey,
  { modes, reportModes = modes, native }: SpecAddresses,
): Promise<SpecSeller> {
  const made = makeOperation(scope, {
    sellers: [connection.slug],
    connectionIds: { [connection.slug]: connection.id },
    packagesPerLeg: 1,
    createdAt: deps.ports.clock.now(),
  });
  const [leg] = made.legs;
  const [sellerBuy] = made.sellerBuys;
  if (leg === undefined || sellerBuy === undefined) throw new Error('A buy has a leg.');
  const registrations = [
    ...made.registrations.map((registration) => ({
      ...registration,
      ...(registration.kind === 'report' ? reportModes : modes),
    })),
    ...(native === undefined ? [] : [{ ...native, legId: leg.id, connectionId: connection.id }]),
  ];
  await deps.ports.store.begin(scope, { ...made, registrations });
  const [sellerMediaBuyId, packageRef] = [`their-${leg.id.slice(0, 8)}`, `package-${leg.id.slice(0, 8)}`];
  await deps.ports.store.change(scope, leg.id, (state) => ({
    ...state,
    operation: { ...state.operation, updatedAt: deps.ports.clock.now() },
    legs: state.legs.map((item) => ({
      ...item,
      status: 'working',
      sellerTaskId: 'task-1',
      ...(native === undefined ? {} : { a2aTaskId: 'a2a-1' }),
      observedBy: 'poll',
    })),
    sellerBuys: state.sellerBuys.map((buy) => ({ ...buy, sellerMediaBuyId, status: 'active' })),
    packages: state.packages.map((item) => ({ ...item, sellerPackageId: packageRef })),
  }));
  const addressOf = (kind: 'task' | 'report'): string =>
    made.registrations.find((registration) => registration.kind === kind)?.id ?? '';
  return {
    connection,
    key,
    operationId: made.operation.id,
    legId: leg.id,
    mediaBuyId: made.buy.id,
    sellerBuyId: sellerBuy.id,
    sellerMediaBuyId,
    packageRef,
    taskAddress: addressOf('task'),
    reportAddress: addressOf('report'),
    sellerOperationId: made.registrations[0]?.sellerOperationId ?? '',
    nativeAddress: native?.id ?? '',
  };
}

let nonces = 0;

/** Returns the header lines and bytes of one signed webhook. */
export function signed(
  base: string,
  now: number,
  seller: SpecSeller,
  body: unknown,
  posting: Posting = {},
): { readonly url: string; readonly bytes: Buffer; readonly headers: Record<string, string> } {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const contentType = posting.contentType ?? 'application/json';
  const key = posting.key ?? seller.key;
  const url = posting.url ?? `${base}/webhooks/${posting.address ?? seller.reportAddress}`;
  nonces += 1;
  const created = Math.floor(now / 1000) + (posting.created ?? 0);
  const signature = signRequest({
    method: 'POST',
    url,
    headers: { 'content-type': contentType },
    body: bytes,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: dialects.ads.webhookTag,
    created,
    expires: posting.expires === undefined ? created + 300 : Math.floor(now / 1000) + posting.expires,
    nonce: posting.nonce ?? Buffer.from(String(nonces).padStart(16, '0')).toString('base64url'),
  });
  return { url, bytes, headers: { 'content-type': contentType, ...signature } };
}

function postSigned(
  base: string,
  now: number,
  seller: SpecSeller,
  body: unknown,
  posting: Posting,
): Promise<Response> {
  const { url, bytes, headers } = signed(base, now, seller, body, posting);
  return fetch(url, {
    method: 'POST',
    headers: posting.headers ?? headers,
    body: bytes as unknown as string,
  });
}

interface ReportOptions {
  /** For example `2026-11-01`. */
  readonly day?: string;
  readonly spend?: number;
  readonly sequence?: number;
  readonly type?: string;
  readonly key?: string;
  readonly timestamp?: string;
  readonly result?: JsonObject;
  readonly envelope?: JsonObject;
}

/** A delivery report of one day, as a seller of form 3.1 sends it. */
export function report(seller: SpecSeller, requested: ReportOptions = {}): JsonObject {
  const { day = '2026-11-01', spend = 10, sequence = 1, type = 'scheduled' } = requested;
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
  return {
    idempotency_key: requested.key ?? `report-${randomUUID()}`,
    task_id: 'delivery',
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    status: 'completed',
    timestamp: requested.timestamp ?? '2026-11-21T11:00:00Z',
    result: {
      notification_type: type,
      sequence_number: sequence,
      reporting_period: { start: `${day}T00:00:00Z`, end: next },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: seller.sellerMediaBuyId,
          status: 'active',
          totals: { spend, impressions: 1000 },
          by_package: [{ package_id: seller.packageRef, spend, impressions: 1000, currency: 'USD' }],
        },
      ],
      ...requested.result,
    },
    ...requested.envelope,
  };
}

/** Returns an event of a seller of form 3.1 about our task. */
export function taskUpdate(seller: SpecSeller, status: string, more: JsonObject = {}): JsonObject {
  return {
    idempotency_key: `task-${randomUUID()}`,
    operation_id: seller.sellerOperationId,
    task_id: 'task-1',
    task_type: 'create_media_buy',
    protocol: 'media-buy',
    status,
    timestamp: '2026-11-21T11:00:00Z',
    ...(status === 'completed'
      ? {
          result: {
            media_buy_id: seller.sellerMediaBuyId,
            status: 'active',
            packages: [{ package_id: seller.packageRef, buyer_ref: 'package-0', product_id: 'ctv' }],
          },
        }
      : {}),
    ...more,
  };
}
