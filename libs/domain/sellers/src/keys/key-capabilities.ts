import type { Capabilities } from '@switchyard/protocol';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { CachedFetch, type CacheTimes } from './cached-fetch.js';
import { outageOf, shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import type { KeyedConnection } from './key-watch.js';

/** Why an agent could not be queried: the HTTP status, or otherwise the code of the failure. */
export interface CapabilitiesOutage {
  readonly status?: number;
  readonly code: string;
}

/** Calls the capabilities task of an agent over its own protocol. Undefined: it answers but declares nothing. */
export type QueryCapabilities = (
  connection: KeyedConnection,
) => Promise<Result<Capabilities | undefined, CapabilitiesOutage>>;

/** Queries each agent once for concurrent callers, and caches failures as long as the other documents of discovery. */
export function createQueriedCapabilities(
  query: QueryCapabilities | undefined,
  times: CacheTimes<Capabilities | undefined>,
  clock: Clock,
): (connection: KeyedConnection) => Promise<Result<Capabilities | undefined, DiscoveryFailure>> {
  if (query === undefined) return () => Promise.resolve(ok(undefined));
  const connections = new Map<string, KeyedConnection>();
  const cache = new CachedFetch<Capabilities | undefined, DiscoveryFailure>(
    async (key) => {
      const connection = connections.get(key);
      if (connection === undefined) return ok(undefined);
      const reported = await query(connection);
      if (reported.ok) return reported;
      const agentUrl = shownAddress(connection.agentUrl);
      const details = { agent_url: agentUrl, ...outageOf(reported.error, clock.now()) };
      return err({ code: 'capabilities_unreachable', details });
    },
    times,
    clock,
  );
  return async (connection) => {
    // One tenant's credential got this answer, so it is not shared with other tenants.
    const key = `${connection.organizationId ?? ''} ${connection.id ?? ''} ${connection.agentUrl}`;
    connections.set(key, connection);
    return cache
      .get(key)
      .then(({ outcome }) => outcome)
      .finally(() => connections.delete(key));
  };
}
