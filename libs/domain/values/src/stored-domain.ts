import { domainToASCII } from 'node:url';

/**
 * A domain as it is stored and shown: small letters, with its `xn--` form (RFC 5891) for letters beyond ASCII. Empty for
 * a text beyond ASCII that is no domain; other texts are not checked.
 */
export const storedDomain = (text: string): string =>
  (Buffer.byteLength(text) === text.length ? text : domainToASCII(text)).toLowerCase();
