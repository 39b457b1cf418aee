import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

const path = '/v1/scim';

/** `scim show`, `allow`, `token`, `end`: provisioning of people and teams. */
export function registerScim(program: Command, deps: CliDeps): void {
  const scim = program.command('scim').description('provisioning of people and teams by SCIM 2.0');
  withTarget(scim.command('show'))
    .description('show whether it is allowed, and its address')
    .action(atInstance(deps, show));
  withTarget(scim.command('allow'))
    .description('let a provisioning system manage people and teams; another person approves it')
    .action(atInstance(deps, allow));
  withTarget(scim.command('token'))
    .description('issue a token for the provisioning system, which is shown once')
    .addOption(new Option('--days <days>', 'how long it is valid').default(365).argParser(Number))
    .action(atInstance(deps, token));
  withTarget(scim.command('end'))
    .description('end provisioning at once, with every token; people and teams stay')
    .action(atInstance(deps, end));
}

const show = ({ instance }: At): Promise<Outcome> => shown(instance.get(path), textOf);

const allow = ({ instance }: At): Promise<Outcome> => shown(instance.post(path, {}), textOf);

const end = ({ instance }: At): Promise<Outcome> =>
  shown(instance.remove(path), () => 'No provisioning system manages people any more.');

const token = ({
  instance,
  options: { days },
}: At<TargetOptions & { readonly days: number }>): Promise<Outcome> =>
  shown(
    instance.post(`${path}/tokens`, { ttl_seconds: Math.round(days * 86_400) }),
    (answer) =>
      `Address:  ${cell(answer['base_url'])}\nToken:    ${cell(answer['token'])}\nIt is shown this once, and ends ${cell(answer['expires_at'])}.`,
  );

function textOf({ allowed, base_url: base, users, groups }: JsonObject): string {
  if (allowed !== true)
    return 'No provisioning system manages people here. Allow it with: switchyard scim allow';
  const managed = users === undefined ? '' : `\nIt manages ${cell(users)} people and ${cell(groups)} teams.`;
  return `A provisioning system manages people at ${cell(base)}.${managed}`;
}
