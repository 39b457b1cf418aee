import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';
import { queryOf } from '../query-of.js';

interface RefusedOptions extends TargetOptions {
  readonly code?: string;
  readonly limit?: string;
}

/** `signatures refused`: signed messages that were refused, and the step at which each was. */
export function registerSignatures(program: Command, deps: CliDeps): void {
  const signatures = program.command('signatures').description('signed messages to us, and verdicts on them');
  withTarget(signatures.command('refused'))
    .description('list what was refused, newest first; with --json also every step of the verdict')
    .option('--code <code>', 'only those refused with this code')
    .option('--limit <count>', 'how many at most, up to 500')
    .action(async (options: RefusedOptions) => finish(deps, options, await refused(deps, options)));
}

function refused(deps: CliDeps, options: RefusedOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const { code, limit } = options;
    const answer = await instance.get(`/v1/signatures/refused${queryOf({ code, limit })}`);
    if (!answer.ok) return answer;
    const all = objectsIn(answer.value['refused']);
    const rows = all.map((one) => {
      const last = objectsIn(one['steps']).at(-1);
      const step = last === undefined ? '' : `${cell(last['step'])} ${cell(last['name'])}`;
      return [
        one['refused_at'],
        one['code'],
        one['keyid'],
        one['principal'],
        one['path'],
        step,
        last?.['seen'],
      ];
    });
    const head = ['Refused', 'Code', 'Key', 'Principal', 'Path', 'Step', 'Seen'];
    return ok({ json: all, text: rows.length === 0 ? 'Nothing was refused.' : table(deps, head, rows) });
  });
}
