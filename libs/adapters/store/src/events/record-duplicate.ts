import { randomUUID } from 'node:crypto';
import type { InboxEvent } from '@switchyard/events';
import type { Store } from '../core/open-store.js';

/**
 * Counts a copy of an event whose key is already claimed, and returns whether its body equals the first. A thousand
 * copies of one body at one address are one row; a different body has its own row, as proof that its sender changed the
 * payload under a used key.
 */
const statement = `
  insert into inbox_duplicate as kept
    (id, organization_id, event_id, registration_id, connection_id, sender, idempotency_key, kind, body_hash, is_same_body,
     copies, first_seen_at, last_seen_at)
  select $1, $2, claim.event_id, $3, $4, $10, claim.idempotency_key, $5, $6, claim.body_hash = $6, 1, $7, $7
  from webhook_claim claim where claim.sender = $8 and claim.idempotency_key = $9
  on conflict (event_id, registration_id, body_hash)
  do update set copies = kept.copies + 1, last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  returning is_same_body, (
    select claim.is_weaker from webhook_claim claim where claim.sender = $8 and claim.idempotency_key = $9
  ) as is_weaker, exists (
    select 1 from inbox_event first join webhook_claim claim on claim.claimed_at = first.received_at
    where claim.sender = $8 and claim.idempotency_key = $9 and first.id = kept.event_id and first.sender = $10
  ) as is_same_sender`;

interface CopyRow {
  readonly is_same_body: boolean;
  readonly is_weaker: boolean;
  readonly is_same_sender: boolean;
}

/**
 * What a copy is. `changed_weaker`: the first copy differs and was proven by less than a signature.
 * `changed_by_another`: it was also proven by another secret than this copy. Another tenant's event is not visible
 * here, so it counts as another's.
 */
export async function recordDuplicate(
  store: Store,
  event: InboxEvent,
): Promise<'duplicate' | 'changed' | 'changed_weaker' | 'changed_by_another'> {
  return store.inTenant({ organizationId: event.organizationId }, async (client) => {
    const { rows } = await client.query<CopyRow>({
      name: 'inbox_duplicate',
      text: statement,
      values: [
        randomUUID(),
        event.organizationId,
        event.registrationId,
        event.connectionId,
        event.kind,
        event.bodyHash,
        new Date(event.receivedAt),
        event.keyspace?.owner ?? event.sender,
        event.idempotencyKey,
        event.sender,
      ],
    });
    const [copy] = rows;
    if (copy?.is_same_body !== false) return 'duplicate';
    if (!copy.is_weaker) return 'changed';
    return copy.is_same_sender ? 'changed_weaker' : 'changed_by_another';
  });
}
