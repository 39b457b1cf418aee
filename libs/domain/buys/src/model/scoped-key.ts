import { createHash } from 'node:crypto';
import type { BuyerAccount } from './caller.js';

/**
 * An idempotency key as it is stored: within the account that the request names, so that one key used for two accounts
 * is two keys (docs/protocol/idempotency.md#keys-of-buyers). The account is a natural pair that anybody can guess;
 * hashed together with the principal's own id it tells nothing. 43 base64url characters, a colon, and the buyer's key.
 */
export function scopedKey(principalId: string, account: BuyerAccount | undefined, key: string): string {
  return `${accountScope(principalId, account)}:${key}`;
}

/** The account of a principal as a text that tells nothing of it: 43 base64url characters. */
export function accountScope(principalId: string, account: BuyerAccount | undefined): string {
  const { brandDomain = '', brandId = '', operator = '' } = account ?? {};
  const scope = JSON.stringify([principalId, brandDomain, brandId, operator]);
  return createHash('sha256').update(scope, 'utf8').digest('base64url');
}
