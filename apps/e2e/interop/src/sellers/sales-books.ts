import type { RequestedBuy, RequestedPackage, Json } from '../sdk/load-sdk-server.js';

interface BookedPackage extends RequestedPackage {
  readonly package_id: string;
}

/** One buy as this seller stores it. */
export interface BookedBuy {
  readonly media_buy_id: string;
  readonly packages: readonly BookedPackage[];
  readonly start_time: string;
  readonly end_time: string;
  readonly request: RequestedBuy;
}

/** A third-party seller's own data. No code of ours writes it. */
export class SalesBooks {
  readonly buys: BookedBuy[] = [];
  readonly changes: Json[] = [];
  readonly feedback: Json[] = [];
  readonly #slug: string;

  constructor(slug: string) {
    this.#slug = slug;
  }

  book(request: RequestedBuy): BookedBuy {
    const id = `${this.#slug}_buy_${this.buys.length + 1}`;
    const buy: BookedBuy = {
      media_buy_id: id,
      packages: request.packages.map((item, at) => ({
        package_id: `${id}_line_${at + 1}`,
        product_id: item.product_id,
        pricing_option_id: item.pricing_option_id,
        budget: item.budget,
      })),
      start_time: request.start_time,
      end_time: request.end_time,
      request,
    };
    this.buys.push(buy);
    return buy;
  }

  /** Package ids contain nothing of the buyer's, as in many ad servers, so the buyer must match packages itself. */
  newBuy(buy: BookedBuy): Json {
    return {
      media_buy_id: buy.media_buy_id,
      status: 'pending_start',
      confirmed_at: new Date().toISOString(),
      revision: 1,
      packages: buy.packages.map(({ package_id, product_id, budget }) => ({
        package_id,
        product_id,
        budget,
      })),
    };
  }

  list(ids: readonly string[] | undefined): Json {
    const requested = this.buys.filter((buy) => ids === undefined || ids.includes(buy.media_buy_id));
    return {
      media_buys: requested.map((buy) => ({
        media_buy_id: buy.media_buy_id,
        status: 'pending_start',
        currency: 'USD',
        total_budget: buy.packages.reduce((sum, part) => sum + part.budget, 0),
        start_time: buy.start_time,
        end_time: buy.end_time,
        packages: buy.packages.map(({ package_id, product_id, budget }) => ({
          package_id,
          product_id,
          budget,
        })),
      })),
    };
  }
}
