import type { Connection } from '../connection.js';

/** The members of a connection, or of an agent that signs requests to us, that key discovery needs. */
export type KeyedConnection = Pick<
  Connection,
  'agentUrl' | 'pinnedJwksUri' | 'pinnedBrandJsonUrl' | 'capabilities'
> &
  Partial<Pick<Connection, 'id' | 'organizationId' | 'slug' | 'foundJwksUri'>> & {
    /**
     * The agent signs requests: its keys are found only through its capabilities, with no second way
     * (docs/protocol/signing.md#discovery-of-keys).
     */
    readonly signsRequests?: true;
  };

/**
 * Receives events about a counterparty's keys that an admin should know. Callers do not wait: an implementation must
 * handle its own failures.
 */
export interface KeyWatch {
  /** Discovery has found a key set for the first time. It is used from now on. */
  found(connection: KeyedConnection, jwksUri: string): void;
  /** Discovery names another URL than the known one, which stays in use. */
  changed(connection: KeyedConnection, known: string, named: string): void;
  /** The seller publishes a key whose private half is public. */
  testKey(connection: KeyedConnection, keyid: string): void;
  /** The list of revoked keys beside this brand.json cannot be trusted. */
  revocationsUntrusted(connection: KeyedConnection, brandUrl: string): void;
}

export const noKeyWatch: KeyWatch = {
  found: () => undefined,
  changed: () => undefined,
  testKey: () => undefined,
  revocationsUntrusted: () => undefined,
};
