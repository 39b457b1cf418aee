import type { Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { readJsonFile } from '../../read-input.js';
import { request } from '../../request-command.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { membersOf } from './clients.js';

interface PlanOptions extends TargetOptions {
  readonly brand?: string;
  readonly campaign?: string;
  readonly shared?: true;
}

/** `plans add`, `show`, `share`, `unshare`, `remove`: lines that are not bought yet. */
export function registerPlans(program: Command, deps: CliDeps): void {
  const plans = program.command('plans').description('plans: lines that are not bought yet');
  withTarget(plans.command('add'))
    .description('store a plan; nothing is ordered')
    .argument('<name>', 'its name')
    .argument(
      '<file>',
      'JSON file with its days and lines, as plans show prints them under content; - is standard input',
    )
    .option('--brand <domain>', 'domain of the brand')
    .option('--campaign <id>', 'id of the campaign')
    .option('--shared', 'show it to others in whose reach it is')
    .action(
      atInstance(deps, async (at: At<PlanOptions>, name: string, file: string) => {
        const read = await readJsonFile(deps, file);
        if (!read.ok) return read;
        const { brand, campaign, shared } = at.options;
        const content = read.value.value;
        const plan = defined({ name, content, brand, campaign_id: campaign, shared });
        return shown(at.instance.post('/v1/plans', plan), membersOf);
      }),
    );
  request(plans, deps, 'show <plan>', {
    describe: 'show one plan with its lines',
    of: 'plan id',
    route: 'GET /v1/plans/{id}',
    text: membersOf,
  });
  for (const [word, isShared] of [
    ['share', true],
    ['unshare', false],
  ] as const)
    withTarget(plans.command(word))
      .description(
        isShared ? 'show a plan to others in whose reach it is' : 'show a plan to nobody but who made it',
      )
      .argument('<plan>', 'plan id')
      .action(atInstance(deps, (at: At, id: string) => share(at, id, isShared)));
  request(plans, deps, 'remove <plan>', {
    describe: 'remove a plan',
    of: 'plan id',
    route: 'DELETE /v1/plans/{id}',
    text: ({ name }) => `Removed the plan ${cell(name)}.`,
  });
}

const pathOf = (id: string): string => `/v1/plans/${encodeURIComponent(id)}`;

async function share({ instance }: At, id: string, isShared: boolean): Promise<Outcome> {
  const read = await instance.get(pathOf(id));
  if (!read.ok) return read;
  const { version } = read.value;
  return shown(instance.post(pathOf(id), defined({ version, shared: isShared })), ({ name }) =>
    isShared ? `${cell(name)} is shared.` : `${cell(name)} is shown to nobody else.`,
  );
}
