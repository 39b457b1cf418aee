import { dialects } from '@switchyard/protocol';
import { signaturePresence, type ReceivedMessage } from '@switchyard/signing';
import type { WebhookRegistration } from './inbox-port.js';

export function isJson(message: ReceivedMessage): boolean {
  const types = message.headers.filter(([name]) => name.toLowerCase() === 'content-type');
  return types.length === 1 && /^application\/json[ \t]*(?:;|$)/i.test(types[0]?.[1].trim() ?? '');
}

/** A message without any signature that brings another kind of proof was sent in another mode. */
export function isInAgreedMode(message: ReceivedMessage, registration: WebhookRegistration): boolean {
  // A mode that this build does not know is one that nothing can be accepted in.
  if ((registration.mode as string) !== 'signed') return false;
  if (signaturePresence(message.headers) !== 'none') return true;
  const legacy = new Set([
    'authorization',
    ...Object.values(dialects).map((names) => names.legacySignatureHeader.toLowerCase()),
  ]);
  return !message.headers.some(([name]) => legacy.has(name.toLowerCase()));
}
