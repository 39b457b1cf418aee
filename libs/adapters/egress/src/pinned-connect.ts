import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { EgressPolicy } from '@switchyard/sellers';
import { buildConnector } from 'undici';
import { EgressError, failureOf } from './failure.js';
import { mayConnect } from './judge-url.js';

/** All addresses of a name, in the resolver's order. Rejects as `dns.lookup` does. */
export type ResolveAll = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolver: ResolveAll = (host) =>
  new Promise((resolve, reject) => {
    resolveName(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/** Resolves a name and refuses it whole when any of its addresses may not be connected to. */
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

/**
 * Connects to addresses that were checked in the same breath: the socket gets them from our own lookup, so a name
 * that answers differently a moment later (rebinding) changes nothing. TLS still checks the name.
 */
export function pinnedConnector(
  policy: EgressPolicy,
  resolver: ResolveAll,
  timeoutMs: number,
): buildConnector.connector {
  const connectors = {
    https: buildConnector({ timeout: timeoutMs, lookup: lookupFor('https', policy, resolver) }),
    http: buildConnector({ timeout: timeoutMs, lookup: lookupFor('http', policy, resolver) }),
  };
  return (options, callback) => {
    const scheme = options.protocol === 'https:' ? 'https' : 'http';
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal never reaches the lookup.
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
        // Happy eyeballs asks for all addresses and wants a list; older callers want one.
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error('lookup failed'), '', 0);
      },
    );
  };
}
