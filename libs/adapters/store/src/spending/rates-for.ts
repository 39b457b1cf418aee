import { rateIn, type RateOf, type SpendPart, type Used } from '@switchyard/buys';
import type { TenantClient } from '../core/tenant-client.js';

/** Rates between the currencies involved, the newest of the day or before it. */
export async function ratesFor(
  client: TenantClient,
  parts: readonly Pick<SpendPart, 'currency'>[],
  uses: readonly Used[],
  day: string,
): Promise<RateOf> {
  const to = uses.map(({ limit }) => limit.currency);
  const from = [...parts, ...uses.flatMap(({ sums }) => sums)].map(({ currency }) => currency);
  if (new Set([...from, ...to]).size < 2) return rateIn([]);
  const { rows } = await client.query<{ from: string; to: string; rate: string }>(
    `select distinct on (from_currency, to_currency) from_currency as from, to_currency as to, rate
     from exchange_rate where from_currency = any($1::text[]) and to_currency = any($2::text[]) and date <= $3
     order by from_currency, to_currency, date desc`,
    [[...new Set(from)], [...new Set(to)], day],
  );
  return rateIn(rows);
}
