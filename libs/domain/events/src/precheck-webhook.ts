import { dialects, type Dialect } from '@switchyard/protocol';
import {
  isModeMismatch,
  signaturePresence,
  type LegacyHeaderNames,
  type ReceivedMessage,
} from '@switchyard/signing';
import type { WebhookRegistration } from './inbox-port.js';

/** A2A senders use a media type of their own; all others use plain JSON. */
export function isJson(message: ReceivedMessage, kind: WebhookRegistration['kind']): boolean {
  const types = message.headers.filter(([name]) => name.toLowerCase() === 'content-type');
  const wanted =
    kind === 'a2a' ? /^application\/(?:a2a\+)?json[ \t]*(?:;|$)/i : /^application\/json[ \t]*(?:;|$)/i;
  return types.length === 1 && wanted.test(types[0]?.[1].trim() ?? '');
}

/** The headers of the older mode in each dialect, the registration's own first. */
export function legacyNames(dialect: Dialect): readonly [LegacyHeaderNames, ...LegacyHeaderNames[]] {
  const others = Object.values(dialects).filter((names) => names !== dialects[dialect]);
  return [namesOf(dialects[dialect]), ...others.map(namesOf)];
}

function namesOf(names: (typeof dialects)[Dialect]): LegacyHeaderNames {
  return { signature: names.legacySignatureHeader, timestamp: names.legacyTimestampHeader };
}

/**
 * Whether a message has another kind of proof than registered. This includes any signature at an address of
 * another mode.
 */
export function isInAnotherMode(message: ReceivedMessage, registration: WebhookRegistration): boolean {
  // Native A2A senders may add credentials of their own channel to the token, but no signature.
  if (registration.mode === 'token') return signaturePresence(message.headers) !== 'none';
  return isModeMismatch(message.headers, registration.mode, legacyNames(registration.dialect));
}

/** The header with the token of a native A2A address. */
export const tokenHeader = 'x-a2a-notification-token';
