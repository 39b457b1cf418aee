import { leaseCredentials } from '@switchyard/buys';
import { askMarket, type MarketAnswer, type Pages } from '@switchyard/fanout';
import type { SellerRow, TaskSpec } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { HandledCall, HandlerParts } from './handler.js';
import { patienceOf } from './patience.js';

export interface MarketAsked<Answer> extends MarketAnswer<Answer> {
  readonly operationId: string;
}

/** What a read has beside its request. */
export interface MarketWishes<Request, Answer> {
  /** How many items an answer holds. */
  readonly count: (answer: Answer) => number;
  /** The request as one seller gets it; nothing where it has nothing to answer, with the reason. */
  readonly requestFor?: (
    connection: Connection,
  ) => Request | { readonly skip: { readonly reason: string; readonly code: string } };
  readonly pages?: Pages<Answer>;
}

/** Puts a read to every seller of the caller's organization. A caller without credentials asks without ours. */
export async function askTheMarket<Request, Answer>(
  { ports }: HandlerParts,
  { call, scope, request, args, principal }: HandledCall<Request>,
  spec: TaskSpec<Request, Answer>,
  wishes: MarketWishes<Request, Answer>,
): Promise<MarketAsked<Answer>> {
  const operationId = ports.ids.uuid();
  const { all, own, skipped } = choose(await ports.connections.list(scope), spec, wishes);
  const signer =
    principal === undefined
      ? undefined
      : ports.signerFor?.(scope, principal.principalId, { operationId, purpose: spec.name });
  const market = await askMarket<Request, Answer>({
    spec,
    request,
    ...(own === undefined ? {} : { requestFor: (connection) => own.get(connection.id) ?? request }),
    connections: principal === undefined ? all.map(withoutCredential) : all,
    transport: ports.transport,
    ...(signer === undefined ? {} : { signer }),
    leaseCredentials: (connections) => leaseCredentials(ports, scope, connections, operationId, spec.name),
    breakers: ports.breakers,
    bulkhead: ports.bulkhead,
    clock: ports.clock,
    signal: call.signal,
    deadlineMs: patienceOf(args, spec.deadlineMs),
    count: wishes.count,
    ...(wishes.pages === undefined ? {} : { pages: wishes.pages }),
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  });
  return { ...market, rows: [...market.rows, ...skipped], operationId };
}

/** Who is asked, with a request of its own where one is made for each, and rows for those that are not. */
function choose<Request, Answer>(
  listed: readonly Connection[],
  spec: TaskSpec<Request, Answer>,
  { requestFor }: MarketWishes<Request, Answer>,
): {
  readonly all: readonly Connection[];
  readonly own?: ReadonlyMap<string, Request>;
  readonly skipped: readonly SellerRow[];
} {
  if (requestFor === undefined) return { all: listed, skipped: [] };
  const own = new Map<string, Request>();
  const skipped: SellerRow[] = [];
  const all = listed.filter((connection) => {
    const made = requestFor(connection);
    if (!isSkip(made)) {
      own.set(connection.id, made);
      return true;
    }
    if (spec.serves !== 'platform' && connection.kinds.includes(spec.serves))
      skipped.push({ seller: connection.slug, status: 'skipped', ...made.skip, elapsed_ms: 0, items: 0 });
    return false;
  });
  return { all, own, skipped };
}

type Skip = { readonly skip: { readonly reason: string; readonly code: string } };

function isSkip(made: unknown): made is Skip {
  return typeof made === 'object' && made !== null && 'skip' in made;
}

/** What a seller shows anybody is all that a caller without credentials may see: ours stay in the vault (ruling 3). */
function withoutCredential(connection: Connection): Connection {
  const { credentialId: _kept, account: _too, ...bare } = connection;
  return bare;
}
