import { taskError, type Account, type AccountRef, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { accountGate } from '@switchyard/tenancy';
import type { BuyerAccount } from '../model/buyer-account.js';
import type { PlannedLeg } from './plan-buy.js';
import type { MediaBuy } from '../model/operation.js';

/** The accounts at sellers, by connection; without sellers that do not answer in time. */
export type AccountsAt = (
  connections: readonly Connection[],
) => Promise<ReadonlyMap<string, readonly Account[]>>;

/**
 * The errors of a buy whose account at a seller is blocked
 * (docs/protocol/media-buys.md#checks-before-any-seller-is-asked). A buy at several sellers is checked at all
 * of them before the first call: parts that were made before another seller refuses would have to be undone.
 *
 * A single seller is not queried first, because its refusal leaves nothing to undo. An unknown status blocks
 * nothing: the seller checks it in its own answer.
 */
export async function accountGates(
  accountsAt: AccountsAt | undefined,
  legs: readonly PlannedLeg[],
  buyer: BuyerAccount,
): Promise<readonly TaskError[]> {
  if (accountsAt === undefined || legs.length < 2) return [];
  const known = await accountsAt(legs.map(({ connection }) => connection));
  return legs.flatMap(({ connection, packages }) => {
    const ref = accountAt(connection, {
      brand: {
        domain: buyer.brandDomain,
        ...(buyer.brandId === '' ? {} : { brand_id: buyer.brandId }),
      },
      operator: buyer.operator,
    });
    const account = known.get(connection.id)?.find((candidate) => isMeant(candidate, ref));
    const gate = account === undefined ? undefined : accountGate('create_media_buy', account.status);
    if (account === undefined || gate === undefined) return [];
    const [first] = packages;
    return [
      taskError(gate.code, `Our account at the seller ${connection.slug} is ${account.status}.`, {
        field: `packages[${first?.position ?? 0}].product_id`,
        suggestion: 'Buy from the others, or wait until whoever runs this agent has settled it there.',
        details: { seller: connection.slug, account_status: account.status },
      }),
    ];
  });
}

function isMeant({ accountId, brandDomain, brandId, operator }: Account, ref: AccountRef): boolean {
  if ('accountId' in ref) return ref.accountId === accountId;
  return (
    brandDomain === ref.brand.domain && brandId === (ref.brand.brandId ?? '') && operator === ref.operator
  );
}

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
