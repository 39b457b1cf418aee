import type { AccountStatus } from '@switchyard/protocol';

/** Why an account blocks a task, as a code of the protocol. */
type GateCode =
  'ACCOUNT_SETUP_REQUIRED' | 'ACCOUNT_PAYMENT_REQUIRED' | 'ACCOUNT_SUSPENDED' | 'ACCOUNT_NOT_FOUND';

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
