import type { OutboxDraft } from '@switchyard/events';
import type { TenantClient } from '../core/tenant-client.js';

/** Writes owed events, in the transaction of the change that they report. */
export async function appendEvents(client: TenantClient, drafts: readonly OutboxDraft[]): Promise<void> {
  for (const draft of drafts) {
    await client.query({
      name: 'outbox_append',
      text: `insert into outbox_event (id, organization_id, registration_id, principal_id, operation_id, media_buy_id,
               stream, kind, notification_type, notification_id, sequence_number, idempotency_key, body, state, due_at,
               created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'waiting', $14, $15)`,
      values: [
        draft.id,
        client.organizationId,
        draft.registrationId,
        draft.principalId,
        draft.operationId,
        draft.mediaBuyId ?? null,
        draft.stream,
        draft.kind,
        draft.notificationType ?? null,
        draft.notificationId ?? null,
        draft.sequenceNumber ?? null,
        draft.idempotencyKey,
        draft.body,
        new Date(draft.dueAt ?? draft.createdAt),
        new Date(draft.createdAt),
      ],
    });
  }
}
