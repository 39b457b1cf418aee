import { dialects, type Dialect } from '@switchyard/protocol';
import {
  isModeMismatch,
  signaturePresence,
  type LegacyHeaderNames,
  type ReceivedMessage,
} from '@switchyard/signing';
import type { WebhookRegistration } from './inbox-port.js';

/** A2A has a media type of its own, which its senders use; anything else is plain JSON. */
export function isJson(message: ReceivedMessage, kind: WebhookRegistration['kind']): boolean {
  const types = message.headers.filter(([name]) => name.toLowerCase() === 'content-type');
  const wanted =
    kind === 'a2a' ? /^application\/(?:a2a\+)?json[ \t]*(?:;|$)/i : /^application\/json[ \t]*(?:;|$)/i;
  return types.length === 1 && wanted.test(types[0]?.[1].trim() ?? '');
}

/** The headers of the older mode, as each dialect names them: the registration's own first. */
export function legacyNames(dialect: Dialect): readonly [LegacyHeaderNames, ...LegacyHeaderNames[]] {
  const others = Object.values(dialects).filter((names) => names !== dialects[dialect]);
  return [namesOf(dialects[dialect]), ...others.map(namesOf)];
}

function namesOf(names: (typeof dialects)[Dialect]): LegacyHeaderNames {
  return { signature: names.legacySignatureHeader, timestamp: names.legacyTimestampHeader };
}

/**
 * True when a message brings another kind of proof than was agreed. A signature at an address of any other mode is one:
 * its sender holds the address for a signed one.
 */
export function isInAnotherMode(message: ReceivedMessage, registration: WebhookRegistration): boolean {
  // Native A2A senders may add credentials of their own channel to the token; a signature is another agreement.
  if (registration.mode === 'token') return signaturePresence(message.headers) !== 'none';
  return isModeMismatch(message.headers, registration.mode, legacyNames(registration.dialect));
}

/** Where a native A2A post brings the token that its address was given with. */
export const tokenHeader = 'x-a2a-notification-token';
