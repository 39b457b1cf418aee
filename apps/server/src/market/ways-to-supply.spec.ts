import { describe, expect, it } from '@jest/globals';
import type { Product } from '@switchyard/protocol';
import type { PublisherStatements } from '@switchyard/sellers';
import { waysToSupply } from './ways-to-supply.js';

const offering = (seller: string, ...domains: readonly string[]) => {
  const publisherProperties = domains.map((publisherDomain) => ({
    publisherDomain,
    selectionType: 'all' as const,
    values: [],
  }));
  const connection = { agentUrl: `https://${seller}.example/mcp` };
  return { seller, connection, answer: { products: [{ publisherProperties } as unknown as Product] } };
};

describe('the query to publishers for the paths to their supply', () => {
  it('is not sent for a supply of one seller, and waits a second at most', async () => {
    const requested: (readonly [readonly string[], number])[] = [];
    const publishers: PublisherStatements = {
      of: (domains, waitMs) => {
        requested.push([domains, waitMs]);
        return Promise.resolve((_domain, agentUrl) =>
          agentUrl === 'https://acme.example/mcp'
            ? { state: 'authorized', delegation: 'direct' }
            : { state: 'not_authorized' },
        );
      },
    };
    const offers = [offering('acme', 'news.example', 'radio.example'), offering('bravo', 'News.example')];
    const wayTo = await waysToSupply({ publishers }, offers, 30_000);
    expect(requested).toEqual([[['news.example'], 1_000]]);
    expect(['acme', 'bravo', 'nobody'].map((seller) => wayTo('news.example', seller))).toEqual([
      ...['direct', 'not_authorized', 'unverified'],
    ]);
    await waysToSupply({ publishers }, [offering('acme', 'radio.example')], 30_000);
    expect(requested).toHaveLength(1);
  });
});
