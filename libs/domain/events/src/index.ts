export {
  acceptWebhook,
  webhookBodyCap,
  type AcceptedWebhook,
  type WebhookRefusal,
  type WebhookToJudge,
} from './accept-webhook.js';
export { classifyEvent } from './classify-event.js';
export { keepKeyUntil, keyMemoryMs } from './keep-key.js';
export { readEvent, type EnvelopeFault, type ReadEvent } from './read-event.js';
export type {
  InboxEvent,
  InboxEventKind,
  InboxStore,
  RefusedWebhook,
  WebhookEvidence,
  WebhookRegistration,
  WebhookRegistrations,
  WebhookVerdict,
} from './inbox-port.js';
