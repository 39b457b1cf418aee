import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';

/** `tolerances set|remove`: how much an invoice may differ before it is a break. */
export function registerTolerances(program: Command, deps: CliDeps): void {
  const tolerances = program
    .command('tolerances')
    .description('tolerances: how much an invoice may differ from the delivery');
  request(tolerances, deps, 'set', {
    describe: 'set the tolerance of a seller, a client, both, or all; the most specific one holds',
    options: {
      '--seller <slug>': 'of one seller',
      '--client <id>': { help: 'of one client', member: 'client_id' },
      '--absolute <amount>': needed('in units of the currency'),
      '--percent <percent>': needed('of what was delivered, two decimals at most; the greater of both holds'),
    },
    route: 'POST /v1/tolerances',
    text: ({ tolerance_id: id, absolute, percent }) =>
      `${cell(id)} tolerates ${cell(absolute)} or ${cell(percent)} %.`,
  });
  request(tolerances, deps, 'remove <id>', {
    describe: 'remove a tolerance',
    of: 'tolerance id',
    route: 'DELETE /v1/tolerances/{id}',
    text: (_, { id }) => `${id} is removed.`,
  });
}
