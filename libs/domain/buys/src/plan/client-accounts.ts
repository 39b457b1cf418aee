import { taskError, type TaskError, type Account, type AccountRef } from '@switchyard/protocol';
import {
  asClient,
  throughLogin,
  wantsListedAccount,
  type ClientAccount,
  type Connection,
} from '@switchyard/sellers';
import { accountGate, type TenantScope } from '@switchyard/tenancy';
import { clientOfBrand } from '../campaigns/place-draft.js';
import type { BrandNamed } from '../model/campaign.js';
import type { SellerBuy, MediaBuy } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { PlannedLeg } from './plan-buy.js';
import type { BuyerAccount } from '../model/buyer-account.js';

/** Sellers as the client of a brand uses them. */
export interface ClientSellers {
  /** In their order, each with the account of the client. */
  readonly connections: readonly Connection[];
  /** By connection; without sellers whose accounts were never read. */
  readonly accounts: ReadonlyMap<string, ClientAccount>;
}

/**
 * Reads in which account at each seller the client of a brand buys (docs/protocol/accounts.md#accounts-at-sellers). It
 * costs nothing where no accounts were ever read.
 */
export async function sellersForClient(
  ports: Pick<BuysPorts, 'campaigns' | 'clientAccounts'>,
  scope: TenantScope,
  brand: BrandNamed | undefined,
  connections: readonly Connection[],
): Promise<ClientSellers> {
  const { clientAccounts } = ports;
  const known = connections.filter(({ hasAccounts }) => hasAccounts === true);
  if (clientAccounts === undefined || known.length === 0) return { connections, accounts: new Map() };
  const client = brand === undefined ? undefined : await clientOfBrand(ports, scope, brand);
  const accounts = await clientAccounts(scope, client?.id, known);
  return { accounts, connections: connections.map((one) => asClient(one, accounts.get(one.id))) };
}

/** Why the account of the client keeps each part of a new buy from being sent. */
export function heldAccounts(
  legs: readonly PlannedLeg[],
  accounts: ClientSellers['accounts'],
): readonly TaskError[] {
  return legs.flatMap(({ connection, packages }) => {
    const found = accounts.get(connection.id);
    const held = found === undefined ? undefined : holdOn(connection, found);
    if (held === undefined) return [];
    const field = `packages[${packages[0]?.position ?? 0}].product_id`;
    const { code, message, suggestion, details } = held;
    return [
      taskError(code, message, { field, suggestion, details: { seller: connection.slug, ...details } }),
    ];
  });
}

function holdOn(connection: Connection, found: ClientAccount) {
  const { slug } = connection;
  if (found.kind === 'unproved')
    return {
      code: 'CONFIGURATION_ERROR' as const,
      message: `The account of this client at the seller ${slug} is not the one that was entered here.`,
      suggestion: 'Have whoever runs this agent enter it again, and find out who changed it.',
    };
  const hasNone = found.kind === 'none' || (found.isSplit && connection.account === undefined);
  if (hasNone && (found.kind === 'none' || wantsListedAccount(connection)))
    return {
      code: 'ACCOUNT_SETUP_REQUIRED' as const,
      message: `This client has no account at the seller ${slug}.`,
      suggestion: 'Buy from the others, or have whoever runs this agent give the client an account there.',
    };
  if (found.status === undefined) return undefined;
  const gate = accountGate('create_media_buy', found.status);
  if (gate === undefined) return undefined;
  return {
    code: gate.code,
    message: `The account of this client at the seller ${slug} is ${found.status}.`,
    suggestion: 'Buy from the others, or wait until whoever runs this agent has settled it there.',
    details: { account_status: found.status },
  };
}

/** The account that a buy is in, and the login that it was bought with; absent: those of the connection. */
type BoughtIn = Pick<SellerBuy, 'accountId' | 'login'>;

/** The seller under the account and login of a buy; unchanged for a buy in those of the connection. */
export function inAccount(connection: Connection, { accountId, login }: BoughtIn): Connection {
  const at = throughLogin(connection, login);
  const own = at.account;
  if (accountId === undefined || (own !== undefined && 'accountId' in own && own.accountId === accountId))
    return at;
  return { ...at, account: { accountId } };
}

/** Things at one seller by the account and login that their buy is in. */
export function byAccount<Item extends BoughtIn>(
  connection: Connection,
  items: readonly Item[],
): readonly (readonly [Connection, readonly Item[]])[] {
  const groups = new Map<string, [Connection, Item[]]>();
  for (const item of items) {
    const seller = inAccount(connection, item);
    const key = JSON.stringify([seller.account ?? null, seller.login ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [seller, [item]]);
    else group[1].push(item);
  }
  return [...groups.values()];
}

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
