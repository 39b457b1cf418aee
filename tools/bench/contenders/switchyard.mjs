/** Our contender, as the server runs it: plan, lease, fan-out, transports and egress guard, answers read and merged. */
import { createEgress } from '@switchyard/egress';
import { queryMarket, mergeProducts } from '@switchyard/fanout';
import { getProducts } from '@switchyard/protocol';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { createSellerTransport } from '@switchyard/transports';
import { Secret } from '@switchyard/values';

const clock = {
  now: () => Date.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    return () => clearTimeout(timer);
  },
};

function connectionOf({ slug, url }) {
  return {
    id: `connection-${slug}`,
    organizationId: 'bench',
    slug,
    name: slug,
    agentUrl: url,
    protocol: 'mcp',
    dialect: 'adcp',
    configuredForm: '3.0',
    form: '3.0',
    kinds: ['sales'],
    state: 'live',
    credentialId: `credential-${slug}`,
    legacyWebhooks: false,
    isSandbox: false,
  };
}

export async function switchyard(sellers, { deadlineMs = 10_000, breaker = {} } = {}) {
  const egress = createEgress({ allowLoopback: true });
  const transport = createSellerTransport({ egress });
  const breakers = new BreakerBoard({ ...defaultBreakerPolicy, ...breaker });
  const bulkhead = new Bulkhead(8);
  const tokens = new Map(sellers.map(({ slug, token }) => [`connection-${slug}`, token]));
  const connectionOfSlug = new Map(sellers.map((seller) => [seller.slug, connectionOf(seller)]));
  // A lease opens secrets again for every query, as the vault does.
  const leaseCredentials = (connections) =>
    Promise.resolve(
      new Map(
        connections.map(({ id, credentialId }) => {
          const secret = new Secret(Buffer.from(tokens.get(id)));
          return [id, { id: credentialId, version: 1, scheme: 'bearer', secret }];
        }),
      ),
    );
  const ask = async (brief, only = sellers, onLeg = undefined) => {
    const startedAt = performance.now();
    const market = await queryMarket({
      spec: getProducts,
      request: { brief, buyingMode: 'brief' },
      connections: only.map(({ slug }) => connectionOfSlug.get(slug)),
      transport,
      leaseCredentials,
      breakers,
      bulkhead,
      clock,
      deadlineMs,
      count: ({ products }) => products.length,
      ...(onLeg === undefined ? {} : { onSeller: (row) => onLeg(row, performance.now() - startedAt) }),
    });
    const offers = market.legs.flatMap(({ seller, answer }) =>
      answer === undefined ? [] : [{ seller, items: answer.products }],
    );
    const merged = mergeProducts(offers, {});
    return merged.items.map(({ seller, item }) => ({ slug: seller, name: item.name }));
  };
  return {
    ask,
    close: async () => {
      await transport.close();
      await egress.close();
    },
  };
}
