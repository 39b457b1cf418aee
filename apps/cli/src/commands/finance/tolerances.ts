import type { Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SetOptions extends TargetOptions {
  readonly seller?: string;
  readonly client?: string;
  readonly absolute: string;
  readonly percent: string;
}

/** `tolerances set|remove`: how much an invoice may differ before it is a break. */
export function registerTolerances(program: Command, deps: CliDeps): void {
  const tolerances = program
    .command('tolerances')
    .description('tolerances: how much an invoice may differ from the delivery');
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
