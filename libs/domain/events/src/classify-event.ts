import type { WebhookEnvelope } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { InboxEventKind } from './inbox-port.js';

const reportTypes = new Set(['scheduled', 'final', 'delayed', 'adjusted', 'window_update']);

/**
 * Returns the kind of a webhook by its content. The status of the envelope is not enough: a report and an
 * impairment may have `completed` and end no task (docs/protocol/webhooks-in.md#order).
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
  return (
    kindOfGovernance(envelope.taskType, result) ??
    (typeof notification === 'string' ? kindOfNotification(notification) : 'task_status')
  );
}

const listChanges = ['collection_list_changed', 'property_list_changed'] as const;

/** Some agents put an event of governance into the envelope of a task. */
function kindOfGovernance(taskType: string | undefined, result: JsonObject): InboxEventKind | undefined {
  const change = listChanges.find((name) => name === result['event'] || name === taskType);
  if (change !== undefined) return change;
  const isRevocation = typeof result['rights_id'] === 'string' && 'effective_at' in result;
  return isRevocation || taskType === 'rights_revoked' ? 'rights_revoked' : undefined;
}

/**
 * Returns the kind of a message with a key of its own and no envelope: list changes, artifacts, revoked
 * rights, creative and feed changes. Undefined for messages that need an envelope.
 */
export function kindOfKeyedPayload(body: unknown): InboxEventKind | undefined {
  if (!isJsonObject(body) || 'status' in body || 'task_id' in body) return undefined;
  const { event, notification_type: notification } = body;
  const change = listChanges.find((name) => name === event);
  if (change !== undefined) return change;
  if (typeof notification === 'string' && 'fired_at' in body) return kindOfNotification(notification);
  if (Array.isArray(body['artifacts'])) return 'artifacts';
  return typeof body['rights_id'] === 'string' ? 'rights_revoked' : undefined;
}

/** The likely kind of a message with a broken or missing envelope: a report has delivery rows. */
export function kindOfBroken(body: unknown): InboxEventKind {
  if (!isJsonObject(body)) return 'other';
  const inner = isJsonObject(body['result']) ? body['result'] : body;
  return 'media_buy_deliveries' in inner ? 'delivery_report' : 'other';
}

function kindOfNotification(notification: string): InboxEventKind {
  if (notification.startsWith('creative.')) return 'creative_status';
  if (notification === 'account.status_changed') return 'account_status';
  if (notification === 'capabilities.changed') return 'capabilities_changed';
  return /^(?:product|signal|wholesale_feed)\./.test(notification) ? 'feed_changed' : 'other';
}
