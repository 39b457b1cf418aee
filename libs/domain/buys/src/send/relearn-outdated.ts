import { isOutdated, type SellerReply } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { BuysPorts } from '../model/ports.js';

/**
 * Reads the version and tasks of a seller again after it refused a change because of them. The seller has
 * done nothing, and its error is returned, because the bytes were frozen before. The buyer's answer waits for
 * this, so that a repeat finds the current version.
 */
export async function relearnOutdated(
  ports: Pick<BuysPorts, 'relearn'>,
  scope: TenantScope,
  connection: Connection,
  reply: Pick<SellerReply, 'errors'>,
): Promise<void> {
  // If the seller cannot be read, its stored version stays.
  if (isOutdated(reply)) await ports.relearn?.(scope, connection).catch(() => undefined);
}
