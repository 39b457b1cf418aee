import type { MediaBuyRecord, SellerBuy } from '@switchyard/buys';
import { getMediaBuyDelivery, getMediaBuys, listCreatives, syncCreatives } from '@switchyard/protocol';
import type { RelayFaultCode, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type JsonValue, type Result } from '@switchyard/values';
import { othersFault } from './others-fault.js';
import type { RelayParts } from './relay-parts.js';

/** The buy that a sealed request is about, where it is one that this principal made through us. */
export interface SealedSubject {
  readonly record: MediaBuyRecord;
  readonly sellerBuy: SellerBuy;
}

/**
 * Finds what a request names of buys, by the seller's own ids. To the seller all our principals come under one
 * credential, so it cannot keep them apart: one that names another principal's buy, or another tenant's over the same
 * account, is told that there is none.
 */
export async function sealedSubject(
  parts: Pick<RelayParts, 'store' | 'log' | 'activations'>,
  scope: TenantScope,
  principalId: string,
  connection: Connection,
  call: SealedCall,
): Promise<Result<SealedSubject | undefined, RelayFaultCode>> {
  const { store, log } = parts;
  // The bytes are the brand's and cannot be cut down, and the account is not the brand's alone (tasks 3.10).
  const isSync = call.spec.name === syncCreatives.name && call.args['dry_run'] !== true;
  if (isSync && call.args['delete_missing'] === true) return err('RELAY_DELETES_THE_REST');
  const fault = await othersFault(parts, scope, connection, call);
  if (fault !== undefined) return err(fault);
  let subject: SealedSubject | undefined;
  const ids = buyIdsIn(call.args);
  const isOpen = listing.has(call.spec.name) && ids.length === 0;
  if (isOpen && (await log.isShared(scope, connection.id, principalId))) return err('RELAY_BUYS_NOT_NAMED');
  for (const id of ids) {
    const sellerBuy = await store.sellerBuyOf(scope, connection.id, id);
    if (sellerBuy === undefined) {
      // Another tenant's, over the same account: as if it were not there.
      const whose = await store.standsElsewhere(scope, connection.id, id);
      if (whose === 'taken') return err('RELAY_BUY_NOT_FOUND');
      continue;
    }
    const record = await store.mediaBuy(scope, sellerBuy.mediaBuyId);
    if (record?.buy.principalId !== principalId) return err('RELAY_BUY_NOT_FOUND');
    subject ??= { record, sellerBuy };
  }
  return ok(subject);
}

/** Tasks that answer with whatever the credential may see, unless the request names buys. */
const listing: ReadonlySet<string> = new Set([
  getMediaBuys.name,
  getMediaBuyDelivery.name,
  listCreatives.name,
]);

/** Every buy that is named, at any depth: packages of a creative's assignment are inside of one. */
function buyIdsIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(buyIdsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'media_buy_id' && typeof member === 'string') return [member];
    if (name === 'media_buy_ids' && Array.isArray(member))
      return member.filter((one): one is string => typeof one === 'string');
    return buyIdsIn(member);
  });
}
