import { randomBytes, randomUUID } from 'node:crypto';
import type { OperationDraft } from '@switchyard/buys';
import { createEgress } from '@switchyard/egress';
import type { BuyerRegistration } from '@switchyard/events';
import { dialects, type TaskStatus } from '@switchyard/protocol';
import type { Egress } from '@switchyard/sellers';
import { memoryReplayStore, noRevocations, verifySignature, webhookProfile } from '@switchyard/signing';
import {
  credentialStore,
  dueWork,
  openStore,
  operationStore,
  outboxStore,
  platformKeyStore,
  reportStreams,
  stopRepository,
  type Store,
} from '@switchyard/store';
import {
  createOrganization,
  createPrincipal,
  makeOperation,
  memoryKeyManagement,
  createTestDatabase,
  testClock,
  type OperationOptions,
  type TestClock,
  readBody,
  startServer,
} from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type JsonObject } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { announceOperation } from '../../buys/tasks/announce-operation.js';
import { callbackVault, type CallbackVault } from '../out/callback-secrets.js';
import { currentStops } from '../../main/open-adapters.js';
import { createPlatformKeys, type PlatformKeys } from '../../keys/platform-keys.js';
import { startDispatch, type Dispatch, type DispatchDeps } from '../out/dispatch-events.js';

/** One POST as a receiver got it. */
interface Received {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly json: JsonObject;
}

interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A buyer's receiver on loopback. `answer` sets the answer to each POST; the default is 200. */
export interface Receiver {
  readonly url: string;
  readonly posts: Received[];
  answer: (post: Received) => ReceiverAnswer | Promise<ReceiverAnswer>;
  close(): Promise<void>;
}

interface OrderOptions extends OperationOptions {
  /** The status of the first answer; undefined: none was given yet. */
  readonly answered?: TaskStatus | undefined;
}

/** The path from a changed operation to a receiver, with real rows, keys, sockets and signatures and a fake clock. */
export interface OutboxSpec {
  /** The database URL of the application's role. */
  readonly appUrl: string;
  readonly store: Store;
  readonly clock: TestClock;
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly ownKeys: PlatformKeys;
  readonly callbacks: CallbackVault;
  readonly parts: DispatchDeps;
  readonly operations: ReturnType<typeof operationStore>;
  /** Stores an operation with these addresses, by default answered as `submitted`. */
  order(addresses: readonly Partial<BuyerRegistration>[], options?: OrderOptions): Promise<OperationDraft>;
  /** Changes the status of an operation, as an observation of a leg does. */
  become(draft: OperationDraft, status: TaskStatus): Promise<void>;
  /** Runs one round to its end. */
  send(dispatch: Dispatch): Promise<void>;
  dispatch(): Dispatch;
  verify(post: Received, receiver: Receiver): Promise<string>;
  close(): Promise<void>;
}

