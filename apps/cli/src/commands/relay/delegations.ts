import { Option, type Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listed, withPages, type PageOptions } from '../../pages.js';

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
  const delegations = program.command('delegations').description('what brands allow this relay to forward');
  withTarget(delegations.command('grant'))
    .description('allow sealed requests of a principal to a seller')
    .requiredOption('--principal <id>', 'principal of the brand')
    .requiredOption('--seller <slug>', 'at which seller')
    .requiredOption('--tasks <names>', 'which tasks: a,b')
    .requiredOption('--until <date>', 'when it ends: a date, or a time with its offset')
    .option('--budget <amount>', 'maximum sum of all buys under it')
    .option('--currency <code>', 'of the budget')
    .option('--evidence <text>', 'evidence that the brand agrees, if somebody else grants it')
    .action(atInstance(deps, grant));
  withTarget(withPages(delegations.command('list')))
    .description('list delegations, newest first')
    .option('--principal <id>', 'only those of this principal')
    .option('--seller <slug>', 'only those to this seller')
    .addOption(new Option('--state <state>', 'only those').choices(['active', 'expired', 'revoked']))
    .action(atInstance(deps, list));
  withTarget(delegations.command('revoke'))
    .description('revoke a delegation, with effect from the next request')
    .argument('<id>', 'delegation id')
    .option('--reason <text>', 'the reason, stored with the delegation')
    .action(atInstance(deps, revoke));
}

async function grant({ instance, options }: At<GrantOptions>): Promise<Outcome> {
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
  const answer = await instance.post('/v1/delegations', row);
  if (!answer.ok) return answer;
  const { delegation_id: id } = answer.value;
  return ok({ json: { delegation_id: id ?? null }, text: `Delegation ${cell(id)}, until ${until}.` });
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { principal, seller, state } = at.options;
  return listed(at, {
    path: '/v1/delegations',
    name: 'delegations',
    query: { principal_id: principal, seller, state },
    columns: {
      Delegation: 'delegation_id',
      Principal: 'principal_id',
      Seller: 'seller',
      Tasks: (row) => (Array.isArray(row['tasks']) ? row['tasks'].map(cell).join(', ') : ''),
      State: 'state',
      Until: 'until',
      Committed: (row) =>
        row['budget'] === null
          ? ''
          : `${cell(row['committed'])} of ${cell(row['budget'])} ${cell(row['currency'])}`,
    },
    none: 'There are no delegations.',
  });
}

function revoke({ instance, options }: At<RevokeOptions>, id: string): Promise<Outcome> {
  const query = options.reason === undefined ? '' : `?reason=${encodeURIComponent(options.reason)}`;
  return shown(
    instance.remove(`/v1/delegations/${encodeURIComponent(id)}${query}`),
    () => `${id} is revoked, with effect from the next request.`,
  );
}
