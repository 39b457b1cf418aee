import type { RequestedAccount, SyncedAccount, TaskError } from '@switchyard/protocol';
import { taskError } from '@switchyard/protocol';
import type { AccountChange, AccountRecord, NewAccount } from './account-repository.js';

interface AccountsRequest {
  readonly requested: readonly RequestedAccount[];
  readonly deleteMissing: boolean;
  /** The principal's accounts, open and closed. */
  readonly known: readonly AccountRecord[];
  /** Media buys that have not ended, by account id. */
  readonly liveBuys: ReadonlyMap<string, readonly string[]>;
  /** True if all sellers are practice sellers. Only then may an account be a sandbox account. */
  readonly allowsSandbox: boolean;
  /** A refusal or a warning from the brand's list of operators, by the index of the wish. */
  readonly words?: ReadonlyMap<number, BrandWord>;
  /** Returns an id for a new account; called in the order of the wishes. */
  readonly newId: () => string;
}

export interface BrandWord {
  readonly refusal?: TaskError;
  readonly warning?: string;
}

interface AccountsPlan {
  readonly rows: readonly SyncedAccount[];
  readonly change: AccountChange;
}

/**
 * Decides the result of each row of a declaration (docs/protocol/accounts.md#two-planes). Pure: a dry run shows the
 * plan and stores nothing.
 * Rows are independent. A row that cannot be accepted as written fails with an error: another party to bill or other
 * terms are never substituted (docs/protocol/accounts.md#declared-accounts).
 */
export function planAccounts(query: AccountsRequest): AccountsPlan {
  const open = query.known.filter((account) => account.closedAt === undefined);
  const opened: NewAccount[] = [];
  const stored = new Set<string>();
  const rows = query.requested.map((requested, at): SyncedAccount => {
    const known = open.find((candidate) => isMeant(candidate, requested));
    // A failed row is not missing: its account stays open.
    if (known !== undefined) stored.add(known.id);
    const word = query.words?.get(at);
    const fault = faultOf(requested, at, known, query.allowsSandbox) ?? word?.refusal;
    if (fault !== undefined) return failed(requested, known, fault);
    const account: NewAccount = known ?? {
      ...pairOf(requested),
      id: query.newId(),
      isSandbox: requested.sandbox,
    };
    if (known === undefined) opened.push(account);
    const warnings = [...warningsOf(requested), ...(word?.warning === undefined ? [] : [word.warning])];
    return { ...rowOf(account, known === undefined ? 'created' : 'unchanged', known?.hold), warnings };
  });
  const missing = query.deleteMissing ? open.filter((account) => !stored.has(account.id)) : [];
  const closing = missing.filter((account) => !query.liveBuys.has(account.id) && account.hold === undefined);
  const ends = missing.map((account): SyncedAccount =>
    closing.includes(account)
      ? { ...rowOf(account, 'updated'), status: 'closed' }
      : inUse(account, query.liveBuys),
  );
  return { rows: [...rows, ...ends], change: { open: opened, close: closing.map(({ id }) => id) } };
}

/**
 * Closing is final: nobody could read or stop a media buy that still runs. A held account must become active before its
 * buyer can close it, because the same pair declared again would be a new account without the hold.
 */
function inUse(account: AccountRecord, liveBuys: AccountsRequest['liveBuys']): SyncedAccount {
  const row = rowOf(account, 'failed', account.hold);
  if (!liveBuys.has(account.id)) {
    const why =
      account.hold === 'suspended'
        ? 'It is suspended, and is not closed before that is lifted.'
        : 'It must be paid before it can be closed.';
    return { ...row, errors: [taskError('INVALID_STATE', why)] };
  }
  const error = taskError('INVALID_STATE', 'It has media buys that are not over, and stays open.', {
    suggestion: 'Cancel them or wait for their end, and declare what is left once more.',
    details: { media_buy_ids: [...(liveBuys.get(account.id) ?? [])] },
  });
  return { ...row, errors: [error] };
}

