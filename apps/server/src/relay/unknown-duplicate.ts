import type { RelayLog, SealedRefusal } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Draft } from './sealed-record.js';

/**
 * Whether a request repeats one with an unknown outcome, which is refused: sending it again could act twice
 * (docs/protocol/relay.md#retries).
 */
export async function isUnknownDuplicate(
  log: Pick<RelayLog, 'findDuplicate'>,
  scope: TenantScope,
  { principalId, arrived }: Draft,
  refusal: SealedRefusal,
): Promise<boolean> {
  if (refusal.code !== 'request_signature_replayed' || arrived.keyid === undefined) return false;
  const nonce = /;nonce="([^"\\]{1,512})"/.exec(arrived.signatureInput ?? '')?.[1];
  if (nonce === undefined) return false;
  const counterpart = await log.findDuplicate(scope, principalId, arrived.keyid, nonce);
  if (counterpart?.bodyHash !== arrived.bodyHash) return false;
  return counterpart.outcome === undefined || counterpart.outcome === 'unknown';
}
