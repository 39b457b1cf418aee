import { randomUUID } from 'node:crypto';
import { callTask, type Send } from './call-task.js';

export type Json = Readonly<Record<string, unknown>>;

const dayMs = 86_400_000;

/** The products in one answer to get_products, by seller, as release 3.1 has them. */
export class Catalogue {
  /** Id of the creative in its packages. A creative id belongs to whoever used it first. */
  readonly creativeId = `cr_${randomUUID()}`;

  private constructor(
    readonly products: readonly Json[],
    readonly sellers: readonly Json[],
    readonly proposals: readonly Json[],
  ) {}

  /**
   * Queries every seller, and waits `seconds` for the one that hangs. If another one is late too, the machine is busy,
   * and all are queried again with twice the time.
   */
  static async read(to: Send, seconds = 3): Promise<Catalogue> {
    const { body } = await callTask('REST', to, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'everything there is',
      brand: { domain: 'roaster.example' },
      time_budget: { interval: seconds, unit: 'seconds' },
    });
    const late = list(body['sellers']).filter(
      ({ seller, status }) => status === 'slow' && seller !== 'hanging',
    );
    if (late.length > 0 && seconds < 30) return Catalogue.read(to, 2 * seconds);
    return new Catalogue(list(body['products']), list(body['sellers']), list(body['proposals']));
  }

  /** Returns a proposal of this seller. */
  proposalOf(seller: string): Json {
    const found = this.proposals.find(({ proposal_id: id }) => String(id).startsWith(`${seller}:`));
    if (found === undefined) throw new Error(`${seller} proposes nothing.`);
    return found;
  }

  /** Returns a package with the seller's product at that index and its first price. */
  packageOf(seller: string, more: Json = {}, place = 0): Json {
    const product = this.products.filter(({ product_id: id }) => String(id).startsWith(`${seller}:`))[place];
    const option = list(product?.['pricing_options'])[0];
    const format = list(product?.['format_ids'])[0];
    if (product === undefined || option === undefined || format === undefined)
      throw new Error(`${seller} offers nothing that can be bought.`);
    const floor = option['floor_price'];
    return {
      product_id: product['product_id'],
      pricing_option_id: option['pricing_option_id'],
      budget: 1000,
      ...(typeof floor === 'number' ? { bid_price: Math.ceil(floor * 2) } : {}),
      creatives: [
        {
          ...{ creative_id: this.creativeId, name: 'One', format_id: format },
          ...{ assets: { main: imageAsset }, provenance },
        },
      ],
      context: { buyer_ref: `part of ${seller}` },
      ...more,
    };
  }
}

/** Some sellers take no creative that does not say where it comes from. */
const provenance = { digital_source_type: 'digital_capture' };

const imageAsset = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };

/** Returns a create_media_buy request of release 3.1 for a flight of one day: about two seconds in the market. */
export function buyRequest(packages: readonly Json[], more: Json = {}): Json {
  return {
    adcp_version: '3.1',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    brand: { domain: 'roaster.example' },
    start_time: 'asap',
    end_time: new Date(Date.now() + dayMs / 2).toISOString(),
    packages,
    ...more,
  };
}

/** The same for a whole proposal. */
export function proposalRequest(proposal: Json, amount: number, more: Json = {}): Json {
  const { packages: _none, ...rest } = buyRequest([]);
  return {
    ...rest,
    proposal_id: proposal['proposal_id'],
    total_budget: { amount, currency: 'USD' },
    ...more,
  };
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
