import type { JsonObject } from '@switchyard/values';
import { sellerOf } from '../commands/buys/ask.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { notTrue } from './campaign-failure.js';
import { objectsOf, textOf } from './json-reading.js';
import type { Campaign } from './campaign.js';
import { spokenRelease } from '../read-options.js';

const brief =
  'A launch campaign for a new coffee roaster: video and display, United States, from now on, about 30,000 dollars';

/** How long the campaign waits for the market, in seconds, even if a seller hangs. */
const timeoutSeconds = 4;

export interface OfferedProduct {
  readonly seller: string;
  readonly productId: string;
  readonly name: string;
  readonly pricingOptionId: string;
  readonly price: number;
  readonly currency: string;
  /** A creative format that the product accepts. */
  readonly formatId: JsonObject;
}

/** Sends one brief to the whole market and prints the result: who answered, who did not, and the offer. */
export async function queryStep({ client, story, deps }: Campaign): Promise<readonly OfferedProduct[]> {
  story.step('One brief goes out to the whole market');
  story.line(`“${brief}”`);
  const args = {
    adcp_version: spokenRelease,
    buying_mode: 'brief',
    brief,
    brand: { domain: 'roaster.example' },
    time_budget: { interval: timeoutSeconds, unit: 'seconds' },
  };
  const requested = await client.task('get_products', args, (row) => story.line(rowLine(row)));
  if (!requested.ok) notTrue(requested.error.message);
  if (requested.value.failed)
    notTrue(`The market was not asked: ${JSON.stringify(requested.value.body['errors'])}`);
  const products = objectsOf(requested.value.body['products']);
  const answered = objectsOf(requested.value.body['sellers']).filter(
    (row) => row['status'] === 'answered',
  ).length;
  if (answered < 5) notTrue(`Only ${answered} sellers answered the brief.`);

  story.step('One answer comes back');
  const offers = products.flatMap(fixedOffers);
  const shown = firstOfEach(offers);
  story.line(`${products.length} products from ${answered} sellers; one of each, to compare:`);
  story.block(
    table(
      deps,
      ['Seller', 'Product', 'Name', 'CPM', 'Currency'],
      shown.map((offer) => [
        offer.seller,
        offer.productId,
        offer.name,
        offer.price.toFixed(2),
        offer.currency,
      ]),
    ),
  );
  return offers;
}

function rowLine(row: JsonObject): string {
  const status = cell(row['status']);
  const reported = status === 'answered' ? `${cell(row['items'])} offers` : cell(row['reason']);
  return `${cell(row['seller']).padEnd(14)} ${status.padEnd(9)} ${cell(row['elapsed_ms']).padStart(5)} ms  ${reported}`;
}

/** Products at a fixed price, which need no bid. */
function fixedOffers(product: JsonObject): readonly OfferedProduct[] {
  const option = objectsOf(product['pricing_options']).find(
    (each) => typeof each['fixed_price'] === 'number',
  );
  const [formatId] = objectsOf(product['format_ids']);
  if (option === undefined || formatId === undefined) return [];
  return [
    {
      seller: textOf(sellerOf(product)),
      productId: textOf(product['product_id']),
      name: textOf(product['name']),
      pricingOptionId: textOf(option['pricing_option_id']),
      price: Number(option['fixed_price']),
      currency: textOf(option['currency']),
      formatId,
    },
  ];
}

function firstOfEach(offers: readonly OfferedProduct[]): readonly OfferedProduct[] {
  return [...new Map([...offers].reverse().map((offer) => [offer.seller, offer])).values()].reverse();
}
