import { textOf, type JsonObject } from '../json.js';

/** A buyer's account at this seller. */
export interface SellerAccount {
  readonly accountId: string;
  readonly brand: JsonObject;
  readonly operator: string;
  readonly billing: string;
  readonly sandbox: boolean;
  readonly subscribers: readonly Subscriber[];
}

/** An address that is told of an account's events, once it has proved that it listens. */
export interface Subscriber {
  readonly subscriberId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  /** What the buyer asked for. */
  readonly active: boolean;
  readonly proved: boolean;
}

/** The account that a reference means: by its id, or by its brand and operator. */
export function accountNamed(
  accounts: Iterable<SellerAccount>,
  reference: JsonObject,
): SellerAccount | undefined {
  const { account_id: id, brand, operator } = reference;
  return [...accounts].find((account) =>
    id === undefined
      ? operator === account.operator && keyOf(brand) === keyOf(account.brand)
      : id === account.accountId,
  );
}

function keyOf(brand: JsonObject[string] | undefined): string {
  const { domain = '', brand_id: id = '' } = typeof brand === 'object' ? (brand as JsonObject) : {};
  return JSON.stringify([domain, id]);
}

/** An account as `list_accounts` shows it. A subscriber that has not proved its address is not active yet. */
export function showAccount({ accountId, brand, operator, ...account }: SellerAccount): JsonObject {
  return {
    account_id: accountId,
    name: `${textOf(brand['domain']) ?? ''} by ${operator}`,
    status: 'active',
    brand,
    operator,
    billing: account.billing,
    account_scope: 'operator_brand',
    ...(account.sandbox ? { sandbox: true } : {}),
    notification_configs: account.subscribers.map(({ subscriberId, url, eventTypes, active, proved }) => ({
      subscriber_id: subscriberId,
      url,
      event_types: [...eventTypes],
      active: active && proved,
    })),
  };
}
