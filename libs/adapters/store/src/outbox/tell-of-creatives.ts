import { randomUUID } from 'node:crypto';
import { accountScope } from '@switchyard/buys';
import { writeCreativeChange, type CreativeChange } from '@switchyard/events';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { buyer_registrationModel } from '../generated/models.js';
import { appendEvents } from './append-events.js';
import { registrationOf } from './registration-row.js';

/**
 * Tells the subscribers of their accounts that sellers have changed the states of creatives, in the transaction of the change.
 * A creative is of the account of the request that wrote it last.
 */
export async function tellOfCreatives(
  client: TenantClient,
  changes: readonly Omit<CreativeChange, 'accountId'>[],
  at: Instant,
): Promise<void> {
  if (changes.length === 0) return;
  const ids = changes.map(({ creativeId }) => storableText(creativeId));
  const { rows } = await client.query<SubscribedRow>(subscribed, [ids]);
  const events = changes.flatMap((change) => {
    const notificationId = randomUUID();
    return rows
      .filter((row) => row.creative_id === change.creativeId && isOfAccount(row))
      .flatMap((row) => {
        const to = registrationOf(row);
        const eventIds = { id: randomUUID(), idempotencyKey: randomUUID(), notificationId };
        const { accountId = '' } = to;
        return writeCreativeChange(to, { ...change, accountId }, eventIds, at) ?? [];
      });
  });
  await appendEvents(client, events);
}

interface SubscribedRow extends buyer_registrationModel {
  readonly creative_id: string;
  readonly insert_scope: string | null;
  readonly brand_domain: string;
  readonly brand_id: string;
  readonly operator: string;
}

function isOfAccount({ principal_id: principal, insert_scope: scope, ...row }: SubscribedRow): boolean {
  const account = { brandDomain: row.brand_domain, brandId: row.brand_id, operator: row.operator };
  return scope === accountScope(principal, account);
}

const subscribed = `
  select r.*, c.creative_id, o.insert_scope, a.brand_domain, a.brand_id, a.operator
  from creative c
  join operation o on o.organization_id = c.organization_id and o.id = c.operation_id
  join buyer_registration r on r.organization_id = o.organization_id and r.principal_id = o.principal_id
  join principal_account a on a.organization_id = r.organization_id and a.id = r.account_id
  where c.creative_id = any($1) and r.subscriber_id is not null and r.replaced_at is null
    and r.active_from is not null and r.event_types ? 'creative.status_changed'
  order by c.creative_id, r.subscriber_id`;
