import type { MarketLeg, WayTo } from '@switchyard/fanout';
import type { GetProductsAnswer } from '@switchyard/protocol';
import type { HandlerParts } from './handler.js';

/** A second at most: which way is the direct one is good to know, and nothing to wait long for. */
const waitsMs = 1_000;

/**
 * What publishers say of the sellers that offer their supply. Only those are asked to whom two sellers lead: with one
 * way there is nothing to prefer (tasks 14.5).
 */
export async function waysToSupply(
  { publishers }: HandlerParts,
  legs: readonly MarketLeg<GetProductsAnswer>[],
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
