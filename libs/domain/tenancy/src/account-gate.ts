import type { AccountStatus } from '@switchyard/protocol';

/** Why an account lets nothing through, in the codes of the protocol. */
export type GateCode =
  'ACCOUNT_SETUP_REQUIRED' | 'ACCOUNT_PAYMENT_REQUIRED' | 'ACCOUNT_SUSPENDED' | 'ACCOUNT_NOT_FOUND';

export interface GateRefusal {
  readonly code: GateCode;
  readonly message: string;
}

/**
 * What an account's status has to be for each task (docs/protocol/accounts.md#standing). A task that is not named there
 * stands with the one it is like: to activate a signal is to spend; to ask for signals or formats is to look at what
 * could be bought; feedback tells of what ran, as usage does. What calls work off, or is about the accounts themselves,
 * is never held back.
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

/** What keeps a task from an account of this status, if anything does. A task without a row asks for an active one. */
export function accountGate(task: string, status: AccountStatus): GateRefusal | undefined {
  const lets = accountGates[task] ?? ['active'];
  return lets === 'always' || lets.includes(status) ? undefined : refusals[status];
}

/** One that was turned down or closed tells no more than one that never was (docs/protocol/accounts.md#two-planes). */
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
