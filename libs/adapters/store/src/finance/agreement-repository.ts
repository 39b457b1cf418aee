import type { Agreement } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { rowReader } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';

const agreementOf =
  rowReader<Agreement>()(`id, seller, media_buy_id, insertion_order, commission_hundredths, bills,
  is_capped, fee_hundredths, counted_by, variance_hundredths, first_month, last_month`);

/** Of one organization; all of them are read for a comparison. */
export const agreementsAtMost = 10_000;

export async function readAgreements(client: TenantSession): Promise<readonly Agreement[]> {
  const rows = await client.models.agreement.findMany({
    where: { organization_id: client.organizationId },
    orderBy: [{ set_at: 'asc' }, { id: 'asc' }],
    take: agreementsAtMost,
  });
  return rows.map(agreementOf);
}

export async function addAgreement(
  { models, organizationId }: TenantSession,
  agreement: Agreement & { readonly reason: string },
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  const { insertionOrder } = agreement;
  await models.agreement.create({
    data: {
      organization_id: organizationId,
      id: agreement.id,
      seller: storableText(agreement.seller),
      media_buy_id: agreement.mediaBuyId ?? null,
      insertion_order: insertionOrder === undefined ? null : storableText(insertionOrder),
      commission_hundredths: agreement.commissionHundredths ?? null,
      bills: agreement.bills ?? null,
      is_capped: agreement.isCapped ?? null,
      fee_hundredths: agreement.feeHundredths ?? null,
      counted_by: agreement.countedBy ?? null,
      variance_hundredths: agreement.varianceHundredths ?? null,
      first_month: agreement.firstMonth,
      last_month: agreement.lastMonth ?? null,
      reason: storableText(agreement.reason),
      set_by: by,
      set_at: new Date(at),
    },
  });
}

/** An end is a setting too: months that it may change are compared again before they close. */
export async function endAgreement(
  { models, organizationId }: TenantSession,
  { id, lastMonth }: Pick<Agreement, 'id' | 'lastMonth'>,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  await models.agreement.updateMany({
    where: { organization_id: organizationId, id },
    data: { last_month: lastMonth ?? null, set_by: by, set_at: new Date(at) },
  });
}
