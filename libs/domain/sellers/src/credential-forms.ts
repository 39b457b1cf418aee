import { Buffer } from 'node:buffer';
import type { SellerTarget } from './transport.js';

/** Shorter ones would be found in the words of honest answers; of those the header alone is looked for. */
const shortest = 8;

/**
 * Our credential in each way in which a seller may write it back at us: the token; of a name and a password the
 * header's text, the pair and the password; and all of them as JSON and as addresses spell them. The longest is first,
 * so that replacing them in order leaves nothing of one inside another.
 */
export function credentialForms(credential: SellerTarget['credential']): readonly string[] {
  if (credential === undefined) return [];
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
