import type { Json } from '../sdk/load-sdk-server.js';
import type { BookedBuy } from './sales-books.js';

/** A report that a test requests. Amounts are given for each package, in the order of the buy. */
export interface ReportWish {
  readonly mediaBuyId: string;
  readonly operationId: string;
  readonly sequence: number;
  readonly type: 'scheduled' | 'adjusted' | 'final';
  readonly day: string;
  readonly spend: readonly number[];
  /** A signature tag other than the profile's, which must be refused. */
  readonly tag?: string;
}

/** Returns the envelope and delivery object of the public protocol. The SDK's emitter adds key and signature. */
export function reportOf(buy: BookedBuy, options: ReportWish): Json {
  const rows = buy.packages.map((item, at) => {
    const spend = options.spend[at] ?? 0;
    return {
      package_id: item.package_id,
      impressions: Math.round(spend * 80),
      spend,
      pricing_model: 'cpm',
      rate: 12.5,
      currency: 'USD',
    };
  });
  const next = new Date(Date.parse(`${options.day}T00:00:00Z`) + 86_400_000).toISOString();
  return {
    task_id: `delivery_report_${buy.media_buy_id}`,
    operation_id: options.operationId,
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    status: 'completed',
    timestamp: new Date().toISOString(),
    result: {
      notification_type: options.type,
      sequence_number: options.sequence,
      ...(options.type === 'final' ? {} : { next_expected_at: next }),
      reporting_period: { start: `${options.day}T00:00:00Z`, end: next },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: buy.media_buy_id,
          status: 'active',
          ...(options.type === 'adjusted' ? { is_adjusted: true } : {}),
          totals: {
            impressions: rows.reduce((sum, row) => sum + row.impressions, 0),
            spend: rows.reduce((sum, row) => sum + row.spend, 0),
          },
          by_package: rows,
        },
      ],
    },
  };
}
