import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { listed, withPages, type PageOptions } from '../../pages.js';

/** `delegations grant`, `list` and `revoke`: what a brand lets this relay do in its name. */
export function registerDelegations(program: Command, deps: CliDeps): void {
  const delegations = program.command('delegations').description('what brands allow this relay to forward');
  request(delegations, deps, 'grant', {
    describe: 'allow sealed requests of a principal to a seller',
    options: {
      '--principal <id>': needed('principal of the brand', 'principal_id'),
      '--seller <slug>': needed('at which seller'),
      '--tasks <names>': {
        help: 'which tasks: a,b',
        isNeeded: true,
        read: (text: string) => text.split(',').map((name) => name.trim()),
      },
      '--until <date>': needed('when it ends: a date, or a time with its offset'),
      '--budget <amount>': 'maximum sum of all buys under it',
      '--currency <code>': 'of the budget',
      '--evidence <text>': 'evidence that the brand agrees, if somebody else grants it',
    },
    route: 'POST /v1/delegations',
    text: ({ delegation_id: id }, { until }) => `Delegation ${cell(id)}, until ${until}.`,
  });
  withTarget(withPages(delegations.command('list')))
    .description('list delegations, newest first')
    .action(atInstance(deps, list));
  request(delegations, deps, 'revoke <id>', {
    describe: 'revoke a delegation, with effect from the next request',
    of: 'delegation id',
    options: { '--reason <text>': 'the reason, stored with the delegation' },
    route: 'DELETE /v1/delegations/{id}',
    text: (_, { id }) => `${id} is revoked, with effect from the next request.`,
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/delegations',
    name: 'delegations',
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
