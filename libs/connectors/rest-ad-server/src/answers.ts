import { objectsIn, textIn, unitsOf, type Json } from './json.js';

const statuses: Readonly<Record<string, string>> = {
  APPROVED: 'active',
  PAUSED: 'paused',
  CANCELED: 'canceled',
  COMPLETED: 'completed',
};

/** The orders of a list as media buys. */
export function buysIn(body: Json | undefined): readonly Json[] {
  return objectsIn(body?.['orders']).map((order) => {
    const items = objectsIn(order['lineItems']);
    return {
      media_buy_id: textIn(order, 'id') ?? '',
      status: statuses[textIn(order, 'status') ?? ''] ?? 'pending_start',
      currency: 'USD',
      total_budget: items.reduce((sum, item) => sum + unitsOf(item['budgetMicros']), 0),
      confirmed_at: null,
      revision: 1,
      packages: items.map((item) => ({ package_id: textIn(item, 'id') ?? '' })),
    };
  });
}

interface Sum {
  impressions: number;
  micros: bigint;
}

/** The rows of a report, a line item and a day each, as a delivery: sums are added in micros, without rounding. */
export function deliveryOf(id: string, rows: readonly Json[], args: Json): Json {
  const [from = '', to = '9999-12-31'] = [textIn(args, 'start_date'), textIn(args, 'end_date')];
  const total: Sum = { impressions: 0, micros: 0n };
  const items = new Map<string, Sum>();
  for (const row of rows) {
    const day = textIn(row, 'date') ?? '';
    if (day < from || day > to) continue;
    const item = textIn(row, 'lineItemId') ?? '';
    const own = items.get(item) ?? { impressions: 0, micros: 0n };
    items.set(item, own);
    for (const sum of [own, total]) {
      sum.impressions += Number(row['impressions'] ?? 0);
      sum.micros += BigInt(textIn(row, 'costMicros') ?? '0');
    }
  }
  const figures = ({ impressions, micros }: Sum) => ({ impressions, spend: unitsOf(micros) });
  return {
    media_buy_id: id,
    status: 'active',
    totals: figures(total),
    by_package: [...items].map(([item, sum]) => ({
      package_id: item,
      ...figures(sum),
      pricing_model: 'cpm',
      rate: 0,
      currency: 'USD',
    })),
  };
}
