import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

interface PolicyOptions extends TargetOptions {
  readonly secondFactor?: string;
  readonly roles?: string;
  readonly recent?: number;
  readonly idle?: number;
}

/** `principals policy`: how the people of the organization sign in. Without an option it is shown. */
export function registerSignInPolicy(principals: Command, deps: CliDeps): void {
  withTarget(principals.command('policy'))
    .description('show or change how the people of the organization sign in')
    .addOption(
      new Option('--second-factor <who>', 'who needs a second factor').choices([
        'nobody',
        'approvers',
        'everybody',
      ]),
    )
    .option('--roles <names>', 'roles whose holders need one too, separated by commas; "" for none')
    .option('--recent <minutes>', 'how long a sign-in counts as recent', Number)
    .option('--idle <minutes>', 'how long a session lasts without a request', Number)
    .action(printing(deps, policy));
}

function policy(deps: CliDeps, options: PolicyOptions): Promise<Outcome> {
  const { secondFactor, roles, recent, idle } = options;
  const row: JsonObject = {
    ...(secondFactor !== undefined && { second_factor: secondFactor }),
    ...(roles !== undefined && { second_factor_roles: roles.split(',').filter((role) => role !== '') }),
    ...(recent !== undefined && { recent_minutes: recent }),
    ...(idle !== undefined && { idle_minutes: idle }),
  };
  const path = '/v1/sign-in-policy';
  return onInstance(deps, options, (instance) =>
    shown(Object.keys(row).length === 0 ? instance.get(path) : instance.post(path, row), textOf),
  );
}

function textOf(answer: JsonObject): string {
  const {
    second_factor: who,
    second_factor_roles: roles,
    recent_minutes: recent,
    idle_minutes: idle,
  } = answer;
  const named =
    Array.isArray(roles) && roles.length > 0 ? `, and of the roles ${roles.map(cell).join(', ')}` : '';
  const looser = answer['looser'] === true ? '\nThis asks less of somebody than before.' : '';
  return `A second factor is demanded of ${cell(who)}${named}.
A sign-in counts as recent for ${cell(recent)} minutes.
A session ends after ${cell(idle)} minutes without a request.${looser}`;
}
