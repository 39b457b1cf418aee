import { getDomain } from 'tldts';

/**
 * Whether two hosts belong to one registrable domain by the public suffix list, its private section included: whoever
 * rents a name below `github.io` is a site of his own (docs/protocol/signing.md#discovery-of-keys). Hosts may be
 * written in any way that an address may write them; what is no host is of no site.
 */
export function isSameSite(one: string, other: string): boolean {
  const [first, second] = [hostOf(one), hostOf(other)];
  if (first === undefined || second === undefined) return false;
  if (first === second) return true;
  const site = registrableDomain(first);
  return site !== undefined && site === registrableDomain(second);
}

/** True when `host` is `domain` or below it. A name below which others register is nobody's to speak for. */
export function isWithin(host: string, domain: string): boolean {
  const [inner, outer] = [hostOf(host), hostOf(domain)];
  if (inner === undefined || outer === undefined) return false;
  if (inner === outer) return true;
  return registrableDomain(outer) !== undefined && inner.endsWith(`.${outer}`);
}

/** The registrable domain of a host; of an address, a single label and a public suffix, that itself. */
export function siteOf(host: string): string {
  const canonical = hostOf(host) ?? host;
  return registrableDomain(canonical) ?? canonical;
}

/**
 * Names that are let out to customers without standing in the list, or with some of their branches alone. Nobody can
 * tell from outside where a customer begins below one of these, so each host is its own.
 */
const letOutUnlisted: ReadonlySet<string> = new Set([
  ...['amazonaws.com', 'on.aws', 'azure.com', 'windows.net', 'googleusercontent.com', 'oraclecloud.com'],
  ...['backblazeb2.com', 'wordpress.com', 'nip.io', 'sslip.io', 'loca.lt'],
]);

/** Undefined where there is none: of an address, a public suffix and a name that is one label. */
function registrableDomain(host: string): string | undefined {
  const domain = getDomain(host, { allowPrivateDomains: true, extractHostname: false });
  return domain === null || letOutUnlisted.has(domain) ? undefined : domain;
}

/**
 * One spelling of a host: lower case, A-labels, dotted decimals, and without the dot that may end a full name. An IPv6
 * address is taken with and without brackets.
 */
function hostOf(text: string): string | undefined {
  const address = `http://${text.includes(':') && !text.startsWith('[') ? `[${text}]` : text}/`;
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === '' ? undefined : host;
}
