import { Buffer } from 'node:buffer';
import type { SellerTarget, TransportFailure } from './transport.js';
import { findCredential } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** Shorter secrets may occur in normal text by chance. For them only the whole header value is searched. */
const shortest = 8;

/**
 * Returns our credential in each form in which a seller may return it: the token; for Basic the encoded header value,
 * the pair and the password; each also as JSON and URL encoding write it. The longest is first, so that replacing in
 * order leaves no part of a form that contains another.
 */
export function credentialForms(credential: SellerTarget['credential']): readonly string[] {
  // A private key is never sent, so no seller can return it.
  if (credential === undefined || credential.scheme === 'certificate') return [];
  const forms = credential.secret.useText((text) =>
    credential.scheme === 'bearer' ? formsOfToken(text) : formsOfPair(text),
  );
  const spelled = forms.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    encodeURIComponent(form),
  ]);
  return [...new Set(spelled)].toSorted((one, other) => other.length - one.length);
}

function formsOfToken(token: string): readonly string[] {
  return isLong(token) ? [token] : [`Bearer ${token}`];
}

function formsOfPair(pair: string): readonly string[] {
  const encoded = Buffer.from(pair, 'utf8').toString('base64');
  const password = pair.slice(pair.indexOf(':') + 1);
  return [isLong(encoded) ? encoded : `Basic ${encoded}`, ...[pair, password].filter(isLong)];
}

function isLong(text: string): boolean {
  return text.length >= shortest;
}

/**
 * Returns a failure if arguments contain a credential outside the callback fields that may have one. Requests of buyers
 * are already checked when they arrive; this check prevents our own code from sending a secret in a payload
 * (docs/protocol/accounts.md#credentials-in-payloads). The message contains only the place.
 */
export function credentialFailure(taskName: string, args: JsonObject): TransportFailure | undefined {
  const place = findCredential(taskName, args);
  if (place === undefined) return undefined;
  return {
    code: 'credential_in_args',
    message: `Not sent: it would have carried a credential at ${place}.`,
    delivered: 'no',
  };
}
