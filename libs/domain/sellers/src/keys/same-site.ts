import { getDomain } from 'tldts';

/**
 * True if two hosts have the same registrable domain by the public suffix list, including its private section: each
 * customer's name below `github.io` is its own site (docs/protocol/signing.md#discovery-of-keys). Hosts may have any
 * spelling that a URL allows; an invalid host has no site.
 */
export function isSameSite(one: string, other: string): boolean {
  const [first, second] = [hostOf(one), hostOf(other)];
  if (first === undefined || second === undefined) return false;
  if (first === second) return true;
  const site = registrableDomain(first);
  return site !== undefined && site === registrableDomain(second);
}

/** True if `host` is `domain` or below it. A domain under which others register names contains only itself. */
export function isWithin(host: string, domain: string): boolean {
  const [inner, outer] = [hostOf(host), hostOf(domain)];
  if (inner === undefined || outer === undefined) return false;
  if (inner === outer) return true;
  return registrableDomain(outer) !== undefined && inner.endsWith(`.${outer}`);
}

/** Returns the registrable domain of a host; an IP address, a single label and a public suffix unchanged. */
export function siteOf(host: string): string {
  const canonical = hostOf(host) ?? host;
  return registrableDomain(canonical) ?? canonical;
}

/**
 * Domains whose names are given to customers but that are missing, or partly missing, in the public suffix list. The
 * customer's part of a name cannot be recognized, so each host is its own site.
 */
const letOutUnlisted: ReadonlySet<string> = new Set([
  ...['amazonaws.com', 'on.aws', 'azure.com', 'windows.net', 'googleusercontent.com', 'oraclecloud.com'],
  ...['backblazeb2.com', 'wordpress.com', 'nip.io', 'sslip.io', 'loca.lt'],
]);

/** Undefined for an IP address, a public suffix and a single label. */
function registrableDomain(host: string): string | undefined {
  const domain = getDomain(host, { allowPrivateDomains: true, extractHostname: false });
  return domain === null || letOutUnlisted.has(domain) ? undefined : domain;
}

/**
 * Normalizes a host: lower case, A-labels, dotted decimals, no trailing dot. An IPv6 address may have brackets or not.
 */
function hostOf(text: string): string | undefined {
  const address = `http://${text.includes(':') && !text.startsWith('[') ? `[${text}]` : text}/`;
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === '' ? undefined : host;
}
