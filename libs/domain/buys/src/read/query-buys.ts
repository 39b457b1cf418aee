import { defined } from '@switchyard/values';
import { queryMarket, type MarketAnswer } from '@switchyard/fanout';
import type { RequestExtras, TaskSpec } from '@switchyard/protocol';
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
