/** Daily delivery reports as a seller posts them: one body per buy and day, each with its own key. */
import { randomUUID } from 'node:crypto';

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 0, 1);

export function bodiesOf(buys, offset, count) {
  return Array.from({ length: count }, (_, index) => {
    const day = Math.floor((offset + index) / buys.length);
    const buy = buys[(offset + index) % buys.length];
    const rows = buy.packages.map((package_id, at) => ({
      package_id,
      spend: at + 1.25,
      impressions: 1_000,
      clicks: 3,
    }));
    const start = firstDay + day * dayMs;
    const text = JSON.stringify({
      idempotency_key: randomUUID(),
      operation_id: 'bench',
      task_id: 'bench',
      task_type: 'media_buy_delivery',
      status: 'completed',
      timestamp: new Date(start + dayMs + 3_600_000).toISOString(),
      result: {
        notification_type: 'scheduled',
        sequence_number: day + 1,
        reporting_period: {
          start: new Date(start).toISOString(),
          end: new Date(start + dayMs).toISOString(),
        },
        currency: 'EUR',
        media_buy_deliveries: [
          {
            media_buy_id: buy.sellerMediaBuyId,
            status: 'active',
            totals: {
              spend: rows.reduce((sum, { spend }) => sum + spend, 0),
              impressions: 1_000 * rows.length,
            },
            by_package: rows,
          },
        ],
      },
    });
    return { buy, bytes: Buffer.from(text) };
  });
}
