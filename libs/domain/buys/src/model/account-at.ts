import type { AccountRef } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { MediaBuy } from './operation.js';

/**
 * The account in a request to a seller: the connection's own, else the pair of the buy's brand and our
 * operator (docs/protocol/accounts.md#two-planes).
 */
export function accountAt(
  connection: Pick<Connection, 'account'>,
  { brand, operator }: Pick<MediaBuy, 'brand' | 'operator'>,
): AccountRef {
  if (connection.account !== undefined) return connection.account;
  const { domain, brand_id: brandId } = brand;
  return {
    brand: {
      ...(typeof domain === 'string' ? { domain } : {}),
      ...(typeof brandId === 'string' ? { brandId } : {}),
    },
    operator,
  };
}
