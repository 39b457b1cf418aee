import type { DatedRate, MissingRate } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';

/** The rate of a day, or the last one before it; the inverse rate is never used. */
export async function rateOn(
  client: TenantClient,
  { from, to, day }: MissingRate,
): Promise<DatedRate | undefined> {
  const { rows } = await client.query<Omit<DatedRate, 'from' | 'to'>>(
    `select date, rate, source from exchange_rate
     where organization_id = $1 and from_currency = $2 and to_currency = $3 and date <= $4
     order by date desc limit 1`,
    [client.organizationId, from, to, day],
  );
  const [row] = rows;
  return row === undefined ? undefined : { from, to, ...row };
}

/** The currency of the organization's reports. */
export async function reportingCurrency(client: TenantClient): Promise<string> {
  const { rows } = await client.query<{ reporting_currency: string }>(
    'select reporting_currency from organization where id = $1',
    [client.organizationId],
  );
  if (rows[0] === undefined) throw new Error('The organization of this scope is not there.');
  return rows[0].reporting_currency;
}
