import type { WebhookEnvelope } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { InboxEventKind } from './inbox-port.js';

const reportTypes = new Set(['scheduled', 'final', 'delayed', 'adjusted', 'window_update']);

/**
 * What a webhook is about, judged by what it carries: the status of its envelope is no sign, because a report and an
 * impairment may come with `completed` and end no task (ruling 21).
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
  return typeof notification === 'string' ? 'other' : 'task_status';
}

/** Messages that have a key of their own and no envelope: list changes, artifact pushes, revoked rights. */
export function isKeyedPayload(body: unknown): body is JsonObject {
  if (!isJsonObject(body) || 'status' in body || 'task_id' in body) return false;
  if (body['event'] === 'collection_list_changed' || body['event'] === 'property_list_changed') return true;
  return Array.isArray(body['artifacts']) || typeof body['rights_id'] === 'string';
}
