import type { NoticeStore, SpendingLimits } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Clock } from '@switchyard/values';
import { viewOf } from './limits.routes.js';

interface TellLimitsDeps {
  readonly spendingLimits: Pick<SpendingLimits, 'list' | 'rates' | 'placeOf'>;
  readonly notices: Pick<NoticeStore, 'add'>;
  readonly clock: Clock;
}

/** Limits that are looked at, of an organization: the newest. */
const mostLimits = 500;

/** Tells of limits that are used up: each once a month, and again after it was changed. Returns how many are. */
export async function tellLimits(
  { spendingLimits, notices, clock }: TellLimitsDeps,
  scope: TenantScope,
): Promise<number> {
  const at = clock.now();
  const rates = await spendingLimits.rates(scope, at);
  const all = await spendingLimits.list(scope, { reach: { kind: 'everything' }, at, limit: mostLimits });
  const used = all.filter((use) => {
    const { left } = viewOf(use, rates);
    return left === '0' || left?.startsWith('-') === true;
  });
  for (const use of used) {
    const { limit } = use;
    const { for: subject, name = subject, limit: amount, currency, committed, pending } = viewOf(use, rates);
    const place = await spendingLimits.placeOf(scope, limit);
    await notices.add(scope, {
      kind: 'limit.reached',
      objectKind: 'limit',
      objectId: limit.id,
      data: { subject: name, limit: amount, currency, committed, pending },
      ...place,
      dedupeKey: `limit.reached:${limit.id}:${isoOf(at).slice(0, 7)}:${String(limit.createdAt)}`,
      at,
    });
  }
  return used.length;
}
