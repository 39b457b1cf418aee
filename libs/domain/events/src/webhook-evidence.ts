import { createHash } from 'node:crypto';
import type { ReceivedMessage, VerificationStep } from '@switchyard/signing';
import type { Instant } from '@switchyard/values';
import type { WebhookEvidence, WebhookRegistration } from './inbox-port.js';

const secretHeaders =
  /^(?:authorization|proxy-authorization|cookie|x-a2a-notification-token|x-.*(?:-auth|token|secret|key))$/i;

interface JudgedMessage {
  readonly steps: readonly VerificationStep[];
  readonly at: Instant;
  readonly code?: string | undefined;
}

/** The received message with the verdict, without the secrets in its headers. */
export function evidenceOf(
  message: ReceivedMessage,
  registration: WebhookRegistration,
  { steps, at, code }: JudgedMessage,
): WebhookEvidence {
  return {
    registrationId: registration.id,
    organizationId: registration.organizationId,
    connectionId: registration.connectionId,
    headers: message.headers.map(([name, value]) => [name, secretHeaders.test(name) ? '[secret]' : value]),
    body: message.body,
    bodyHash: createHash('sha256').update(message.body).digest('hex'),
    verdict: {
      method: message.method,
      url: message.url,
      steps,
      ...(code === undefined ? {} : { code }),
    },
    receivedAt: at,
  };
}
