import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { sellerProgress } from '../seller-progress.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface ListOptions extends TargetOptions {
  readonly status?: string;
  readonly cursor?: string;
}

/** `accounts list`: the pairs of brand and operator that the caller has declared. */
export function registerAccounts(program: Command, deps: CliDeps): void {
  const accounts = program.command('accounts').description('your accounts: pairs of brand and operator');
  withTarget(accounts.command('list'))
    .description('list your accounts, oldest first')
    .option('--status <status>', 'only these: active or closed')
    .option('--cursor <cursor>', 'the next page, as the one before names it')
    .action(async (options: ListOptions) => {
      finish(deps, options, await list(deps, options));
    });
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  const { status, cursor } = options;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task(
      'list_accounts',
      {
        adcp_version: '3.1',
        ...(status === undefined ? {} : { status }),
        ...(cursor === undefined ? {} : { pagination: { cursor } }),
      },
      sellerProgress(deps),
    );
    if (!answer.ok) return answer;
    const { body } = answer.value;
    const rows = objectsIn(body['accounts']).map((one) => {
      const brand = one['brand'] as JsonObject | undefined;
      return [one['account_id'], brand?.['domain'], brand?.['brand_id'], one['operator'], one['status']];
    });
    const page = body['pagination'] as JsonObject | undefined;
    const more = typeof page?.['cursor'] === 'string' ? `\nMore: --cursor ${cell(page['cursor'])}` : '';
    const text =
      rows.length === 0
        ? 'No account of yours is like this.'
        : table(deps, ['Account', 'Brand', 'Its id', 'Operator', 'Status'], rows) + more;
    return ok({ json: body, text });
  });
}