export async function openOutboxSpec(): Promise<OutboxSpec> {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl);
  // Attempts are signed and verified by this clock.
  const clock = testClock(Date.UTC(2026, 5, 1));
  const organization = await createOrganization(store);
  const scope = { organizationId: organization.id };
  const { id: principalId } = await createPrincipal(store, organization.id);
  const vault = createVault({
    kms: memoryKeyManagement(),
    store: credentialStore(store),
    clock,
    newId: randomUUID,
    randomBytes,
  });
  const none = () => Promise.resolve(err({ code: 'key_unavailable' as const, message: 'No key service.' }));
  const isStopped = currentStops(stopRepository(store, clock), clock);
  const ownKeys = createPlatformKeys({
    store: platformKeyStore(store),
    vault,
    service: { publicKey: none, sign: none },
    clock,
    isStopped,
    randomBytes,
    times: { wait: 0, retire: 0 },
  });
  const callbacks = callbackVault(vault);
  const ids = { uuid: randomUUID };
  const operations = operationStore(store, { announce: announceOperation(ids) });
  const egress: Egress = createEgress({ allowLoopback: true });
  const failures: unknown[] = [];
  const deps: DispatchDeps = {
    outbox: outboxStore(store),
    streams: reportStreams(store),
    due: dueWork(store),
    egress,
    signerFor: (...use) => ownKeys.signerFor(...use),
    openCallback: callbacks.open,
    isStopped,
    clock,
    ids,
    random: () => 0.5,
    onUnexpected: (error) => failures.push(error),
  };
  const running: Dispatch[] = [];
  return {
    appUrl: database.appUrl,
    store,
    clock,
    scope,
    principalId,
    ownKeys,
    callbacks,
    parts: deps,
    operations,
    order: async (addresses, options = { answered: 'submitted' }) => {
      const made = makeOperation(scope, { principalId, createdAt: clock.now(), ...options });
      const draft = {
        ...made,
        callbacks: addresses.map((address) => registrationOf(made, address)),
      };
      await operations.begin(scope, draft);
      const status = options.answered;
      if (status !== undefined)
        await operations.saveAnswer(scope, made.operation.id, { status, text: '{}' }, clock.now());
      return draft;
    },
    become: async ({ legs }, status) => {
      const [leg] = legs;
      if (leg === undefined) throw new Error('An operation has legs.');
      await operations.change(scope, leg.id, (state) => ({
        ...state,
        operation: { ...state.operation, status, updatedAt: clock.now() },
      }));
    },
    send: async (dispatch) => {
      await dispatch.round();
      await dispatch.idle();
    },
    dispatch: () => {
      const dispatch = startDispatch(deps);
      running.push(dispatch);
      return dispatch;
    },
    verify: async (post, receiver) => {
      const published = await ownKeys.published();
      const verdict = await verifySignature(
        { method: 'POST', url: `${receiver.url}${post.path}`, headers: post.headers, body: post.body },
        webhookProfile({
          requestTag: dialects.adcp.requestTag,
          webhookTag: dialects.adcp.webhookTag,
          useMember: dialects.adcp.keyUseMember,
        }),
        {
          keys: {
            resolve: (keyid) => {
              const jwk = published.find(({ publicJwk }) => publicJwk['kid'] === keyid)?.publicJwk;
              return Promise.resolve(
                jwk === undefined ? err('key_unknown') : ok({ jwk, agentUrl: 'https://us.example' }),
              );
            },
          },
          replays: memoryReplayStore(1_000, () => clock.now()),
          revocations: noRevocations,
        },
        clock.now(),
      );
      return verdict.ok ? 'verified' : verdict.code;
    },
    close: async () => {
      for (const dispatch of running) await dispatch.stop();
      await egress.close();
      vault.close();
      await store.close();
      await database.stop();
      if (failures.length > 0) throw new AggregateError(failures, 'Something went wrong on our side.');
    },
  };
}

/** Returns an address of this operation, as it is stored. */
export function registrationOf(
  draft: OperationDraft,
  address: Partial<BuyerRegistration>,
): BuyerRegistration {
  const { operation, buy } = draft;
  return {
    id: randomUUID(),
    organizationId: operation.organizationId,
    principalId: operation.principalId,
    operationId: operation.id,
    channel: 'task',
    envelope: 'mcp',
    mode: 'signed',
    url: 'http://127.0.0.1:9/nobody',
    buyerOperationId: 'buyers.own:1',
    profile: operation.profile,
    createdAt: operation.createdAt,
    ...(buy === undefined ? {} : { mediaBuyId: buy.id }),
    ...address,
  };
}

export async function openReceiver(): Promise<Receiver> {
  const posts: Received[] = [];
  const receiver = {
    answer: (_post: Received): ReceiverAnswer | Promise<ReceiverAnswer> => ({ status: 200 }),
  };
  const server = await startServer(async (request, response) => {
    const body = await readBody(request);
    const lines = request.rawHeaders;
    const post: Received = {
      path: request.url ?? '',
      headers: lines.flatMap((name, index) =>
        index % 2 === 0 ? [[name, lines[index + 1] ?? ''] as const] : [],
      ),
      body,
      json: JSON.parse(body.toString()) as JsonObject,
    };
    posts.push(post);
    void Promise.resolve(opened.answer(post)).then(({ status, headers, body: said }) => {
      response.writeHead(status, headers).end(said);
    });
  });
  const { port } = server;
  const opened: Receiver = {
    ...receiver,
    url: `http://127.0.0.1:${port}`,
    posts,
    close: () => server.close(),
  };
  return opened;
}

/** Returns one header of a POST. */
export function headerOf(post: Received | undefined, name: string): string | undefined {
  return post?.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}
