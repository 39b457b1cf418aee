import { gatherRead, type OperationState } from '@switchyard/buys';
import type { WayTo } from '@switchyard/fanout';
import { getProducts, type GetProductsAnswer } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';

/** A second at most: the direct way is useful to know, but not worth a long wait. */
const waitsMs = 1_000;

/** One seller's products, and its address. */
interface Offering {
  readonly seller: string;
  readonly connection: Pick<Connection, 'agentUrl'>;
  readonly answer?: Pick<GetProductsAnswer, 'products'>;
}

/**
 * What publishers say about the sellers of their supply. Only publishers with at least two sellers are queried: a
 * single way needs no preference (docs/protocol/products.md#same-supply).
 */
export async function waysToSupply(
  { publishers }: Pick<HandlerDeps, 'publishers'>,
  legs: readonly Offering[],
  leftMs: number,
): Promise<WayTo> {
  const agents = new Map(legs.map(({ seller, connection }) => [seller, connection.agentUrl]));
  const sellers = new Map<string, Set<string>>();
  for (const { seller, answer } of legs)
    for (const { publisherProperties } of answer?.products ?? [])
      for (const { publisherDomain } of publisherProperties) {
        const domain = publisherDomain.toLowerCase();
        sellers.set(domain, (sellers.get(domain) ?? new Set()).add(seller));
      }
  const shared = [...sellers].flatMap(([domain, of]) => (of.size > 1 ? [domain] : []));
  const wordOn = shared.length === 0 ? undefined : await publishers?.of(shared, Math.min(leftMs, waitsMs));
  return (publisherDomain, seller) => {
    const agentUrl = agents.get(seller);
    const word = agentUrl === undefined ? undefined : wordOn?.(publisherDomain, agentUrl);
    if (word === undefined) return 'unverified';
    return word.state === 'authorized' ? (word.delegation ?? 'authorized') : word.state;
  };
}

/** The same for the current result of a stored read; undefined for a read without products. */
export async function waysBehind(
  deps: Pick<HandlerDeps, 'publishers' | 'ports'>,
  scope: TenantScope,
  state: OperationState,
): Promise<WayTo | undefined> {
  if (deps.publishers === undefined || state.operation.task !== getProducts.name) return undefined;
  const { legs } = gatherRead(state, getProducts, { count: () => 0, goesOn: () => false });
  const known = new Map(
    (await deps.ports.connections.list(scope)).map((connection) => [connection.slug, connection]),
  );
  const offerings = legs.flatMap(({ seller, answer }): readonly Offering[] => {
    const connection = known.get(seller);
    return connection === undefined || answer === undefined ? [] : [{ seller, connection, answer }];
  });
  return waysToSupply(deps, offerings, waitsMs);
}
