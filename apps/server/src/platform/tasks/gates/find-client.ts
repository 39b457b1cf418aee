import { brandNamed, clientOfBrand, type BrandNamed, type KnownClient } from '@switchyard/buys';
import type { AccountRef, Brand } from '@switchyard/protocol';
import type { ClientAccount } from '@switchyard/sellers';
import type { HandledCall, HandlerDeps } from '../call/handler.js';

type Question = Pick<HandledCall<unknown>, 'scope' | 'principal' | 'request'>;

/** The brand of a read: the one that it names, else that of the account that it names. */
export async function brandOf(
  { principals }: Pick<HandlerDeps, 'principals'>,
  { scope, principal, request }: Question,
): Promise<BrandNamed | undefined> {
  const { brand, account } = request as { readonly brand?: Brand; readonly account?: AccountRef };
  if (brand?.domain !== undefined) return brandNamed(brand.domain, brand.brandId);
  if (account === undefined || principal === undefined) return undefined;
  if ('brand' in account) {
    const { domain, brandId } = account.brand;
    return domain === undefined ? undefined : brandNamed(domain, brandId);
  }
  const known = await principals.accountsOf(scope, principal.principalId);
  const named = known.find(({ id }) => id === account.accountId);
  return named && brandNamed(named.brandDomain, named.brandId);
}

/** The client of a read; undefined if it names no brand, or an unknown one. */
export async function clientOf(
  deps: Pick<HandlerDeps, 'principals' | 'ports'>,
  question: Question,
): Promise<KnownClient | undefined> {
  const brand = question.principal === undefined ? undefined : await brandOf(deps, question);
  return brand && clientOfBrand(deps.ports, question.scope, brand);
}

/** A client may be restricted to some sellers: the others are not queried for it. */
export const notAllowed = {
  reason: 'The client of this brand does not allow this seller.',
  code: 'CLIENT_NOT_ALLOWED',
};

/** In which account at each seller the client of a read buys; empty where no accounts at sellers were ever read. */
export async function accountsOf(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { scope, principal }: Pick<Question, 'scope' | 'principal'>,
  client: KnownClient | undefined,
): Promise<ReadonlyMap<string, ClientAccount>> {
  if (principal === undefined || ports.clientAccounts === undefined) return new Map();
  const known = (await ports.connections.list(scope)).filter(({ hasAccounts }) => hasAccounts === true);
  return known.length === 0 ? new Map() : ports.clientAccounts(scope, client?.id, known);
}
