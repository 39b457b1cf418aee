import { createHmac, createHash } from 'node:crypto';
import { type Secret, canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import type { BuyerAccount } from './buyer-account.js';

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

const outsideTheHash = new Set(['idempotency_key', 'context', 'governance_context']);

/**
 * SHA-256 (hex) of a request as RFC 8785 text, without the members that may differ between two sends of one
 * request: the key, `context`, `governance_context` and the callback's own credentials.
 */
export function requestHash(args: JsonObject): string {
  const stored = Object.fromEntries(Object.entries(args).filter(([name]) => !outsideTheHash.has(name)));
  const push = stored['push_notification_config'];
  if (isJsonObject(push) && isJsonObject(push['authentication'])) {
    const { credentials: _left, ...authentication } = push['authentication'];
    stored['push_notification_config'] = { ...push, authentication };
  }
  return createHash('sha256').update(canonicalJson(stored), 'utf8').digest('hex');
}

/**
 * An idempotency key as it is stored: scoped to the account of the request, so that one key used for two accounts is
 * two keys (docs/protocol/idempotency.md#keys-of-buyers). The account is a pair that can be guessed; hashed with the
 * principal's id it reveals nothing. 43 base64url characters, a colon, and the buyer's key.
 */
export function scopedKey(principalId: string, account: BuyerAccount | undefined, key: string): string {
  return `${accountScope(principalId, account)}:${key}`;
}

/** Hash of a principal's account, which reveals nothing about it: 43 base64url characters. */
export function accountScope(principalId: string, account: BuyerAccount | undefined): string {
  const { brandDomain = '', brandId = '', operator = '' } = account ?? {};
  const scope = JSON.stringify([principalId, brandDomain, brandId, operator]);
  return createHash('sha256').update(scope, 'utf8').digest('base64url');
}
