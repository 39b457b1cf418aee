import type { WebhookRegistration, WebhookRegistrations } from '@switchyard/events';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import type { Clock, Instant } from '@switchyard/values';

/** What was agreed for an address, and the seller that may use it. */
export interface WebhookAddress {
  readonly registration: WebhookRegistration;
  readonly connection: Connection;
}

export interface RecentAddresses {
  /** Undefined for an address that nobody was given. */
  find(registrationId: string): Promise<WebhookAddress | undefined>;
  /** Whether it was somebody's when it was last looked for. Asks nobody. */
  isKnown(registrationId: string): boolean;
  /** Of an address that several operations share, under which one of them was found. */
  noteKnown(registrationId: string): void;
}

/** How long an answer of the database is good for, in milliseconds: so late at most does a change of a seller count. */
const goodForMs = 1_000;
const keptAtMost = 10_000;
const knownAtMost = 100_000;

interface Stored {
  readonly address: Promise<WebhookAddress | undefined>;
  readonly until: Instant;
}

/**
 * Asks the database once a second for each address that is in use, however many webhooks come there. Those that come
 * while the question is under way share its answer. An address that nobody was given is not remembered, nor is a
 * question that failed.
 */
export function recentAddresses(parts: {
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
      const now = parts.clock.now();
      const recent = stored.get(id);
      if (recent !== undefined && now < recent.until) return recent.address;
      if (stored.size >= keptAtMost) stored.clear();
      const address = ask(parts, id);
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

async function ask(
  parts: Parameters<typeof recentAddresses>[0],
  id: string,
): Promise<WebhookAddress | undefined> {
  const registration = await parts.registrations.find(id);
  if (registration === undefined) return undefined;
  const { organizationId, connectionId } = registration;
  const connection = await parts.connections.byId({ organizationId }, connectionId);
  return connection === undefined ? undefined : { registration, connection };
}
