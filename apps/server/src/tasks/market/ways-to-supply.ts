import { gatherRead, type OperationState } from '@switchyard/buys';
import type { WayTo } from '@switchyard/fanout';
import { getProducts, type GetProductsAnswer } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandlerDeps } from '../handler.js';

/** A second at most: which way is the direct one is good to know, and nothing to wait long for. */
const waitsMs = 1_000;

/** What one seller offers, and where it is. */
interface Offering {
  readonly seller: string;
  readonly connection: Pick<Connection, 'agentUrl'>;
  readonly answer?: Pick<GetProductsAnswer, 'products'>;
}

/**
 * What publishers say of the sellers that offer their supply. Only those are asked to whom two sellers lead: with one
 * way there is nothing to prefer (docs/protocol/products.md#same-supply).
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

/** The same of what a stored question has come to by now; nothing of one that is about no products. */
export async function waysBehind(
  deps: Pick<HandlerDeps, 'publishers' | 'ports'>,
  scope: TenantScope,
  state: OperationState,
): Promise<WayTo | undefined> {
  if (deps.publishers === undefined || state.operation.task !== getProducts.name) return undefined;
  const { legs } = gatherRead(state, getProducts, { count: () => 0, goesOn: () => false });
  const known = new Map((await deps.ports.connections.list(scope)).map((one) => [one.slug, one]));
  const offerings = legs.flatMap(({ seller, answer }): readonly Offering[] => {
    const connection = known.get(seller);
    return connection === undefined || answer === undefined ? [] : [{ seller, connection, answer }];
  });
  return waysToSupply(deps, offerings, waitsMs);
}
