import { Option, type Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { getPages, shownPage, withPages, type PageOptions } from '../../pages.js';

interface GrantOptions extends TargetOptions {
  readonly principal: string;
  readonly seller: string;
  readonly tasks: string;
  readonly until: string;
  readonly budget?: string;
  readonly currency?: string;
  readonly evidence?: string;
}

interface ListOptions extends PageOptions {
  readonly principal?: string;
  readonly seller?: string;
  readonly state?: string;
}

interface RevokeOptions extends TargetOptions {
  readonly reason?: string;
}

/** `delegations grant`, `list` and `revoke`: what a brand lets this relay do in its name. */
export function registerDelegations(program: Command, deps: CliDeps): void {
  const delegations = program.command('delegations').description('what brands let this relay do for them');
  withTarget(delegations.command('grant'))
    .description('let sealed requests of a principal through to a seller')
    .requiredOption('--principal <id>', 'in whose name')
    .requiredOption('--seller <slug>', 'at which seller')
    .requiredOption('--tasks <names>', 'which tasks: a,b')
    .requiredOption('--until <date>', 'when it ends: a date, or a time with its offset')
    .option('--budget <amount>', 'caps the sum of all buys under it')
    .option('--currency <code>', 'of the budget')
    .option('--evidence <text>', 'what shows that the brand wants it, where somebody else grants')
    .action(async (options: GrantOptions) => finish(deps, options, await grant(deps, options)));
  withTarget(withPages(delegations.command('list')))
    .description('list delegations, newest first')
    .option('--principal <id>', 'of this principal alone')
    .option('--seller <slug>', 'to this seller alone')
    .addOption(new Option('--state <state>', 'only those').choices(['active', 'expired', 'revoked']))
    .action(async (options: ListOptions) => finish(deps, options, await list(deps, options)));
  withTarget(delegations.command('revoke'))
    .description('take a delegation back; holds from the next request on')
    .argument('<id>', 'delegation id')
    .option('--reason <text>', 'why: it is kept with the delegation')
    .action(async (id: string, options: RevokeOptions) =>
      finish(deps, options, await revoke(deps, id, options)),
    );
}

function grant(deps: CliDeps, options: GrantOptions): Promise<Outcome> {
  const { principal, seller, tasks, until, budget, currency, evidence } = options;
  const row: JsonObject = {
    principal_id: principal,
    seller,
    tasks: tasks.split(',').map((name) => name.trim()),
    until,
    ...(budget === undefined ? {} : { budget }),
    ...(currency === undefined ? {} : { currency }),
    ...(evidence === undefined ? {} : { evidence }),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/delegations', row);
    if (!answer.ok) return answer;
    const { delegation_id: id } = answer.value;
    return ok({ json: { delegation_id: id ?? null }, text: `Delegation ${cell(id)}, until ${until}.` });
  });
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const { principal, seller, state } = options;
    const query = { principal_id: principal, seller, state };
    const page = await getPages(instance, { path: '/v1/delegations', name: 'delegations' }, query, options);
    if (!page.ok) return page;
    const rows = page.value.rows.map((one) => [
      one['delegation_id'],
      one['principal_id'],
      one['seller'],
      Array.isArray(one['tasks']) ? one['tasks'].map(cell).join(', ') : '',
      one['state'],
      one['until'],
      one['budget'] === null
        ? ''
        : `${cell(one['committed'])} of ${cell(one['budget'])} ${cell(one['currency'])}`,
    ]);
    const head = ['Delegation', 'Principal', 'Seller', 'Tasks', 'State', 'Until', 'Committed'];
    const text = rows.length === 0 ? 'There are no delegations.' : table(deps, head, rows);
    return shownPage(page.value, text);
  });
}

function revoke(deps: CliDeps, id: string, options: RevokeOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const query = options.reason === undefined ? '' : `?reason=${encodeURIComponent(options.reason)}`;
    const answer = await instance.remove(`/v1/delegations/${encodeURIComponent(id)}${query}`);
    if (!answer.ok) return answer;
    return ok({ json: answer.value, text: `${id} is revoked, from the next request on.` });
  });
}
