import type { Connection } from '../connection.js';

/** What of a connection, or of an agent that signs requests to us, its keys are found by. */
export type KeyedConnection = Pick<
  Connection,
  'agentUrl' | 'pinnedJwksUri' | 'pinnedBrandJsonUrl' | 'capabilities'
> &
  Partial<Pick<Connection, 'id' | 'organizationId' | 'slug' | 'foundJwksUri'>> & {
    /**
     * It signs requests: its capabilities alone lead to its keys, and where they do not there is no second way
     * (docs/protocol/signing.md#discovery-of-keys).
     */
    readonly signsRequests?: true;
  };

/**
 * Told of what somebody should know about a counterparty's keys. Nothing waits for it: whoever implements it deals with its
 * own failures.
 */
export interface KeyWatch {
  /** Discovery has named the address of a key set for the first time: it is the one from now on. */
  found(connection: KeyedConnection, jwksUri: string): void;
  /** Discovery names another address than the one that is known; the known one stays in use. */
  changed(connection: KeyedConnection, known: string, named: string): void;
  /** The seller publishes a key whose private half is public. */
  testKey(connection: KeyedConnection, keyid: string): void;
  /** There is a list of revoked keys beside this brand.json, and it cannot be believed. */
  revocationsUntrusted(connection: KeyedConnection, brandUrl: string): void;
}

export const noKeyWatch: KeyWatch = {
  found: () => undefined,
  changed: () => undefined,
  testKey: () => undefined,
  revocationsUntrusted: () => undefined,
};
