import { findBuy, type BuyNamed, type MediaBuy, queryBuys, type AccountsAt } from '@switchyard/buys';
import {
  taskError,
  updateMediaBuy,
  type AccountRef,
  type Brand,
  type TaskError,
  listAccounts,
  type ListAccountsRequest,
  type AnyTaskSpec,
} from '@switchyard/protocol';
import {
  accountGate,
  resolveAccount,
  type AccountFailure,
  type DeclaredAccount,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, ok, type Result, isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandlerDeps, HandledCall } from '../call/handler.js';
import { type PrincipalCaller, scopeOf, type Caller } from '../call/task-call.js';
import { reachOfTask, mayActForNamed } from './reach-of-task.js';
import type { Connection } from '@switchyard/sellers';

/** The account of a mutation. A new one is declared only once the mutation was accepted. */
interface AccountFound {
  readonly account: DeclaredAccount;
  readonly isNew: boolean;
}

interface RequestOfTask {
  readonly task: string;
  readonly request: unknown;
}

/**
 * The account of a mutation: a declared one, or one that its first use declares (docs/protocol/accounts.md#two-planes),
 * if its standing allows the task (docs/protocol/accounts.md#standing). A change of a buy is for the buy's account,
 * whether or not the request names one: otherwise naming another account would bypass a hold.
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
    const named = (await findBuy(deps.ports.store, scope, reaching, request as BuyNamed))?.buy;
    if (named !== undefined && named.principalId !== principal.principalId)
      return letThrough(task, await accountIn(deps, scope, named));
    if (found.ok || found.error.code === 'ACCOUNT_AMBIGUOUS') {
      // The handler reports a missing buy: in the same words for everybody, with any number of accounts.
      if (named === undefined) return ok(undefined);
      const account = known.find((declaredAccount) => isIn(named, declaredAccount));
      if (account !== undefined) return letThrough(task, account);
    }
  }
  if (!found.ok) return err(refusalOf(found.error));
  if (found.value.kind === 'none') return ok(undefined);
  if (found.value.kind === 'known') return letThrough(task, found.value.account);
  return ok({ account: { id: deps.ports.ids.uuid(), ...found.value.account }, isNew: true });
}

/**
 * Reads that sellers answer with the prices of an account: an unknown account has none
 * (docs/protocol/accounts.md#two-planes).
 */
const quoting: ReadonlySet<string> = new Set(['get_products', 'get_signals']);

/**
 * Why a read may not use the account that it names. A read without one is only about the caller's own objects, each
 * with its own account; so is one with an unknown account, if the answer contains no prices.
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

const howToNameAccount =
  'Send account: {brand: {domain}, operator}, or {account_id} from list_accounts, in any protocol version; ext.switchyard.account is read as well.';

function refusalOf({ code, message, field }: AccountFailure): TaskError {
  return taskError(code, message, { field, suggestion: howToNameAccount });
}

/** The account of a colleague's buy: its owner's, with its hold. A closed account has no hold. */
async function accountIn(
  { principals, ports }: HandlerDeps,
  scope: TenantScope,
  buy: MediaBuy,
): Promise<DeclaredAccount> {
  const known = await principals.accountsOf(scope, buy.principalId);
  const { domain, brand_id: brandId } = buy.brand;
  return (
    known.find((account) => isIn(buy, account)) ?? {
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
  const suggestion = 'Ask the operator of this agent, or use another account.';
  return taskError(held.code, held.message, { field: 'account', suggestion });
}

/** How long a buy waits for sellers to report the status of our accounts, in milliseconds. */
const standingTimeoutMs = 3_000;

/** Reads the status of our accounts from sellers that have the task. A seller without an answer is left out. */
export function accountsAt(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { call, scope, principal }: Pick<HandledCall<unknown>, 'call' | 'scope' | 'principal'>,
): AccountsAt {
  return async (connections) => {
    const requested = connections.filter(({ tools }) => Object.hasOwn(tools ?? {}, listAccounts.name));
    const questions = new Map<Connection, ListAccountsRequest>(
      requested.map((connection) => [connection, { maxResults: 100 }]),
    );
    const query = {
      scope,
      deadlineMs: standingTimeoutMs,
      signal: call.signal,
      ...(principal === undefined ? {} : { principalId: principal.principalId }),
    };
    const { legs } = await queryBuys(ports, query, {
      spec: listAccounts,
      requests: questions,
      count: ({ accounts }) => accounts.length,
    });
    return new Map(legs.map(({ connection, answer }) => [connection.id, answer?.accounts ?? []]));
  };
}

/**
 * The arguments with the domain of a brand that they name by its `brand_id` alone. It is looked up among the accounts of
 * the caller and the brands that its organization has entered, as far as the caller may act for them
 * (docs/protocol/accounts.md#brands-by-their-id). A brand of nobody and one that is not for this caller are the same
 * error: without it the request would be for the only account of the caller, which may be of another brand.
 */
export async function withBrandDomain(
  { principals, ports: { campaigns } }: Pick<HandlerDeps, 'principals' | 'ports'>,
  caller: Caller,
  spec: AnyTaskSpec,
  args: JsonObject,
): Promise<Result<JsonObject, TaskError>> {
  const { brand, brand_manifest: manifest } = args;
  const id = isJsonObject(brand) ? brand['brand_id'] : undefined;
  const isNamed = !isJsonObject(brand) || brand['domain'] !== undefined || manifest !== undefined;
  if (caller.kind === 'public' || isNamed || typeof id !== 'string' || id === '') return ok(args);
  const scope = scopeOf(caller);
  const own = (await principals.accountsOf(scope, caller.principalId))
    .filter(({ brandId }) => brandId === id)
    .map(({ brandDomain }) => brandDomain);
  const domains = new Set(own);
  for (const { domain, clientId } of (await campaigns?.brandsWithId(scope, id)) ?? []) {
    const named = { brandDomain: domain, brandId: id, clientId };
    if (!domains.has(domain) && (await mayActForNamed(campaigns, caller, spec, named))) domains.add(domain);
  }
  const [domain, another] = domains;
  if (domain === undefined) return err(unknownBrand);
  return another === undefined ? ok({ ...args, brand: { ...brand, domain } }) : err(ambiguousBrand);
}

const aboutBrand = {
  field: 'brand.brand_id',
  suggestion: 'Name the brand by its domain as well: {domain, brand_id}.',
};
const unknownBrand = taskError('REFERENCE_NOT_FOUND', 'You have no brand with this id.', aboutBrand);
const ambiguousBrand = taskError('INVALID_REQUEST', 'Several of your brands have this id.', aboutBrand);
