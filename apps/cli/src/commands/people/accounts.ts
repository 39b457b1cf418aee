import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { listedByTask, withPages, type PageOptions } from '../../pages.js';
import { listAtSeller, registerSellerAccounts } from '../sellers/seller-accounts.js';

interface ListOptions extends PageOptions {
  readonly status?: string;
  readonly seller?: string;
}

/** `accounts list`: the pairs that the caller has declared. `accounts set`: one of anybody. */
export function registerAccounts(program: Command, deps: CliDeps): void {
  const accounts = program.command('accounts').description('your accounts: pairs of brand and operator');
  withTarget(withPages(accounts.command('list')))
    .description('list your accounts, oldest first; with --seller ours at that seller')
    .option('--status <status>', 'only these: active or closed')
    .option('--seller <slug>', 'our accounts at this seller, with the clients that buy in them')
    .action(atInstance(deps, list));
  request(accounts, deps, 'set <id>', {
    describe: 'suspend an account, or reactivate it',
    of: 'account id',
    options: {
      '--status <status>': {
        help: 'the new status',
        isNeeded: true,
        words: ['active', 'payment_required', 'suspended'],
      },
      '--reason <text>': needed('the reason, stored with the account'),
    },
    route: 'POST /v1/accounts/{id}/status',
    text: ({ status }, { id }) => `Account ${id} is ${cell(status)}.`,
  });
  registerSellerAccounts(accounts, deps);
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { status, seller } = at.options;
  if (seller !== undefined) return listAtSeller(at, seller);
  const brandOf = (row: JsonObject) => row['brand'] as JsonObject | undefined;
  return listedByTask(at, {
    task: 'list_accounts',
    args: status === undefined ? {} : { status },
    name: 'accounts',
    isAnswer: true,
    columns: {
      Account: 'account_id',
      Brand: (row) => brandOf(row)?.['domain'],
      'Its id': (row) => brandOf(row)?.['brand_id'],
      Operator: 'operator',
      Status: 'status',
    },
    none: 'No account matches.',
  });
}
