import type { NoticeStore } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import { quotaWords, type QuotaNear } from '../platform/caller/quotas.js';

interface TellQuotaDeps {
  readonly notices: Pick<NoticeStore, 'add'>;
  readonly clock: Clock;
}

/** Tells that a quota is nearly used: once for its day or month, and again after it was changed. */
export async function tellQuota(
  { notices, clock }: TellQuotaDeps,
  scope: TenantScope,
  { kind, most, used, period }: QuotaNear,
): Promise<void> {
  await notices.add(scope, {
    kind: 'quota.near',
    objectKind: 'quota',
    objectId: kind,
    data: { quota: quotaWords[kind], most, used },
    dedupeKey: `quota.near:${kind}:${period}:${most}`,
    at: clock.now(),
  });
}
