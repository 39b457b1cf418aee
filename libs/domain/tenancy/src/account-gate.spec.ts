import { describe, expect, it } from '@jest/globals';
import { tasks, type AccountStatus } from '@switchyard/protocol';
import { accountGate, accountGates } from './resolve-account.js';

/** Read as the page has it: `.` lets through, else the first letters of the code. */
const statuses: readonly AccountStatus[] = [
  'active',
  'payment_required',
  'suspended',
  'pending_approval',
  'rejected',
  'closed',
];
const table: Readonly<Record<string, string>> = {
  //                            active pay  susp setup rej  closed
  create_media_buy: '.   PAY  SUSP SETUP GONE GONE',
  activate_signal: '.   PAY  SUSP SETUP GONE GONE',
  update_media_buy: '.   .    SUSP SETUP GONE GONE',
  sync_creatives: '.   .    SUSP SETUP GONE GONE',
  get_products: '.   .    SUSP SETUP GONE GONE',
  get_signals: '.   .    SUSP SETUP GONE GONE',
  get_media_buys: '.   .    .    SETUP GONE GONE',
  get_media_buy_delivery: '.   .    .    SETUP GONE GONE',
  list_creatives: '.   .    .    SETUP GONE GONE',
  provide_performance_feedback: '.   .    .    SETUP GONE GONE',
  report_usage: '.   .    .    SETUP GONE GONE',
  get_ads_capabilities: '. . . . . .',
  list_authorized_properties: '. . . . . .',
  list_creative_formats: '. . . . . .',
  list_accounts: '. . . . . .',
  sync_accounts: '. . . . . .',
  get_task: '. . . . . .',
  list_tasks: '. . . . . .',
  cancel_task: '. . . . . .',
};
const codes: Readonly<Record<string, string | undefined>> = {
  '.': undefined,
  PAY: 'ACCOUNT_PAYMENT_REQUIRED',
  SUSP: 'ACCOUNT_SUSPENDED',
  SETUP: 'ACCOUNT_SETUP_REQUIRED',
  GONE: 'ACCOUNT_NOT_FOUND',
};
const cells = Object.entries(table).flatMap(([task, row]) =>
  row.split(/ +/).map((cell, at) => [task, statuses[at] ?? 'active', codes[cell]] as const),
);

describe('the tasks that an account allows', () => {
  it.each(cells)('R34: %s with an account that is %s: %s', (task, status, code) => {
    expect(accountGate(task, status)?.code).toBe(code);
  });

  it('have a row for every existing task, and for no other', () => {
    const names = tasks.map(({ name }) => name).toSorted();
    expect(Object.keys(accountGates).toSorted()).toEqual(names);
    expect(Object.keys(table).toSorted()).toEqual(names);
  });

  it('need an active account for a task without a row', () => {
    expect(accountGate('a_task_to_come', 'payment_required')?.code).toBe('ACCOUNT_PAYMENT_REQUIRED');
  });
});
