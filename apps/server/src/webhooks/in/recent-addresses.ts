import type { WebhookRegistration, WebhookRegistrations } from '@switchyard/events';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import type { Clock, Instant } from '@switchyard/values';

/** The registration of an address, and the seller that may use it. */
export interface WebhookAddress {
  readonly registration: WebhookRegistration;
  readonly connection: Connection;
}

export interface RecentAddresses {
  /** Undefined for an unknown address. */
  find(registrationId: string): Promise<WebhookAddress | undefined>;
  /** Whether the last lookup found it. Makes no query. */
  isKnown(registrationId: string): boolean;
  /** For an address that several operations share, after one of them was found. */
  noteKnown(registrationId: string): void;
}

/** How long an answer of the database is used, in milliseconds: a change of a seller takes effect this late at most. */
const goodForMs = 1_000;
const mostEntries = 10_000;
const knownAtMost = 100_000;

interface Stored {
  readonly address: Promise<WebhookAddress | undefined>;
  readonly until: Instant;
}

/**
 * Queries the database once a second for each address in use, for any number of webhooks. Webhooks that arrive during
 * the query share its answer. Unknown addresses and failed queries are not remembered.
 */
export function recentAddresses(deps: {
  readonly registrations: WebhookRegistrations;
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly clock: Clock;
}): RecentAddresses {
  const stored = new Map<string, Stored>();
  const known = new Set<string>();
  const noteKnown = (id: string): void => {
    if (known.size >= knownAtMost) known.clear();
    known.add(id);
  };
  return {
    isKnown: (id) => known.has(id),
    noteKnown,
    find: async (id) => {
      const now = deps.clock.now();
      const recent = stored.get(id);
      if (recent !== undefined && now < recent.until) return recent.address;
      if (stored.size >= mostEntries) stored.clear();
      const address = findAddress(deps, id);
      const fresh = { address, until: now + goodForMs };
      stored.set(id, fresh);
      const isNone = await address.then(
        (found) => found === undefined,
        () => true,
      );
      if (isNone && stored.get(id) === fresh) stored.delete(id);
      if (isNone) known.delete(id);
      else noteKnown(id);
      return address;
    },
  };
}

async function findAddress(
  deps: Parameters<typeof recentAddresses>[0],
  id: string,
): Promise<WebhookAddress | undefined> {
  const registration = await deps.registrations.find(id);
  if (registration === undefined) return undefined;
  const { organizationId, connectionId } = registration;
  const connection = await deps.connections.byId({ organizationId }, connectionId);
  return connection === undefined ? undefined : { registration, connection };
}
