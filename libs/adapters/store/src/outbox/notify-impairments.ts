import { randomUUID } from 'node:crypto';
import { writeImpairment, type ImpairmentState, type OutboxDraft } from '@switchyard/events';
import { isBuyOver, type MediaBuyStatus } from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { buyer_registrationModel } from '../generated/models.js';
import { appendEvents } from './append-events.js';
import { registrationOf } from './registration-row.js';

/**
 * Writes notifications of impairments, in the transaction that changes them.
 *
 * They go to the persistent `push_notification_config` of the media buy. An event that was not sent yet takes in later
 * changes under its key; its window starts at the first change. Every other change is a new event: the same
 * `notification_id`, a new key. Nothing is sent for a buy that is over, or after its `final` report.
 */
export async function notifyImpairments(
  client: TenantClient,
  mediaBuyId: string,
  changed: ReadonlySet<string>,
  at: Instant,
): Promise<void> {
  if (await isOver(client, mediaBuyId)) return;
  const registrations = await persistentAddresses(client, mediaBuyId);
  if (registrations.length === 0) return;
  const states = await statesOf(client, mediaBuyId);
  const health = states.some(({ resolvedAt }) => resolvedAt === undefined) ? 'impaired' : 'ok';
  for (const { registration, ...task } of registrations) {
    const waiting = await unsentOf(client, registration.id);
    for (const impairment of states) {
      const unsent = waiting.get(impairment.id);
      if (unsent === undefined && !changed.has(impairment.id)) continue;
      const ids = unsent ?? { id: randomUUID(), idempotencyKey: randomUUID() };
      const draft = writeImpairment(registration, { mediaBuyId, impairment, health, at, ...task }, ids);
      await (unsent === undefined ? appendEvents(client, [draft]) : rewriteEvent(client, draft));
    }
  }
}

/**
 * Locked against a change of status, so that an event is written before the buy's `final` or not at all; against
 * another seller's event of the same buy, because the health in it is that of the whole buy and two impairments that
 * end at once must see each other; and against a change of address, so that addresses are read after this.
 */
async function isOver(client: TenantClient, mediaBuyId: string): Promise<boolean> {
  const { rows } = await client.query<{ status: MediaBuyStatus }>(
    'select status from media_buy where id = $1 for no key update',
    [mediaBuyId],
  );
  return rows[0] === undefined || isBuyOver(rows[0].status);
}

type AddressRow = buyer_registrationModel & {
  readonly task_id: string;
  readonly task: string;
  readonly context: JsonObject | null;
};

async function persistentAddresses(client: TenantClient, mediaBuyId: string) {
  const { rows } = await client.query<AddressRow>(
    `select r.*, o.task_id, o.task, o.context from buyer_registration r join operation o on o.id = r.operation_id
     where r.media_buy_id = $1 and r.channel = 'task' and r.envelope = 'mcp'
       and r.active_from is not null and r.replaced_at is null`,
    [mediaBuyId],
  );
  return rows.map((row) => ({
    registration: registrationOf(row),
    taskId: row.task_id,
    taskType: row.task,
    ...present({ context: row.context ?? undefined }),
  }));
}

async function statesOf(client: TenantClient, mediaBuyId: string): Promise<readonly ImpairmentState[]> {
  const { rows } = await client.query<{
    readonly id: string;
    readonly seller: string;
    readonly detail: JsonObject;
    readonly resolved_at: Date | null;
  }>(
    'select id, seller, detail, resolved_at from impairment where media_buy_id = $1 order by observed_at, id',
    [mediaBuyId],
  );
  return rows.map(({ id, seller, detail, resolved_at: resolved }) => ({
    id,
    seller,
    detail,
    ...present({ resolvedAt: resolved?.getTime() }),
  }));
}

type Unsent = Pick<OutboxDraft, 'id' | 'idempotencyKey'>;

/** Events about impairments that were never attempted, by their `notification_id`. */
async function unsentOf(client: TenantClient, registrationId: string): Promise<ReadonlyMap<string, Unsent>> {
  const { rows } = await client.query<{ id: string; idempotency_key: string; notification_id: string }>(
    `select id, idempotency_key, notification_id from outbox_event
     where registration_id = $1 and kind = 'impairment' and state = 'waiting' and attempts = 0
     order by position for update`,
    [registrationId],
  );
  return new Map(
    rows.map((row) => [row.notification_id, { id: row.id, idempotencyKey: row.idempotency_key }]),
  );
}

async function rewriteEvent(
  client: TenantClient,
  { id, body, dueAt }: ReturnType<typeof writeImpairment>,
): Promise<void> {
  await client.query('update outbox_event set body = $2, due_at = least(due_at, $3) where id = $1', [
    id,
    body,
    new Date(dueAt),
  ]);
}
