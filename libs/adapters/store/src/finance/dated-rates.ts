import type { DatedRate, MissingRate } from '@switchyard/ledger';
import type { TenantSession } from '../core/tenant-client.js';

/** The rate of a day, or the last one before it; the inverse rate is never used. */
export async function rateOn(
  { models, organizationId }: TenantSession,
  { from, to, day }: MissingRate,
): Promise<DatedRate | undefined> {
  const row = await models.exchange_rate.findFirst({
    where: { organization_id: organizationId, from_currency: from, to_currency: to, date: { lte: day } },
    select: { date: true, rate: true, source: true },
    orderBy: { date: 'desc' },
  });
  return row === null ? undefined : { from, to, ...row };
}

/** The currency of the organization's reports. */
export async function reportingCurrency({ models, organizationId }: TenantSession): Promise<string> {
  const own = await models.organization.findFirst({ where: { id: organizationId } });
  if (own === null) throw new Error('The organization of this scope is not there.');
  return own.reporting_currency;
}
