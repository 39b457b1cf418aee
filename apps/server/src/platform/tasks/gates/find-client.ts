import { brandNamed, clientOfBrand, type BrandNamed, type KnownClient } from '@switchyard/buys';
import { splitId, taskError, type AccountRef, type Brand, type TaskError } from '@switchyard/protocol';
import type { ClientAccount, Connection } from '@switchyard/sellers';
import { seesSellers } from '@switchyard/tenancy';
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

/** A seller that is not asked: the reason in its row, or no row at all. */
export type Skip = { readonly skip: { readonly reason: string; readonly code: string } | 'without_a_row' };

/** A client may be restricted to some sellers: the others are not queried for it, and have a row for who sees sellers. */
export function skipOf(
  principal: Question['principal'],
  client: KnownClient | undefined,
  { slug }: { readonly slug: string },
): Skip | undefined {
  if (client?.sellers?.includes(slug) !== false) return undefined;
  return { skip: principal !== undefined && seesSellers(principal) ? notAllowed : 'without_a_row' };
}

const notAllowed = {
  reason: 'The client of this brand does not allow this seller.',
  code: 'CLIENT_NOT_ALLOWED',
};

/**
 * Errors for ids of sellers that the client of a change may not use. To a caller that sees no sellers, one that is not
 * allowed and one that does not exist are the same: otherwise it would learn which sellers there are. Others get
 * AGENT_ACCESS_DENIED, which names the seller.
 */
export async function hiddenSellers(
  deps: Pick<HandlerDeps, 'principals' | 'ports'>,
  question: Question,
  named: readonly { readonly field: string; readonly id: string }[],
): Promise<readonly TaskError[]> {
  if (question.principal === undefined || seesSellers(question.principal)) return [];
  const sellers = (await clientOf(deps, question))?.sellers;
  if (sellers === undefined) return [];
  return named.flatMap(({ field, id }) => {
    const split = splitId(id);
    if (!split.ok || sellers.includes(split.value.slug)) return [];
    const suggestion = 'Use an id as it was returned to you, with the name of its seller in front.';
    return [
      taskError('AGENT_NOT_FOUND', 'You have no seller with the name in this id.', { field, suggestion }),
    ];
  });
}

/** The sellers of a read, and in which account of each its client buys: of those alone whose accounts were read. */
export async function sellersFor(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { scope, principal }: Pick<Question, 'scope' | 'principal'>,
  client: KnownClient | undefined,
): Promise<{
  readonly connections: readonly Connection[];
  readonly accounts: ReadonlyMap<string, ClientAccount>;
}> {
  const connections = await ports.connections.list(scope);
  const known = connections.filter(({ hasAccounts }) => hasAccounts === true);
  if (principal === undefined || ports.clientAccounts === undefined || known.length === 0)
    return { connections, accounts: new Map() };
  return { connections, accounts: await ports.clientAccounts(scope, client?.id, known) };
}
