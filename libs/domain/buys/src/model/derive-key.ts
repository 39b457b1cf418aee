import { createHmac } from 'node:crypto';
import type { Secret } from '@switchyard/values';

/** The input of a leg's key: equal input gives an equal key, at any time and in any process. */
export interface KeyDeps {
  readonly principalId: string;
  readonly task: string;
  /** The buyer's key; empty where the buyer sent none. */
  readonly buyerKey: string;
  /** A key that an error released may be used again: that is another operation, with another key at the seller. */
  readonly operationId: string;
  /** From 2 on, for a leg that is encoded again, because that is another request. */
  readonly round?: number;
}

/**
 * Derives the idempotency key for one seller: an HMAC of the buyer's key under a secret of that connection alone.
 *
 * The buyer's own key is never sent to another principal, and two sellers cannot tell that their keys belong together
 * (docs/protocol/idempotency.md#keys-at-sellers). 43 base64url characters, inside the alphabet
 * `[A-Za-z0-9_.:-]{16,255}`.
 */
export function deriveKey(connectionSecret: Secret, deps: KeyDeps): string {
  const { principalId, task, buyerKey, operationId, round } = deps;
  const message = [principalId, task, buyerKey, operationId, ...(round === undefined ? [] : [`${round}`])]
    .map((part) => `${part.length}:${part}`)
    .join('|');
  return connectionSecret.use((bytes) =>
    createHmac('sha256', bytes).update(message, 'utf8').digest('base64url'),
  );
}
