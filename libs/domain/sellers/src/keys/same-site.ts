import { sharedLabels } from './shared-suffixes.js';

/**
 * Whether two hosts belong to one registrable domain, as far as can be told without the whole public suffix list.
 * It is a second lock only: the document also has to name the agent's URL byte for byte.
 */
export function isSameSite(one: string, other: string): boolean {
  if (one === other) return true;
  if (isAddress(one) || isAddress(other)) return false;
  return siteOf(one) === siteOf(other);
}

/** True when `host` is `domain` or below it. A name below which others register is nobody's to speak for. */
export function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true;
  const isSomebodys = domain.split('.').length > sharedLabels(domain);
  return isSomebodys && host.endsWith(`.${domain}`);
}

/** The registrable domain of a host, as far as can be told; an address is its own. */
export function siteOf(host: string): string {
  if (isAddress(host)) return host;
  return host
    .split('.')
    .slice(-1 - sharedLabels(host))
    .join('.');
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':');
}
