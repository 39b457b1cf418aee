import { defined } from '@switchyard/values';
import { queryMarket, type MarketAnswer } from '@switchyard/fanout';
import type { RequestExtras, SellerRow, TaskSpec } from '@switchyard/protocol';
import type { Connection, SellerTarget } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { transportWithBuyerIds } from '../model/buyer-creative-ids.js';
import type { BuysPorts } from '../model/ports.js';
import type { ReadPorts, ReadRequest } from '../model/read-request.js';

/** Queries the sellers of given buys, each with its own ids, by the fan-out of reads. */
export async function queryBuys<Request, Answer>(
  ports: ReadPorts,
  query: ReadRequest,
  {
    spec,
    requests,
    count,
  }: {
    readonly spec: TaskSpec<Request, Answer>;
    readonly requests: ReadonlyMap<Connection, Request>;
    readonly count: (answer: Answer) => number;
  },
): Promise<MarketAnswer<Answer>> {
  const rounds = roundsOf(requests);
  if (rounds.length > 1) {
    const answers = await Promise.all(
      rounds.map((round) => queryBuys(ports, query, { spec, requests: round, count })),
    );
    return {
      legs: answers.flatMap(({ legs }) => legs),
      rows: worstRows(answers.flatMap(({ rows }) => rows)),
      pending: answers.flatMap(({ pending }) => pending),
    };
  }
  const [first] = requests.values();
  if (first === undefined) return { legs: [], rows: [], pending: [] };
  const byId = new Map([...requests].map(([connection, request]) => [connection.id, request]));
  const operationId = ports.ids.uuid();
  const signer =
    query.principalId === undefined
      ? undefined
      : ports.signerFor?.(query.scope, query.principalId, { operationId, purpose: spec.name });
  return queryMarket<Request, Answer>({
    spec: { ...spec, serves: spec.serves === 'signals' ? 'signals' : 'sales' },
    request: withoutBuyers(first),
    requestFor: (connection) => withoutBuyers(byId.get(connection.id) ?? first),
    connections: [...requests.keys()],
    transport: transportWithBuyerIds(ports.transport),
    ...(signer === undefined ? {} : { signer }),
    leaseCredentials: (connections) =>
      leaseCredentials(ports, query.scope, connections, { operationId, purpose: spec.name }),
    ...relearnFor(ports, query.scope),
    breakers: ports.breakers,
    bulkhead: ports.bulkhead,
    ...(query.principalId === undefined ? {} : { caller: query.principalId }),
    clock: ports.clock,
    signal: query.signal,
    deadlineMs: query.deadlineMs,
    count,
    ...defined({ wantsText: query.wantsText, onSeller: query.onSeller }),
  });
}

/** A seller with buys in several accounts is queried about each: every round has a seller once. */
function roundsOf<Request>(
  requests: ReadonlyMap<Connection, Request>,
): readonly ReadonlyMap<Connection, Request>[] {
  const rounds: Map<Connection, Request>[] = [];
  const times = new Map<string, number>();
  for (const [connection, request] of requests) {
    const at = times.get(connection.id) ?? 0;
    times.set(connection.id, at + 1);
    const round = rounds[at] ?? new Map<Connection, Request>();
    rounds[at] = round.set(connection, request);
  }
  return rounds;
}

/** One row for each seller: a failure about one account is not hidden by an answer about another. */
function worstRows(rows: readonly SellerRow[]): readonly SellerRow[] {
  const found = new Map<string, SellerRow>();
  for (const row of rows) {
    const known = found.get(row.seller);
    if (known === undefined) found.set(row.seller, row);
    else if (known.status === 'answered')
      found.set(row.seller, row.status === 'answered' ? { ...row, items: row.items + known.items } : row);
  }
  return [...found.values()];
}

/** Reads the version and capabilities of a tenant's sellers again. */
export function relearnFor(
  { relearn }: Pick<ReadPorts, 'relearn'>,
  scope: TenantScope,
): { readonly relearn?: (connection: Connection) => Promise<Connection | undefined> } {
  return relearn === undefined ? {} : { relearn: (connection) => relearn(scope, connection) };
}

/** Removes the buyer's callback address and conversation: sellers get neither. */
export function withoutBuyers<Request>(request: Request): Request {
  const { push: _address, contextId: _ours, ...others } = request as Request & RequestExtras;
  return others as Request;
}

/** The purpose of a lease, as the audit shows it. */
interface LeasePurpose {
  readonly operationId: string;
  readonly purpose: string;
}

/** Leases the credentials of sellers, by connection. A refused lease rejects, as the fan-out expects. */
export async function leaseCredentials(
  ports: Pick<BuysPorts, 'lease'>,
  scope: TenantScope,
  connections: readonly Connection[],
  { operationId, purpose }: LeasePurpose,
): Promise<ReadonlyMap<string, NonNullable<SellerTarget['credential']>>> {
  const leased = await ports.lease(scope, connections, { operationId, purpose });
  if (!leased.ok) throw new Error(leased.error.message);
  const credentials = new Map<string, NonNullable<SellerTarget['credential']>>();
  for (const [id, secrets] of leased.value) {
    if (secrets.credential !== undefined) credentials.set(id, secrets.credential);
  }
  return credentials;
}
