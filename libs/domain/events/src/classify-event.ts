import type { WebhookEnvelope } from '@switchyard/protocol';
import { isJsonObject } from '@switchyard/values';
import type { InboxEventKind } from './inbox-port.js';

const reportTypes = new Set(['scheduled', 'final', 'delayed', 'adjusted', 'window_update']);

/**
 * What a webhook is about, judged by what it carries: the status of its envelope is no sign, because a report and an
 * impairment may come with `completed` and end no task (docs/protocol/webhooks-in.md#order).
 */
export function classifyEvent(envelope: WebhookEnvelope): InboxEventKind {
  const result = envelope.result ?? {};
  const notification = result['notification_type'];
  if (notification === 'impairment' || envelope.taskType === 'impairment' || 'impairment_id' in result) {
    return 'impairment';
  }
  if (
    envelope.taskType === 'media_buy_delivery' ||
    'media_buy_deliveries' in result ||
    (typeof notification === 'string' && reportTypes.has(notification))
  ) {
    return 'delivery_report';
  }
  return typeof notification === 'string' ? kindOfNotification(notification) : 'task_status';
}

/**
 * What a message is that has a key of its own and no envelope: list changes, artifact pushes, revoked rights, creative
 * and feed news. Undefined for everything that has to have an envelope.
 */
export function kindOfKeyedPayload(body: unknown): InboxEventKind | undefined {
  if (!isJsonObject(body) || 'status' in body || 'task_id' in body) return undefined;
  const { event, notification_type: notification } = body;
  if (event === 'collection_list_changed' || event === 'property_list_changed') return event;
  if (typeof notification === 'string' && 'fired_at' in body) return kindOfNotification(notification);
  if (Array.isArray(body['artifacts'])) return 'artifacts';
  return typeof body['rights_id'] === 'string' ? 'rights_revoked' : undefined;
}

/** What a message seems to be about whose envelope is broken, or that has none: a report can be told by its rows. */
export function kindOfBroken(body: unknown): InboxEventKind {
  if (!isJsonObject(body)) return 'other';
  const inner = isJsonObject(body['result']) ? body['result'] : body;
  return 'media_buy_deliveries' in inner ? 'delivery_report' : 'other';
}

function kindOfNotification(notification: string): InboxEventKind {
  if (notification.startsWith('creative.')) return 'creative_status';
  return /^(?:product|signal|wholesale_feed)\./.test(notification) ? 'feed_changed' : 'other';
}
