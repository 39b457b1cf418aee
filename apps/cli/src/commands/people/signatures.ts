import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { objectsIn } from '../../objects-in.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { getPages, shownPage, withPages, withTimes, type PageOptions } from '../../pages.js';

interface RefusedOptions extends PageOptions {
  readonly code?: string;
  readonly since?: string;
  readonly until?: string;
}

/** `signatures refused`: signed messages that were refused, and the step at which each was. */
export function registerSignatures(program: Command, deps: CliDeps): void {
  const signatures = program.command('signatures').description('signed messages that were refused');
  withTarget(withPages(withTimes(signatures.command('refused'))))
    .description('list refused messages, newest first; --json includes each verification step')
    .option('--code <code>', 'only those refused with this code')
    .action(atInstance(deps, refused));
}

async function refused({ deps, instance, options }: At<RefusedOptions>): Promise<Outcome> {
  const { code, since, until } = options;
  const list = { path: '/v1/signatures/refused', name: 'refused' };
  const page = await getPages(instance, list, { code, since, until }, options);
  if (!page.ok) return page;
  const rows = page.value.rows.map((one) => {
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
  return shownPage(page.value, rows.length === 0 ? 'No message was refused.' : table(deps, head, rows));
}
