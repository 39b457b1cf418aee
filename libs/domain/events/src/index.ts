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
