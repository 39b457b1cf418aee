import type { WebhookRegistration } from '@switchyard/events';

/** A callback address in the request of a leg. It is stored with the leg, so that an early webhook finds it. */
export type RegistrationDraft = { readonly legId: string } & Pick<
  WebhookRegistration,
  'id' | 'connectionId' | 'kind' | 'mode' | 'sellerOperationId' | 'credentialId' | 'tokenHash'
>;
