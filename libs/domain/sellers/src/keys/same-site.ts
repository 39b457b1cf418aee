/** Second-level names under which others register, in countries that do so. */
const sharedSecondLevel = new Set(['ac', 'co', 'com', 'edu', 'go', 'gov', 'gr', 'ne', 'net', 'or', 'org']);

/**
 * Whether two hosts belong to one registrable domain, as far as can be told without a public suffix list. It is a
 * second lock only: the document also has to name the agent's URL byte for byte.
 */
export function isSameSite(one: string, other: string): boolean {
  if (one === other) return true;
  if (isAddress(one) || isAddress(other)) return false;
  return siteOf(one) === siteOf(other);
}

/** True when `host` is `domain` or below it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || (domain.includes('.') && host.endsWith(`.${domain}`));
}

/** The registrable domain of a host, as far as can be told; an address is its own. */
export function siteOf(host: string): string {
  if (isAddress(host)) return host;
  const labels = host.split('.');
  const [top = '', second = ''] = [labels.at(-1), labels.at(-2)];
  return labels.slice(top.length === 2 && sharedSecondLevel.has(second) ? -3 : -2).join('.');
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':');
}
