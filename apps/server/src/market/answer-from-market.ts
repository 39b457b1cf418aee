import {
  leaseCredentials,
  relearnFor,
  withoutBuyers,
  type Gathered,
  type ReadAddress,
  type BuysPorts,
} from '@switchyard/buys';
import { queryMarket, type MarketAnswer, type MarketLeg, type Pages } from '@switchyard/fanout';
import {
  getProducts,
  getSignals,
  type Finding,
  type SellerRow,
  type TaskSpec,
  type AnyTaskSpec,
  hasFeature,
  type PushConfig,
  taskNameAt,
} from '@switchyard/protocol';
import {
  asClient,
  wantsAccountForProducts,
  withoutAccount,
  type ClientAccount,
  type Connection,
} from '@switchyard/sellers';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Skip } from '../platform/tasks/gates/find-client.js';
import type { HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { timeoutOf } from '../platform/tasks/call/timeout.js';

export interface MarketQueried<Answer> extends MarketAnswer<Answer> {
  readonly operationId: string;
  /** The addresses given to sellers for later answers, by connection. */
  readonly addresses: ReadonlyMap<string, ReadAddress>;
}

/** The options of a read beside its request. */
export interface MarketOptions<Request, Answer> {
  /** The number of items in an answer. */
  readonly count: (answer: Answer) => number;
  /** The request for one seller; if it has nothing to answer, the reason. */
  readonly requestFor?: (connection: Connection) => Request | Skip;
  /** The sellers of the organization; absent: they are read. */
  readonly connections?: readonly Connection[];
  /** In which account the client of the read buys at each seller; absent: in that of the connection. */
  readonly accounts?: ReadonlyMap<string, ClientAccount>;
  /** Findings about a seller before its answer, beside what its version cannot carry. */
  readonly findingsOn?: (connection: Connection) => readonly Finding[];
  readonly pages?: Pages<Answer>;
  /** Called for each seller that has answered, before its row. */
  readonly onAnswer?: (leg: MarketLeg<Answer>) => void;
  /** True if sellers may get an address for a later answer. */
  readonly mayComeLater?: boolean;
}

/** Sends a read to every seller of the caller's organization. For a caller without credentials, ours are not used. */
export async function answerFromMarket<Request, Answer>(
  { ports }: HandlerDeps,
  { call, scope, request, args, principal }: HandledCall<Request>,
  spec: TaskSpec<Request, Answer>,
  options: MarketOptions<Request, Answer>,
): Promise<MarketQueried<Answer>> {
  const operationId = ports.ids.uuid();
  const connections = options.connections ?? (await ports.connections.list(scope));
  const live = inAccounts(connections, spec, options.accounts);
  const isFollowed = options.mayComeLater === true && principal !== undefined;
  const addresses = isFollowed
    ? updateAddresses(ports, { call, args }, spec, live)
    : new Map<string, UpdateAddress>();
  const bare = withoutBuyers(request);
  const { all: chosen, own, skipped } = choose(live, spec, options);
  const isForProducts = spec.name === getProducts.name;
  const all = isForProducts ? chosen.map(asAsked) : chosen;
  const signer =
    principal === undefined
      ? undefined
      : ports.signerFor?.(scope, principal.principalId, { operationId, purpose: spec.name });
  const market = await queryMarket<Request, Answer>({
    spec,
    request: bare,
    ...(own === undefined ? {} : { requestFor: (connection) => own.get(connection.id) ?? bare }),
    ...(addresses.size === 0 ? {} : { pushFor: ({ id }) => addresses.get(id)?.push }),
    connections: principal === undefined ? all.map(withoutCredential) : all,
    transport: ports.transport,
    ...(signer === undefined ? {} : { signer }),
    leaseCredentials: (connections) =>
      leaseCredentials(ports, scope, connections, { operationId, purpose: spec.name }),
    ...relearnFor(ports, scope),
    ...(isForProducts && principal !== undefined ? { withAccount: accountFrom(ports, scope, chosen) } : {}),
    breakers: ports.breakers,
    bulkhead: ports.bulkhead,
    ...(principal === undefined ? {} : { caller: principal.principalId }),
    clock: ports.clock,
    signal: call.signal,
    deadlineMs: timeoutOf(args, spec.deadlineMs),
    ...(isFollowed && asksEarly(args) ? { isEarly: true as const } : {}),
    count: options.count,
    ...(options.pages === undefined ? {} : { pages: options.pages }),
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
    ...(call.onAsked === undefined ? {} : { onAsked: call.onAsked }),
    ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
  });
  const unpassed = principal === undefined && hasExt(call.args) ? [extNotPassed] : [];
  const legs = market.legs.map((leg) => {
    const reported = [...(options.findingsOn?.(leg.connection) ?? []), ...unpassed];
    return reported.length === 0 ? leg : { ...leg, findings: [...leg.findings, ...reported] };
  });
  return { ...market, legs, rows: [...market.rows, ...skipped], operationId, addresses };
}

/** Whether the caller wants what is there once only sellers are missing that usually answer late. */
function asksEarly({ ext, property_list: list }: JsonObject): boolean {
  const ours = isJsonObject(ext) ? ext['switchyard'] : undefined;
  // The token of a list is not stored, so nobody could be asked again with it.
  const hasToken = isJsonObject(list) && list['auth_token'] !== undefined;
  return isJsonObject(ours) && ours['early'] === true && !hasToken;
}

/** Sellers as the client of a read uses them. */
function inAccounts(
  connections: readonly Connection[],
  { name }: Pick<AnyTaskSpec, 'name'>,
  accounts: ReadonlyMap<string, ClientAccount> | undefined,
): readonly Connection[] {
  if (accounts === undefined || accounts.size === 0) return connections;
  return connections.map((connection) => {
    const found = accounts.get(connection.id);
    if (found?.isSplit !== true) return connection;
    // A segment is activated for all clients, with the login of the connection.
    if (found.login !== undefined && name === getSignals.name) return connection;
    return asClient(connection, found);
  });
}

/**
 * A seller as it is asked for products: they are the same for all clients unless it wants an account for them, so that they
 * are asked for without one and are nobody's.
 */
const asAsked = (connection: Connection): Connection =>
  wantsAccountForProducts(connection) ? connection : withoutAccount(connection);

/** A seller that refuses a question for products without an account is asked again with it, and from then on. */
function accountFrom(
  { learnAccount }: Pick<BuysPorts, 'learnAccount'>,
  scope: HandledCall<unknown>['scope'],
  chosen: readonly Connection[],
) {
  return async (asked: Connection): Promise<Connection | undefined> => {
    const account = chosen.find(({ id }) => id === asked.id)?.account;
    if (!wantsAccountForProducts(asked)) await learnAccount?.(scope, asked);
    return account && { ...asked, account, wantsAccount: true };
  };
}

/** A seller that shows its products to accounts alone is not asked for a client that has none there. */
export function lacksAccount(connection: Connection, found: ClientAccount | undefined): boolean {
  return (found?.kind === 'none' || found?.kind === 'unproved') && wantsAccountForProducts(connection);
}

export const noAccount = {
  reason: 'This client has no account at this seller.',
  code: 'NO_ACCOUNT',
};

/** What was received, from any seller. */
export function gatheredOf<Answer>({ legs, rows, pending }: MarketQueried<Answer>): Gathered<Answer> {
  return { legs, rows, later: pending.map(({ connection }) => connection.slug) };
}

const extNotPassed: Finding = {
  code: 'NOT_CARRIED',
  message: 'Extensions of a caller without a credential are passed on to no seller.',
  field: 'ext',
};

function hasExt(args: JsonValue): boolean {
  return isJsonObject(args) && args['ext'] !== undefined;
}

/** The sellers to query, each with its own request if one is made, and rows for those that are left out. */
function choose<Request, Answer>(
  listed: readonly Connection[],
  spec: TaskSpec<Request, Answer>,
  { requestFor }: MarketOptions<Request, Answer>,
): {
  readonly all: readonly Connection[];
  readonly own?: ReadonlyMap<string, Request>;
  readonly skipped: readonly SellerRow[];
} {
  if (requestFor === undefined) return { all: listed, skipped: [] };
  const own = new Map<string, Request>();
  // The same request for several sellers stays one object, so that it is translated once.
  const bare = new Map<Request, Request>();
  const skipped: SellerRow[] = [];
  const all = listed.filter((connection) => {
    const made = requestFor(connection);
    if (!isSkip(made)) {
      const request = bare.get(made) ?? withoutBuyers(made);
      bare.set(made, request);
      own.set(connection.id, request);
      return true;
    }
    const { skip } = made;
    if (skip !== 'without_a_row' && spec.serves !== 'platform' && connection.kinds.includes(spec.serves))
      skipped.push({ seller: connection.slug, status: 'skipped', ...skip, elapsed_ms: 0, items: 0 });
    return false;
  });
  return { all, own, skipped };
}

function isSkip(made: unknown): made is Skip {
  return typeof made === 'object' && made !== null && 'skip' in made;
}

/**
 * A caller without credentials sees only what a seller shows everybody: our credentials stay in the vault
 * (docs/protocol/requests-and-versions.md#callers-without-credentials).
 */
function withoutCredential(connection: Connection): Connection {
  const { credentialId: _omitted, account: _too, ...bare } = connection;
  return bare;
}

/** An address of ours for one seller's answer to one read, and its form for the seller. */
interface UpdateAddress extends ReadAddress {
  readonly push: PushConfig;
}

/**
 * Addresses for sellers' later answers, by connection. Only a buyer that registered a webhook itself accepts waiting,
 * and only 3.1 has a member for an address in a read; everybody else is polled. These webhooks are signed: a connection
 * that is marked for an older mode is polled as well.
 */
function updateAddresses(
  { ids, callbackBase }: Pick<BuysPorts, 'ids' | 'callbackBase'>,
  { call, args }: Pick<HandledCall<unknown>, 'call' | 'args'>,
  spec: AnyTaskSpec,
  connections: readonly Connection[],
): ReadonlyMap<string, UpdateAddress> {
  if (call.a2aPush === undefined && !isJsonObject(args['push_notification_config'])) return new Map();
  return new Map(
    connections
      .filter((connection) => takesUpdates(connection, spec))
      .map((connection) => {
        const [id, sellerOperationId] = [ids.token('whr'), ids.uuid()];
        const push = { url: `${callbackBase()}/webhooks/${id}`, operationId: sellerOperationId };
        return [connection.id, { id, legId: ids.uuid(), sellerOperationId, push }];
      }),
  );
}

function takesUpdates(
  { form, dialect, tools, legacyWebhooks, state }: Connection,
  spec: AnyTaskSpec,
): boolean {
  const named = tools?.[taskNameAt(spec, dialect, tools)] ?? [];
  const hasPlace = named.length === 0 || named.includes('push_notification_config');
  return state === 'live' && hasFeature(form, 'accountNotices') && hasPlace && legacyWebhooks === false;
}
