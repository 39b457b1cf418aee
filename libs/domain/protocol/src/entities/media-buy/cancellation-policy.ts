import type { JsonObject } from '@switchyard/values';
import { countAt, numberAt, objectAt, textAt } from '../../message/pick.js';

const units = ['seconds', 'minutes', 'hours', 'days', 'campaign'];
const feeTypes = ['none', 'full_commitment', 'percent_remaining', 'fixed_fee'];

/**
 * Whether a cancellation policy is complete, as in 3.x: a notice period, and a fee with its amount
 * (docs/protocol/products.md#cancellation-terms).
 */
export function isCancellationPolicy(policy: JsonObject): boolean {
  const notice = objectAt(policy, 'notice_period');
  const fee = objectAt(policy, 'cancellation_fee');
  const type = textAt(fee, 'type') ?? '';
  if ((countAt(notice, 'interval') ?? 0) < 1 || !units.includes(textAt(notice, 'unit') ?? '')) return false;
  if (type === 'percent_remaining') return isWithin(numberAt(fee, 'rate'), 1);
  if (type === 'fixed_fee') return isWithin(numberAt(fee, 'amount'), Number.MAX_VALUE);
  return feeTypes.includes(type);
}

function isWithin(value: number | undefined, most: number): boolean {
  return value !== undefined && value >= 0 && value <= most;
}
