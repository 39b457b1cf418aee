import { describe, expect, it } from '@jest/globals';
import { taskError, type RequestedAccount } from '@switchyard/protocol';
import type { AccountRecord } from './account-repository.js';
import { planAccounts } from './plan-accounts.js';

const pair = (brandDomain: string) => ({ brandDomain, brandId: '', operator: 'agency.example' });
const wish = (brandDomain: string, more: Partial<RequestedAccount> = {}): RequestedAccount => ({
  ...pair(brandDomain),
  billing: 'operator',
  sandbox: false,
  unused: [],
  ...more,
});
const record = (id: string, brandDomain: string, more: Partial<AccountRecord> = {}): AccountRecord => ({
  id,
  ...pair(brandDomain),
  isSandbox: false,
  createdAt: 0,
  ...more,
});
const plan = (
  requested: readonly RequestedAccount[],
  known: readonly AccountRecord[] = [],
  deleteMissing = false,
  allowsSandbox = false,
  liveBuys = new Map<string, readonly string[]>(),
) => planAccounts({ requested, known, deleteMissing, allowsSandbox, liveBuys, newId: () => 'new' });

describe('a declaration of accounts', () => {
  it('opens new accounts and keeps existing ones under their ids', () => {
    const { rows, change } = plan([wish('a.example'), wish('b.example')], [record('1', 'a.example')]);
    expect(rows.map(({ accountId, action }) => [accountId, action])).toEqual([
      ['1', 'unchanged'],
      ['new', 'created'],
    ]);
    expect(change.open.map(({ id }) => id)).toEqual(['new']);
  });

  it('closes missing accounts, except those with unfinished media buys, which it names', () => {
    const known = [record('1', 'a.example'), record('2', 'b.example'), record('3', 'c.example')];
    const { rows, change } = plan([wish('a.example')], known, true, false, new Map([['2', ['mb_1']]]));
    expect(change.close).toEqual(['3']);
    expect(rows.map(({ action, status }) => [action, status])).toEqual([
      ['unchanged', 'active'],
      ['failed', 'active'],
      ['updated', 'closed'],
    ]);
    expect(rows[1]?.errors).toMatchObject([{ code: 'INVALID_STATE', details: { media_buy_ids: ['mb_1'] } }]);
  });

  it('agrees to the terms of the sandbox market if every seller is a sandbox, and to no others', () => {
    const requested = [
      wish('a.example', { paymentTerms: 'net_30' }),
      wish('b.example', { paymentTerms: 'prepay' }),
    ];
    const { rows } = plan(requested, [], false, true);
    expect(rows.map(({ action }) => action)).toEqual(['created', 'failed']);
  });

  it('never replaces the requested billing party or terms', () => {
    const { rows, change } = plan([
      wish('a.example', { billing: 'agent' }),
      wish('b.example', { paymentTerms: 'net_30' }),
      wish('c.example'),
    ]);
    expect(rows.map(({ action, errors }) => [action, errors[0]?.code])).toEqual([
      ['failed', 'BILLING_NOT_SUPPORTED'],
      ['failed', 'PAYMENT_TERMS_NOT_SUPPORTED'],
      ['created', undefined],
    ]);
    expect(change.open).toHaveLength(1);
  });

  it('says which gate refused a billing party, and which parties it has', () => {
    const [row] = plan([wish('a.example', { billing: 'agent' })]).rows;
    expect(row?.errors[0]?.details).toEqual({ scope: 'capability', supported_billing: ['operator'] });
  });

  it('refuses a row with an event that is not sent here, and opens no account for it', () => {
    const notTold = taskError('UNSUPPORTED_FEATURE', 'It is not sent.', { field: 'notification_configs[0]' });
    const { rows, change } = plan([wish('a.example', { subscribers: [], notTold })]);
    expect(rows.map(({ action, errors }) => [action, errors[0]?.code, errors[0]?.field])).toEqual([
      ['failed', 'UNSUPPORTED_FEATURE', 'accounts[0].notification_configs[0]'],
    ]);
    expect(change.open).toEqual([]);
  });

  it('closes missing accounts only on request, and never those that a failed row names', () => {
    const known = [record('1', 'a.example'), record('2', 'b.example'), record('3', 'c.example')];
    const options = [wish('a.example'), wish('b.example', { billing: 'agent' })];
    expect(plan(options, known).change.close).toEqual([]);
    const { rows, change } = plan(options, known, true);
    expect(change.close).toEqual(['3']);
    expect(rows.at(-1)).toMatchObject({ accountId: '3', action: 'updated', status: 'closed' });
  });

  it('shows the status of a suspended account, and does not close it: declared again it would be open', () => {
    const known = [
      record('1', 'a.example', { hold: 'suspended' }),
      record('2', 'b.example', { hold: 'payment_required' }),
      record('3', 'c.example', { hold: 'suspended' }),
    ];
    const options = [wish('a.example')];
    const { rows, change } = plan(options, known, true);
    expect(rows.map(({ action, status, errors }) => [action, status, errors[0]?.code])).toEqual([
      ['unchanged', 'suspended', undefined],
      ['failed', 'payment_required', 'INVALID_STATE'],
      ['failed', 'suspended', 'INVALID_STATE'],
    ]);
    expect(change.close).toEqual([]);
  });

  it('gives a pair that was closed another id', () => {
    const { rows } = plan([wish('a.example')], [record('1', 'a.example', { closedAt: 7 })]);
    expect(rows).toMatchObject([{ accountId: 'new', action: 'created' }]);
  });

  it('does not use sandbox accounts where money is spent', () => {
    const practice = [wish('a.example', { sandbox: true })];
    expect(plan(practice).rows).toMatchObject([
      { action: 'failed', errors: [{ code: 'UNSUPPORTED_PROVISIONING' }] },
    ]);
    expect(plan(practice, [], false, true).rows).toMatchObject([{ action: 'created', isSandbox: true }]);
  });

  it('warns of every ignored member', () => {
    const { rows } = plan([wish('a.example', { unused: ['billing_entity', 'notification_configs'] })]);
    expect(rows[0]?.warnings).toHaveLength(2);
  });
});
