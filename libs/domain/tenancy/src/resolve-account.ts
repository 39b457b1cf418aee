import type { AccountRef, Brand, AccountStatus } from '@switchyard/protocol';
import { brandDomainOf, err, ok, storedDomain, type Result } from '@switchyard/values';
import type { DeclaredAccount } from './account-repository.js';

export interface AccountQuestion {
  /** The account as named in the request. */
  readonly requested?: AccountRef;
  /** The brand of a request that names no account, as in the `service` form. */
  readonly brand?: Brand;
  /** The accounts that the principal has declared. */
  readonly known: readonly DeclaredAccount[];
  /** The operator of a request that names only a brand: the organization's domain. */
  readonly organizationDomain: string;
  /** True in the local profile, where the first use of a pair declares it. */
  readonly declareOnFirstUse: boolean;
}

type AccountFinding =
  | { readonly kind: 'known'; readonly account: DeclaredAccount }
  | { readonly kind: 'declare'; readonly account: Omit<DeclaredAccount, 'id'> }
  /** The request names no account, and the principal has none. Reads accept this. */
  | { readonly kind: 'none' };

export interface AccountFailure {
  readonly code: 'ACCOUNT_NOT_FOUND' | 'ACCOUNT_AMBIGUOUS';
  readonly message: string;
  readonly field: string;
}

type Pair = Omit<DeclaredAccount, 'id'>;

/** Finds the account of a request, or returns why it was not found (docs/protocol/accounts.md#two-planes). */
export function resolveAccount(question: AccountQuestion): Result<AccountFinding, AccountFailure> {
  const { requested } = question;
  if (requested !== undefined && 'accountId' in requested) return byId(requested.accountId, question.known);
  if (requested !== undefined) {
    const pair = pairOf(requested.brand, requested.operator);
    if (pair === undefined)
      return notFound('account.brand', 'The account names no brand or operator by its domain.');
    return byPair(pair, question, 'account');
  }
  if (question.brand?.domain !== undefined) return byBrand(question.brand, question);
  return byDefault(question.known);
}

function byId(accountId: string, known: readonly DeclaredAccount[]): Result<AccountFinding, AccountFailure> {
  const account = known.find((candidate) => candidate.id === accountId);
  if (account === undefined) return notFound('account.account_id', 'No account of yours has this id.');
  return ok({ kind: 'known', account });
}

/** For a brand alone: its account if there is exactly one, with any operator. */
function byBrand(brand: Brand, question: AccountQuestion): Result<AccountFinding, AccountFailure> {
  const pair = pairOf(brand, question.organizationDomain);
  if (pair === undefined) return byDefault(question.known);
  const ofBrand = question.known.filter(
    (account) =>
      account.brandDomain === pair.brandDomain &&
      (brand.brandId === undefined || account.brandId === pair.brandId),
  );
  const [only, another] = ofBrand;
  if (only !== undefined && another === undefined) return ok({ kind: 'known', account: only });
  if (only === undefined) return byPair(pair, question, 'brand');
  const exact = ofBrand.find(
    (account) => account.brandId === pair.brandId && account.operator === pair.operator,
  );
  if (exact !== undefined) return ok({ kind: 'known', account: exact });
  return ambiguous();
}

function byPair(
  pair: Pair,
  question: AccountQuestion,
  field: string,
): Result<AccountFinding, AccountFailure> {
  const account = question.known.find(
    (candidate) =>
      candidate.brandDomain === pair.brandDomain &&
      candidate.brandId === pair.brandId &&
      candidate.operator === pair.operator,
  );
  if (account !== undefined) return ok({ kind: 'known', account });
  if (question.declareOnFirstUse) return ok({ kind: 'declare', account: pair });
  return notFound(
    field,
    'This brand and operator are not an account of yours. Declare it with sync_accounts.',
  );
}

function byDefault(known: readonly DeclaredAccount[]): Result<AccountFinding, AccountFailure> {
  const [only, another] = known;
  if (only === undefined) return ok({ kind: 'none' });
  return another === undefined ? ok({ kind: 'known', account: only }) : ambiguous();
}

/** Names separated by dots, as every release writes the domain of an account. */
const isDomain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

function pairOf(brand: Brand, operator: string): Pair | undefined {
  const [brandDomain, operatorDomain] = [brandDomainOf(brand.domain ?? ''), storedDomain(operator)];
  if (!isDomain.test(brandDomain) || !isDomain.test(operatorDomain)) return undefined;
  return { brandDomain, brandId: brand.brandId ?? '', operator: operatorDomain };
}

function notFound(field: string, message: string): Result<never, AccountFailure> {
  return err({ code: 'ACCOUNT_NOT_FOUND', message, field });
}

function ambiguous(): Result<never, AccountFailure> {
  return err({
    code: 'ACCOUNT_AMBIGUOUS',
    message: 'You have several accounts: name one, as account_id or as brand and operator.',
    field: 'account',
  });
}

/** Why an account blocks a task, as a code of the protocol. */
type GateCode =
  | 'ACCOUNT_SETUP_REQUIRED'
  | 'ACCOUNT_PAYMENT_REQUIRED'
  | 'ACCOUNT_SUSPENDED'
  | 'ACCOUNT_NOT_FOUND';

interface GateRefusal {
  readonly code: GateCode;
  readonly message: string;
}

/**
 * The account statuses that allow each task (docs/protocol/accounts.md#standing). A task that the page does not name is
 * treated like the most similar one: activating a signal spends money; get_signals shows what can be bought; feedback
 * concerns past delivery, as usage does. Polling, cancelling and tasks about accounts are always allowed.
 */
export const accountGates: Readonly<Record<string, readonly AccountStatus[] | 'always'>> = {
  create_media_buy: ['active'],
  activate_signal: ['active'],
  update_media_buy: ['active', 'payment_required'],
  sync_creatives: ['active', 'payment_required'],
  get_products: ['active', 'payment_required'],
  get_signals: ['active', 'payment_required'],
  get_media_buys: ['active', 'payment_required', 'suspended'],
  get_media_buy_delivery: ['active', 'payment_required', 'suspended'],
  list_creatives: ['active', 'payment_required', 'suspended'],
  provide_performance_feedback: ['active', 'payment_required', 'suspended'],
  report_usage: ['active', 'payment_required', 'suspended'],
  get_ads_capabilities: 'always',
  list_authorized_properties: 'always',
  list_creative_formats: 'always',
  list_accounts: 'always',
  sync_accounts: 'always',
  get_task: 'always',
  list_tasks: 'always',
  cancel_task: 'always',
};

/** Returns why this status blocks a task, or `undefined`. A task without a row needs an active account. */
export function accountGate(task: string, status: AccountStatus): GateRefusal | undefined {
  const lets = accountGates[task] ?? ['active'];
  return lets === 'always' || lets.includes(status) ? undefined : refusals[status];
}

/** A rejected or closed account is answered like one that does not exist (docs/protocol/accounts.md#two-planes). */
const gone: GateRefusal = { code: 'ACCOUNT_NOT_FOUND', message: 'You have no account with this id.' };

const refusals: Readonly<Record<AccountStatus, GateRefusal | undefined>> = {
  active: undefined,
  pending_approval: { code: 'ACCOUNT_SETUP_REQUIRED', message: 'The account is not set up yet.' },
  payment_required: {
    code: 'ACCOUNT_PAYMENT_REQUIRED',
    message: 'The account has an open payment; nothing more can be bought on it until it is paid.',
  },
  suspended: { code: 'ACCOUNT_SUSPENDED', message: 'The account is suspended.' },
  rejected: gone,
  closed: gone,
};