/** Payment terms that are accepted if all sellers are practice sellers. */
const practiceTerms = 'net_30';

function isMeant(account: AccountRecord, requested: RequestedAccount): boolean {
  if (requested.account !== undefined && 'accountId' in requested.account)
    return account.id === requested.account.accountId;
  const { brandDomain, brandId, operator } = pairOf(requested);
  return account.brandDomain === brandDomain && account.brandId === brandId && account.operator === operator;
}

/** Returns the pair that the row names, directly or in its account reference. */
function pairOf(requested: RequestedAccount): Pick<AccountRecord, 'brandDomain' | 'brandId' | 'operator'> {
  const { account } = requested;
  if (account === undefined || 'accountId' in account)
    return { brandDomain: requested.brandDomain, brandId: requested.brandId, operator: requested.operator };
  return {
    brandDomain: (account.brand.domain ?? '').toLowerCase(),
    brandId: account.brand.brandId ?? '',
    operator: account.operator.toLowerCase(),
  };
}

function faultOf(
  requested: RequestedAccount,
  at: number,
  known: AccountRecord | undefined,
  allowsSandbox: boolean,
): TaskError | undefined {
  const field = (name: string): string => `accounts[${at}].${name}`;
  if (requested.account !== undefined && known === undefined)
    return taskError('ACCOUNT_NOT_FOUND', 'You have no account with this id.', { field: field('account') });
  if (requested.billing !== undefined && requested.billing !== 'operator') {
    const suggestion = 'Declare it with billing operator.';
    return taskError('BILLING_NOT_SUPPORTED', 'Only the operator can be billed here.', {
      field: field('billing'),
      suggestion,
      details: { scope: 'capability', supported_billing: ['operator'] },
    });
  }
  if (requested.notTold !== undefined)
    return { ...requested.notTold, field: field(requested.notTold.field ?? 'notification_configs') };
  // The sandbox market bills nobody, so it accepts the most common terms.
  const isAgreed = allowsSandbox && requested.paymentTerms === practiceTerms;
  if (requested.paymentTerms !== undefined && !isAgreed) {
    const suggestion = 'Leave payment_terms out: they are between you and each seller.';
    return taskError('PAYMENT_TERMS_NOT_SUPPORTED', 'No terms of payment are agreed here.', {
      field: field('payment_terms'),
      suggestion,
    });
  }
  const isOther =
    known !== undefined && requested.account === undefined && known.isSandbox !== requested.sandbox;
  if ((requested.sandbox && !allowsSandbox) || isOther) {
    const suggestion = 'Declare the pair without a change of sandbox.';
    return taskError('UNSUPPORTED_PROVISIONING', 'An account cannot be for practice here, or change to it.', {
      field: field('sandbox'),
      suggestion,
    });
  }
  return undefined;
}

function warningsOf({ unused }: RequestedAccount): readonly string[] {
  return unused.map((name) => `${name} was not stored: this platform does not bill per account.`);
}

function rowOf(
  account: NewAccount,
  action: SyncedAccount['action'],
  status: SyncedAccount['status'] = 'active',
): SyncedAccount {
  const { brandDomain, brandId, operator, isSandbox } = account;
  return {
    accountId: account.id,
    brandDomain,
    brandId,
    operator,
    action,
    status,
    billing: 'operator',
    isSandbox,
    errors: [],
    warnings: [],
  };
}

/** The row of a failed wish: a pair without an account is `rejected`; a known account keeps its status. */
function failed(
  requested: RequestedAccount,
  known: AccountRecord | undefined,
  error: TaskError,
): SyncedAccount {
  const pair = known ?? pairOf(requested);
  return {
    ...(known === undefined ? {} : { accountId: known.id }),
    brandDomain: pair.brandDomain,
    brandId: pair.brandId,
    operator: pair.operator,
    action: 'failed',
    status: known === undefined ? 'rejected' : (known.hold ?? 'active'),
    isSandbox: known?.isSandbox ?? requested.sandbox,
    errors: [error],
    warnings: [],
  };
}
