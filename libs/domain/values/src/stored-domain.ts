import { domainToASCII } from 'node:url';

/**
 * A domain as it is stored and shown: small letters, with its `xn--` form (RFC 5891) for letters beyond ASCII. Empty for
 * a text beyond ASCII that is no domain; other texts are not checked.
 */
export const storedDomain = (text: string): string =>
  (Buffer.byteLength(text) === text.length ? text : domainToASCII(text)).toLowerCase();

/**
 * The domain of a brand, the same for all its spellings: as `storedDomain`, without a dot at the end, and without a first
 * label `www` where two labels or more are left (docs/protocol/media-buys.md#spellings-of-a-brand).
 */
export const brandDomainOf = (text: string): string =>
  storedDomain(text)
    .replace(/\.$/, '')
    .replace(/^(?:www\.)+(?=[^.]+\.[^.])/, '');
