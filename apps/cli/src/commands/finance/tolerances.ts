import type { Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SetOptions extends TargetOptions {
  readonly seller?: string;
  readonly client?: string;
  readonly absolute: string;
  readonly percent: string;
}

/** `tolerances list|set|remove`: how much an invoice may differ before it is a break. */
export function registerTolerances(program: Command, deps: CliDeps): void {
  const tolerances = program
    .command('tolerances')
    .description('tolerances: how much an invoice may differ from the delivery');
  withTarget(withPages(tolerances.command('list')))
    .description('list tolerances, newest first (default where none is set: 0.01)')
    .action(atInstance(deps, list));
  withTarget(tolerances.command('set'))
    .description('set the tolerance of a seller, a client, both, or all; the most specific one holds')
    .option('--seller <slug>', 'of one seller')
    .option('--client <id>', 'of one client')
    .requiredOption('--absolute <amount>', 'in units of the currency')
    .requiredOption(
      '--percent <percent>',
      'of what was delivered, two decimals at most; the greater of both holds',
    )
    .action(atInstance(deps, set));
  withTarget(tolerances.command('remove'))
    .description('remove a tolerance')
    .argument('<id>', 'tolerance id')
    .action(atInstance(deps, remove));
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/tolerances',
    name: 'tolerances',
    columns: {
      Tolerance: 'tolerance_id',
      Seller: (row) => row['seller'] ?? 'every seller',
      Client: (row) => row['client'] ?? row['client_id'] ?? 'every client',
      Absolute: 'absolute',
      Percent: 'percent',
    },
    none: 'No tolerance is set: differences up to 0.01 are tolerated.',
  });
}

function set({ instance, options }: At<SetOptions>): Promise<Outcome> {
  const { seller, client, absolute, percent } = options;
  return shown(
    instance.post('/v1/tolerances', {
      absolute,
      percent,
      ...defined({ seller, client_id: client }),
    }),
    ({ tolerance_id: id, absolute: amount, percent: part }) =>
      `${cell(id)} tolerates ${cell(amount)} or ${cell(part)} %.`,
  );
}

function remove({ instance }: At, id: string): Promise<Outcome> {
  return shown(instance.remove(`/v1/tolerances/${encodeURIComponent(id)}`), () => `${id} is removed.`);
}
