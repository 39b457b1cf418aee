import type { WebhookRegistration } from '@switchyard/events';

/** A callback address in the request of a leg. It is stored with the leg, so that an early webhook finds it. */
export type RegistrationDraft = Pick<
  WebhookRegistration,
  'id' | 'legId' | 'connectionId' | 'kind' | 'mode' | 'sellerOperationId' | 'credentialId' | 'tokenHash'
>;
