import { createHash } from 'node:crypto';
import type { BuyerAccount } from './caller.js';

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
