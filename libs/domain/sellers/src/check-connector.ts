import {
  createMediaBuy,
  getCapabilities,
  getMediaBuyDelivery,
  getProducts,
  type WireProfile,
} from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { objectsIn } from './keys/read-adagents.js';
import type { AskSeller, ConnectorAnswer, SellerConnector } from './seller-connector.js';
import { protocolPattern } from './seller-protocol.js';

/** What one rule of the kit found. */
export interface ConnectorFinding {
  readonly rule: string;
  readonly passed: boolean;
  readonly words: string;
}

const profile: WireProfile = { dialect: 'adcp', form: '3.1' };

interface Trial {
  readonly connector: SellerConnector;
  readonly call: (tool: string, args: JsonObject) => Promise<ConnectorAnswer>;
}

/**
 * Judges a connector against a seller of its kind that runs for the trial: it buys there. Each rule is one that our
 * transports keep for sellers of the protocol (docs/guides/connectors.md#what-is-checked).
 */
export async function checkConnector(
  connector: SellerConnector,
  ask: AskSeller,
): Promise<readonly ConnectorFinding[]> {
  const trial: Trial = { connector, call: (tool, args) => connector.call({ tool, args }, ask) };
  const findings: ConnectorFinding[] = [];
  for (const [rule, judge] of Object.entries(rules)) {
    const words = await judge(trial).catch((error: unknown) => `It threw: ${(error as Error).message}`);
    findings.push({ rule, passed: words === undefined, words: words ?? 'It does.' });
  }
  return findings;
}

/** Each answers what is wrong, or undefined. */
const rules: Readonly<Record<string, (trial: Trial) => Promise<string | undefined>>> = {
  'has a name that can be the protocol of a seller': ({ connector: { protocol } }) =>
    Promise.resolve(
      protocolPattern.test(protocol) && protocol !== 'mcp' && protocol !== 'a2a'
        ? undefined
        : `${protocol} can not.`,
    ),
  'translates at least capabilities, products, orders and delivery': ({ connector: { tools } }) => {
    const needed = ['get_adcp_capabilities', 'get_products', 'create_media_buy', 'get_media_buy_delivery'];
    const missing = needed.filter((name) => !Object.hasOwn(tools, name));
    return Promise.resolve(missing.length === 0 ? undefined : `It lacks ${missing.join(', ')}.`);
  },
  'declares capabilities that can be read, with the replay of orders': async ({ call }) => {
    const { payload } = await call('get_adcp_capabilities', {});
    const read = getCapabilities.readAnswer(payload, profile);
    if (!read.ok) return 'Its capabilities cannot be read.';
    return read.value.answer.idempotency.supported ? undefined : 'It does not say that it replays orders.';
  },
  'offers products that can be read, each with a price': async (trial) => {
    const read = getProducts.readAnswer((await products(trial)).payload, profile);
    if (!read.ok) return 'Its products cannot be read.';
    const priceless = read.value.answer.products.filter(({ pricingOptions }) => pricingOptions.length === 0);
    if (read.value.answer.products.length === 0) return 'It offers nothing.';
    return priceless.length === 0 ? undefined : `${priceless.length} have no price that can be read.`;
  },
  'replays an order that is sent again under its key': async (trial) => {
    const request = await orderOf(trial, 'connector-check-1');
    const first = await trial.call('create_media_buy', request);
    const read = createMediaBuy.readAnswer(first.payload, profile);
    if (first.isError === true || !read.ok) return 'It places no order.';
    const again = await trial.call('create_media_buy', request);
    return idOf(again) === idOf(first) ? undefined : 'It placed a second one.';
  },
  'places another order under another key': async (trial) => {
    const first = await trial.call('create_media_buy', await orderOf(trial, 'connector-check-1'));
    const other = await trial.call('create_media_buy', await orderOf(trial, 'connector-check-2'));
    return idOf(other) === idOf(first) ? 'Two keys have one order.' : undefined;
  },
  'refuses an order for a product that is not there, with a code': async (trial) => {
    const request = await orderOf(trial, 'connector-check-3');
    const packages = objectsIn(request['packages']).map((item) => ({
      ...item,
      product_id: 'connector-check-none',
    }));
    const { payload, isError } = await trial.call('create_media_buy', { ...request, packages });
    const [error] = objectsIn(payload['errors']);
    return isError === true && typeof error?.['code'] === 'string' ? undefined : 'It is not refused.';
  },
  'reports the delivery of an order in a form that can be read': async (trial) => {
    const id = idOf(await trial.call('create_media_buy', await orderOf(trial, 'connector-check-1')));
    const { payload } = await trial.call('get_media_buy_delivery', { media_buy_ids: [id] });
    const read = getMediaBuyDelivery.readAnswer(payload, profile);
    if (!read.ok) return 'It cannot be read.';
    return read.value.answer.deliveries.some(({ mediaBuyId }) => mediaBuyId === id)
      ? undefined
      : 'The order is not in it.';
  },
};

const products = ({ call }: Trial): Promise<ConnectorAnswer> =>
  call('get_products', { buying_mode: 'wholesale', brand: { domain: 'advertiser.example' } });

const idOf = ({ payload }: ConnectorAnswer): string =>
  typeof payload['media_buy_id'] === 'string' ? payload['media_buy_id'] : '';

/** An order of the first product. */
async function orderOf(trial: Trial, key: string): Promise<JsonObject> {
  const [product] = objectsIn((await products(trial)).payload['products']);
  const [option] = objectsIn(product?.['pricing_options']);
  return {
    idempotency_key: key,
    brand: { domain: 'advertiser.example' },
    start_time: '2027-01-01T00:00:00Z',
    end_time: '2027-01-31T00:00:00Z',
    packages: [
      {
        product_id: isJsonObject(product) ? (product['product_id'] ?? '') : '',
        pricing_option_id: option?.['pricing_option_id'] ?? '',
        budget: 1_000,
      },
    ],
  };
}
