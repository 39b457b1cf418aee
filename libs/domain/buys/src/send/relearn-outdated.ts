import { isOutdated, type SellerReply } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { BuysPorts } from '../model/ports.js';

/**
 * Asks a seller that has refused a change for what it was taken for what it speaks and offers now. It has done nothing, and
 * its error stands: the bytes were frozen before. The buyer's answer waits for it, so that a repeat finds a seller that is
 * known again.
 */
export async function relearnOutdated(
  ports: Pick<BuysPorts, 'relearn'>,
  scope: TenantScope,
  connection: Connection,
  reply: Pick<SellerReply, 'errors'>,
): Promise<void> {
  // A seller that cannot be asked is known as it was.
  if (isOutdated(reply)) await ports.relearn?.(scope, connection).catch(() => undefined);
}
