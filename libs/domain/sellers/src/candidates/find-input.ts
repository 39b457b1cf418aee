import { err, ok, type Result } from '@switchyard/values';
import { siteOf } from '../keys/same-site.js';

/** What somebody who looks for a seller may give: a domain, one of the two documents, or an agent's address. */
export interface FindInput {
  readonly kind: 'domain' | 'adagents' | 'brand' | 'agent';
  /** The address of the document or agent; of a domain its origin. */
  readonly url: string;
  /** The domain whose documents are read: a site's registrable domain, or a host with its port on loopback. */
  readonly domain: string;
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** A name in its `xn--` form, or an address: the formula of a table is none, though an address may begin with it. */
const namedHost = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/;

/** Whether a host, with its port if it has one, is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  return loopback.test(host);
}

/**
 * The domain that two addresses share if they are of one site. On loopback each port is a site of its own, because all
 * of them have one host.
 */
export function siteOfUrl(url: string): string {
  const { host, hostname } = new URL(url);
  return isLoopbackHost(host) ? host : siteOf(hostname);
}

/** The origin of a domain's documents: https, and plain http on loopback. */
export function originOfDomain(domain: string): string {
  return `${isLoopbackHost(domain) ? 'http' : 'https'}://${domain}`;
}

/**
 * Reads what was given. A name without a scheme is a domain, or an address if it has a path. Fails with a text for the
 * person who gave it.
 */
export function readFindInput(text: string): Result<FindInput, string> {
  const given = text.trim();
  if (given.length === 0 || given.length > 2_048)
    return err('Give a domain or an address of at most 2048 characters.');
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given);
  const named = hasScheme
    ? given
    : `${isLoopbackHost(given.split('/', 1)[0] ?? '') ? 'http' : 'https'}://${given}`;
  const url = URL.canParse(named) ? new URL(named) : undefined;
  const isPlain = url?.username === '' && url.password === '' && namedHost.test(url.hostname);
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlain)
    return err('This is no domain, and no http or https address without a name and a password.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.host))
    return err('Addresses beyond this machine begin with https.');
  const domain = siteOfUrl(url.href);
  if (/\/adagents\.json$/i.test(url.pathname)) return ok({ kind: 'adagents', url: url.href, domain });
  if (/\/brand\.json$/i.test(url.pathname)) return ok({ kind: 'brand', url: url.href, domain });
  const isDomain = url.pathname === '/' && url.search === '' && !given.endsWith('/');
  // A publisher may have documents at a name below its registrable domain: what was given is asked.
  if (isDomain) return ok({ kind: 'domain', url: url.origin, domain: url.host });
  // An address is an identity: it is used as it was written.
  return ok({ kind: 'agent', url: named, domain });
}
