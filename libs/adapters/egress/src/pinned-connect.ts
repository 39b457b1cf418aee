import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { EgressPolicy } from '@switchyard/sellers';
import { buildConnector } from 'undici';
import { EgressError, failureOf } from './failure.js';
import { mayConnect } from './judge-url.js';

/** Returns all addresses of a name, in the resolver's order. Rejects as `dns.lookup` does. */
export type ResolveAll = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolver: ResolveAll = (host) =>
  new Promise((resolve, reject) => {
    resolveName(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/** Resolves a name. Refuses it if any of its addresses may not be connected to. */
export async function resolveAllowed(
  host: string,
  scheme: 'http' | 'https',
  policy: EgressPolicy,
  resolver: ResolveAll,
): Promise<readonly LookupAddress[]> {
  const addresses = await resolver(host);
  if (addresses.length === 0) throw new EgressError(failureOf('unresolved', 'no'));
  if (!addresses.every(({ address }) => mayConnect(address, scheme, policy))) {
    throw new EgressError(failureOf('blocked_address', 'no'));
  }
  return addresses;
}

/** A certificate with its key, and the only origin that sees it. */
export interface ShownCertificate {
  readonly origin: string;
  readonly pem: string;
}

/**
 * Connects only to checked addresses: the socket gets them from this lookup, so a name that answers differently a
 * moment later (DNS rebinding) changes nothing. TLS still checks the name.
 */
export function pinnedConnector(
  policy: EgressPolicy,
  resolver: ResolveAll,
  {
    timeoutMs,
    authorities,
    shown,
  }: {
    readonly timeoutMs: number;
    readonly authorities?: readonly string[];
    readonly shown?: ShownCertificate;
  },
): buildConnector.connector {
  const connectors = {
    https: buildConnector({
      timeout: timeoutMs,
      lookup: lookupFor('https', policy, resolver),
      ...(authorities && { ca: [...authorities] }),
      ...(shown && { cert: shown.pem, key: shown.pem }),
    }),
    http: buildConnector({ timeout: timeoutMs, lookup: lookupFor('http', policy, resolver) }),
  };
  return (options, callback) => {
    const scheme = options.protocol === 'https:' ? 'https' : 'http';
    // An agent shows its certificate to every host that it is used for.
    if (shown !== undefined && `${options.protocol}//${options.host ?? ''}` !== shown.origin) {
      callback(new EgressError(failureOf('blocked_address', 'no')), null);
      return;
    }
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // Node.js makes no lookup for an address literal.
    if (isIP(host) !== 0 && !mayConnect(host, scheme, policy)) {
      callback(new EgressError(failureOf('blocked_address', 'no')), null);
      return;
    }
    connectors[scheme](options, callback);
  };
}

function lookupFor(scheme: 'http' | 'https', policy: EgressPolicy, resolver: ResolveAll): LookupFunction {
  return (host, options, callback) => {
    resolveAllowed(host, scheme, policy, resolver).then(
      (addresses) => {
        const [first] = addresses;
        // With happy eyeballs, Node.js asks for all addresses and expects a list; otherwise it expects one address.
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error('lookup failed'), '', 0);
      },
    );
  };
}
