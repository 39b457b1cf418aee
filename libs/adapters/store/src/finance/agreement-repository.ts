import type { Agreement } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { insertRows } from '../buys/insert-rows.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

const agreementOf =
  rowReader<Agreement>()(`id, seller, media_buy_id, insertion_order, commission_hundredths, bills,
  is_capped, fee_hundredths, counted_by, variance_hundredths, first_month, last_month`);

/** Of one organization; all of them are read for a comparison. */
export const agreementsAtMost = 10_000;

export async function readAgreements(client: TenantClient): Promise<readonly Agreement[]> {
  const { rows } = await client.query<Row>(
    'select * from agreement where organization_id = $1 order by set_at, id limit $2',
    [client.organizationId, agreementsAtMost],
  );
  return rows.map(agreementOf);
}

export async function addAgreement(
  client: TenantClient,
  agreement: Agreement & { readonly reason: string },
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  const { insertionOrder } = agreement;
  await insertRows(client, 'agreement', [
    {
      organization_id: client.organizationId,
      id: agreement.id,
      seller: agreement.seller,
      media_buy_id: agreement.mediaBuyId,
      insertion_order: insertionOrder === undefined ? undefined : storableText(insertionOrder),
      commission_hundredths: agreement.commissionHundredths,
      bills: agreement.bills,
      is_capped: agreement.isCapped,
      fee_hundredths: agreement.feeHundredths,
      counted_by: agreement.countedBy,
      variance_hundredths: agreement.varianceHundredths,
      first_month: agreement.firstMonth,
      last_month: agreement.lastMonth,
      reason: storableText(agreement.reason),
      set_by: by,
      set_at: new Date(at),
    },
  ]);
}

/** An end is a setting too: months that it may change are compared again before they close. */
export async function endAgreement(
  client: TenantClient,
  { id, lastMonth }: Pick<Agreement, 'id' | 'lastMonth'>,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  await client.query(
    'update agreement set last_month = $3, set_by = $4, set_at = $5 where organization_id = $1 and id = $2',
    [client.organizationId, id, lastMonth, by, new Date(at)],
  );
}
