import type { ActivationRepository, BuysPorts, Mutation } from '@switchyard/buys';
import type { ActivateSignalRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import { openBuyingHarness, type BuyingHarness } from './buying-harness.js';
import { memoryActivationRepository } from './memory-activation-repository.js';

/** A service with two sellers, `acme` and `bravo`, and the signals agent `data` with the signal `coffee`. */
export interface SignalsHarness {
  readonly harness: BuyingHarness;
  readonly book: ActivationRepository;
  readonly ports: BuysPorts & { readonly activations: ActivationRepository };
  /** A request for `data:coffee` at acme's agent; `action`, `pricing_option_id` and `idempotency_key` may be set. */
  request(more?: JsonObject): Mutation<ActivateSignalRequest>;
  /** The targeting that the seller received in the first package of its first buy. */
  targeted(slug: string): unknown;
}

export async function openSignalsHarness(
  form: '3.1' | '2.5' | 'service' = '3.1',
  tools?: Connection['tools'],
  isIdempotent = true,
): Promise<SignalsHarness> {
  const harness = await openBuyingHarness({
    acme: { isIdempotent: true },
    bravo: { isIdempotent: true },
    data: { isIdempotent, form },
  });
  const book = memoryActivationRepository();
  const asAgent = (connection: Connection): Connection =>
    connection.slug === 'data'
      ? { ...connection, kinds: ['signals'], ...(tools === undefined ? {} : { tools }) }
      : connection;
  const { connections } = harness.ports;
  const ports = {
    ...harness.ports,
    activations: book,
    connections: {
      list: async (scope: typeof harness.scope) => (await connections.list(scope)).map(asAgent),
      byId: async (scope: typeof harness.scope, id: string) => {
        const connection = await connections.byId(scope, id);
        return connection === undefined ? undefined : asAgent(connection);
      },
    },
  };
  const base = harness.request(['acme']);
  return {
    harness,
    book,
    ports,
    request: (more = {}) => {
      const { action, pricing_option_id: pricing, idempotency_key: key } = more;
      return {
        ...base,
        args: {
          idempotency_key: 'the-buyers-own-key-2',
          account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
          signal_agent_segment_id: 'data:coffee',
          destinations: [{ type: 'agent', agent_url: 'https://acme.example/mcp' }],
          ...more,
        },
        request: {
          segmentId: 'data:coffee',
          destinations: [{ type: 'agent', agentUrl: 'https://acme.example/mcp' }],
          ...(action === 'deactivate' ? { action } : {}),
          ...(typeof pricing === 'string' ? { pricingOptionId: pricing } : {}),
          ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
        },
      };
    },
    targeted: (slug) => {
      const [first] = harness.seller(slug).received[0]?.args['packages'] as JsonObject[];
      return first?.['targeting_overlay'];
    },
  };
}
