import type { Capabilities } from '@switchyard/protocol';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { CachedFetch, type CacheTimes } from './cached-fetch.js';
import { outageOf, shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import type { KeyedConnection } from './key-watch.js';

/** Why an agent could not be asked: the status that it answered with, else what kind of failure it was. */
export interface CapabilitiesOutage {
  readonly status?: number;
  readonly code: string;
}

/** Calls the capabilities task of an agent over its own protocol. Undefined: it answers, and says nothing of itself. */
export type QueryCapabilities = (
  connection: KeyedConnection,
) => Promise<Result<Capabilities | undefined, CapabilitiesOutage>>;

/** Asks each agent once however many wait for it, and remembers a failure for as long as every other of discovery. */
export function createQueriedCapabilities(
  query: QueryCapabilities | undefined,
  times: CacheTimes<Capabilities | undefined>,
  clock: Clock,
): (connection: KeyedConnection) => Promise<Result<Capabilities | undefined, DiscoveryFailure>> {
  if (query === undefined) return () => Promise.resolve(ok(undefined));
  const asking = new Map<string, KeyedConnection>();
  const cache = new CachedFetch<Capabilities | undefined, DiscoveryFailure>(
    async (key) => {
      const connection = asking.get(key);
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
    // What one tenant was told with its credential is no other tenant's.
    const key = `${connection.organizationId ?? ''} ${connection.id ?? ''} ${connection.agentUrl}`;
    asking.set(key, connection);
    return cache
      .get(key)
      .then(({ outcome }) => outcome)
      .finally(() => asking.delete(key));
  };
}
