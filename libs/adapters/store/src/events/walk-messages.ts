import type { WebhookVerdict } from '@switchyard/events';
import type { Instant, JsonObject } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import type { inbox_eventModel } from '../generated/models.js';
import type { InboxState } from './inbox-work.js';

/** A seller's message as received, with its verdict. */
export interface StoredMessage {
  readonly id: string;
  readonly seller: string;
  readonly kind: string;
  readonly state: InboxState;
  readonly sender: string;
  readonly keyid?: string;
  /** Public keys that messages with this sender and key id verified with: more than one if the sender used a key id twice. */
  readonly senderKeys: readonly JsonObject[];
  readonly registrationId: string;
  /** The operation whose address it came to. */
  readonly operationId?: string;
  /** Whether a brand sealed the request that named the address. */
  readonly isSealed: boolean;
  readonly receivedAt: Instant;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly verdict: WebhookVerdict;
  /** SHA-256 of the bytes as they came, hexadecimal. */
  readonly bodyHash: string;
  /** Absent if they were deleted, or if they held a secret: they would have `[secret]` in its place. */
  readonly body?: Buffer;
  readonly bodyPurgedAt?: Instant;
}

type MessageRow = Pick<inbox_eventModel, 'id' | 'received_at' | 'body_purged_at'> & {
  readonly body: Buffer;
  readonly sealed_id: string | null;
};

/** Each may have a megabyte. */
const messagesAtOnce = 20;

interface WantedMessages {
  readonly since?: Instant;
  readonly until?: Instant;
  /** Only messages to addresses of this principal's operations. */
  readonly principalId?: string;
  /** Only messages that need no decision and contain no secret. */
  readonly isSettled?: boolean;
}

/** Messages received from `since` on and before `until`, oldest first. Later copies are left out. */
export async function* messagesOf(
  client: TenantClient,
  { since = 0, until, principalId, isSettled = false }: WantedMessages,
): AsyncGenerator<StoredMessage> {
  let after: readonly [Date, string] = [new Date(since), '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await client.query<MessageRow>(
      `select e.id, c.slug as seller, e.kind, e.state, e.sender, e.keyid, e.registration_id, e.received_at, e.headers,
         e.verdict, e.body_hash, e.body, e.body_purged_at, e.sealed_id,
         r.operation_id, coalesce(l.sealed, false) as is_sealed,
         array(select k.public_jwk from sender_key k where k.organization_id = e.organization_id
               and k.sender = e.sender and k.keyid = e.keyid order by k.first_at) as sender_keys
       from inbox_event e join connection c on c.id = e.connection_id
       left join webhook_registration r on r.id = e.registration_id left join leg l on l.id = r.leg_id
       where e.organization_id = $1 and (e.received_at, e.id) > ($2, $3::uuid)
         and ($4::timestamptz is null or e.received_at < $4)
         and ($7::uuid is null or (select o.principal_id from operation o where o.id = r.operation_id) = $7)
         and (not $6::boolean or (e.state in ('applied', 'stale', 'refused') and e.sealed_id is null))
       order by e.received_at, e.id limit $5`,
      [
        client.organizationId,
        ...after,
        until === undefined ? null : new Date(until),
        messagesAtOnce,
        isSettled,
        principalId ?? null,
      ],
    );
    for (const row of rows) {
      yield messageOf(row);
      after = [row.received_at, row.id];
    }
    if (rows.length < messagesAtOnce) return;
  }
}

const readMessage = rowReader<Omit<StoredMessage, 'body'>>()(
  'id, seller, kind, state, sender, registration_id, received_at, headers, verdict, body_hash, keyid, body_purged_at, sender_keys, operation_id, is_sealed',
);

function messageOf(row: MessageRow): StoredMessage {
  const isWhole = row.body_purged_at === null && row.sealed_id === null;
  return { ...readMessage(row), ...(isWhole && { body: row.body }) };
}
