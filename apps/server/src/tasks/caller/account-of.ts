import { ownBuy, type BuyNamed, type MediaBuy } from '@switchyard/buys';
import { taskError, updateMediaBuy, type AccountRef, type Brand, type TaskError } from '@switchyard/protocol';
import {
  accountGate,
  resolveAccount,
  type AccountFailure,
  type DeclaredAccount,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandlerDeps } from '../handler.js';
import type { PrincipalCaller } from '../task-call.js';
import { reachOfTask } from './reach-of-task.js';

/** The account of a mutation. A new one is declared once the mutation was taken in, and not before. */
export interface AccountFound {
  readonly account: DeclaredAccount;
  readonly isNew: boolean;
}

interface RequestOfTask {
  readonly task: string;
  readonly request: unknown;
}

/**
 * The account a mutation is for: one that is declared, or that its first use declares
 * (docs/protocol/accounts.md#two-planes), and that lets the task through as it stands
 * (docs/protocol/accounts.md#standing). A change of a buy is for the account that the buy is in, whether or not the
 * request names one: otherwise another account, named beside it, would let through what its own holds back.
 */
export async function accountOf(
  deps: HandlerDeps,
  scope: TenantScope,
  principal: PrincipalCaller,
  { task, request }: RequestOfTask,
): Promise<Result<AccountFound | undefined, TaskError>> {
  const { account: requested, brand } = request as { readonly account?: AccountRef; readonly brand?: Brand };
  const known = await deps.principals.accountsOf(scope, principal.principalId);
  const found = resolveAccount({
    known,
    organizationDomain: await deps.domainOf(scope),
    declareOnFirstUse: deps.declareOnFirstUse,
    ...(requested === undefined ? {} : { requested }),
    ...(brand === undefined ? {} : { brand }),
  });
  if (task === updateMediaBuy.name) {
    const reaching = { principalId: principal.principalId, reach: reachOfTask(principal, updateMediaBuy) };
    const named = (await ownBuy(deps.ports.store, scope, reaching, request as BuyNamed))?.buy;
    if (named !== undefined && named.principalId !== principal.principalId)
      return letThrough(task, await accountIn(deps, scope, named));
    if (found.ok || found.error.code === 'ACCOUNT_AMBIGUOUS') {
      // The handler says that there is no such buy: in the same words to everybody, however many accounts they have.
      if (named === undefined) return ok(undefined);
      const account = known.find((one) => isIn(named, one));
      if (account !== undefined) return letThrough(task, account);
    }
  }
  if (!found.ok) return err(refusalOf(found.error));
  if (found.value.kind === 'none') return ok(undefined);
  if (found.value.kind === 'known') return letThrough(task, found.value.account);
  return ok({ account: { id: deps.ports.ids.uuid(), ...found.value.account }, isNew: true });
}

/**
 * Questions that sellers answer with the prices of an account: what nobody issued has none
 * (docs/protocol/accounts.md#two-planes).
 */
const quoting: ReadonlySet<string> = new Set(['get_products', 'get_signals']);

/**
 * What keeps a question from the account that it names. One that names none is about the caller's own things alone, and
 * they are what their account says of each of them; so is one that nobody knows, where the answer has no prices in it.
 */
export async function requestedAccountOf(
  deps: HandlerDeps,
  scope: TenantScope,
  principal: PrincipalCaller,
  { task, request }: RequestOfTask,
): Promise<TaskError | undefined> {
  const { account: requested } = request as { readonly account?: AccountRef };
  if (requested === undefined) return undefined;
  const found = resolveAccount({
    requested,
    known: await deps.principals.accountsOf(scope, principal.principalId),
    organizationDomain: await deps.domainOf(scope),
    declareOnFirstUse: true,
  });
  if (!found.ok) return quoting.has(task) ? refusalOf(found.error) : undefined;
  return found.value.kind === 'known' ? heldBack(task, found.value.account) : undefined;
}

const howToName =
  'Send account: {brand: {domain}, operator}, or {account_id} from list_accounts, in whatever form; ext.switchyard.account is read as well.';

function refusalOf({ code, message, field }: AccountFailure): TaskError {
  return taskError(code, message, { field, suggestion: howToName });
}

/** The account of a colleague's buy: its owner's, with what holds it back. One that was closed holds nothing back. */
async function accountIn(
  { principals, ports }: HandlerDeps,
  scope: TenantScope,
  buy: MediaBuy,
): Promise<DeclaredAccount> {
  const known = await principals.accountsOf(scope, buy.principalId);
  const { domain, brand_id: brandId } = buy.brand;
  return (
    known.find((one) => isIn(buy, one)) ?? {
      id: ports.ids.uuid(),
      brandDomain: typeof domain === 'string' ? domain : '',
      brandId: typeof brandId === 'string' ? brandId : '',
      operator: buy.operator,
    }
  );
}

function letThrough(task: string, account: DeclaredAccount): Result<AccountFound, TaskError> {
  const held = heldBack(task, account);
  return held === undefined ? ok({ account, isNew: false }) : err(held);
}

function isIn({ brand, operator }: MediaBuy, account: DeclaredAccount): boolean {
  return (
    brand['domain'] === account.brandDomain &&
    (brand['brand_id'] ?? '') === account.brandId &&
    operator === account.operator
  );
}

function heldBack(task: string, { hold }: Pick<DeclaredAccount, 'hold'>): TaskError | undefined {
  const held = accountGate(task, hold ?? 'active');
  if (held === undefined) return undefined;
  const suggestion = 'Ask whoever runs this agent, or name another account.';
  return taskError(held.code, held.message, { field: 'account', suggestion });
}
