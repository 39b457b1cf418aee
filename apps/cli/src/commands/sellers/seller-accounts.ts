import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { listed, tableOf, type Columns, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SellerOptions extends TargetOptions {
  readonly seller: string;
}

interface UseOptions extends SellerOptions {
  readonly client: string;
  readonly account: string;
}

/** `accounts sync|use|release --seller SLUG`: our accounts at a seller, and which client buys in which. */
export function registerSellerAccounts(accounts: Command, deps: CliDeps): void {
  const subcommand = (name: string, description: string): Command =>
    withTarget(accounts.command(name))
      .description(description)
      .requiredOption('--seller <slug>', 'the seller');
  subcommand('sync', 'ask a seller for our accounts there now').action(atInstance(deps, sync));
  subcommand('use', 'let the brands of a client buy in an account at a seller')
    .requiredOption('--client <id>', 'id of the client')
    .requiredOption('--account <id>', "the seller's id of the account")
    .action(atInstance(deps, use));
  subcommand('release', 'take the account at a seller from a client; running buys stay in it')
    .requiredOption('--client <id>', 'id of the client')
    .action(atInstance(deps, release));
}

const pathOf = (slug: string, act = ''): string => `/v1/sellers/${encodeURIComponent(slug)}/accounts${act}`;

const clientsOf = ({ clients, is_default: isDefault }: JsonObject): string =>
  [
    ...objectsIn(clients).map(({ client }) => cell(client)),
    ...(isDefault === true ? ['those without one of their own'] : []),
  ].join(', ');

const columns: Columns = {
  Account: 'account_id',
  Name: 'name',
  Status: ({ status, missing_since: missing }) =>
    missing === undefined ? status : `${cell(status)}, not listed now`,
  Brand: 'brand_domain',
  Operator: 'operator',
  Billing: 'billing',
  Clients: clientsOf,
};

const none = 'The seller lists no account to us.';

/** `accounts list --seller SLUG`. */
export function listAtSeller(at: At<PageOptions>, seller: string): Promise<Outcome> {
  return listed(at, { path: pathOf(seller), name: 'accounts', columns, none, isAnswer: true });
}

function sync({ deps, instance, options }: At<SellerOptions>): Promise<Outcome> {
  return shown(instance.post(pathOf(options.seller, '/sync'), {}), (answer) => {
    const accounts = objectsIn(answer['accounts']);
    if (accounts.length === 0) return none;
    const changed = objectsIn(answer['changed']).map(
      ({ account_id: id, from, to }) => `${cell(id)} was ${cell(from)} and is ${cell(to)}.`,
    );
    return [tableOf(deps, columns, accounts), ...changed].join('\n');
  });
}

function use({ instance, options }: At<UseOptions>): Promise<Outcome> {
  const { seller, client, account } = options;
  return shown(
    instance.post(pathOf(seller, '/use'), { client, account_id: account }),
    () => `The client buys in the account ${cell(account)} at ${cell(seller)} from now on.`,
  );
}

function release({ instance, options }: At<Omit<UseOptions, 'account'>>): Promise<Outcome> {
  const { seller, client } = options;
  return shown(
    instance.post(pathOf(seller, '/release'), { client }),
    () => `The client has no account of its own at ${cell(seller)} any more.`,
  );
}
