import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listedByTask, withPages, type PageOptions } from '../../pages.js';
import { listAtSeller, registerSellerAccounts } from '../sellers/seller-accounts.js';

interface SetOptions extends TargetOptions {
  readonly status: string;
  readonly reason: string;
}

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
  withTarget(accounts.command('set'))
    .description('suspend an account, or reactivate it')
    .argument('<id>', 'account id')
    .addOption(
      new Option('--status <status>', 'the new status')
        .choices(['active', 'payment_required', 'suspended'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'the reason, stored with the account')
    .action(atInstance(deps, set));
  registerSellerAccounts(accounts, deps);
}

function set({ instance, options }: At<SetOptions>, id: string): Promise<Outcome> {
  const { status, reason } = options;
  return shown(
    instance.post(`/v1/accounts/${encodeURIComponent(id)}/status`, { status, reason }),
    (answer) => `Account ${cell(id)} is ${cell(answer['status'])}.`,
  );
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
