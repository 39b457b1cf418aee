import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

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
    .action(printing(deps, set));
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
      Seller: (one) => one['seller'] ?? 'every seller',
      Client: (one) => one['client'] ?? one['client_id'] ?? 'every client',
      Absolute: 'absolute',
      Percent: 'percent',
    },
    none: 'No tolerance is set: differences up to 0.01 are tolerated.',
  });
}

function set(deps: CliDeps, { seller, client, absolute, percent, ...options }: SetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/tolerances', {
      absolute,
      percent,
      ...(seller !== undefined && { seller }),
      ...(client !== undefined && { client_id: client }),
    });
    if (!answer.ok) return answer;
    const { tolerance_id: id, absolute: amount, percent: part } = answer.value;
    return ok({ json: answer.value, text: `${cell(id)} tolerates ${cell(amount)} or ${cell(part)} %.` });
  });
}

async function remove({ instance }: At, id: string): Promise<Outcome> {
  const answer = await instance.remove(`/v1/tolerances/${encodeURIComponent(id)}`);
  return answer.ok ? ok({ json: answer.value, text: `${id} is removed.` }) : answer;
}
