import { taskError, type Account, type AccountRef, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { accountGate } from '@switchyard/tenancy';
import { accountAt } from './account-at.js';
import type { BuyerAccount } from './caller.js';
import type { PlannedLeg } from '../create/plan-buy.js';

/** How our accounts stand at sellers, by connection. One that does not say so in time is not in it. */
export type AccountsAt = (
  connections: readonly Connection[],
) => Promise<ReadonlyMap<string, readonly Account[]>>;

/**
 * What our accounts at the sellers of a buy keep it from
 * (docs/protocol/media-buys.md#checks-before-any-seller-is-asked): a buy over several sellers is checked at all of them
 * before the first one hears of it, because what one has made by the time another refuses would have to be undone.
 *
 * One seller alone refuses for itself, with nothing bought elsewhere, so it is not asked ahead. What a seller does not
 * say is unknown and holds nothing back: it judges when it is asked to sell.
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
    const account = known.get(connection.id)?.find((one) => isMeant(one, ref));
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
