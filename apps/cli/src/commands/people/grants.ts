import type { Command } from 'commander';
import { defined, err, ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { readPermissions } from '../../read-options.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface AddOptions extends TargetOptions {
  readonly team?: string;
  readonly role: string;
  readonly scope: string;
}

interface SetOptions extends TargetOptions {
  readonly allow: string;
}

export const scopeHelp = 'organization, client:ID, brand:DOMAIN, campaign:ID or own';

/** `grants add` and `remove`, `roles list` and `set`: who may do what, on which objects. */
export function registerGrants(program: Command, deps: CliDeps): void {
  const grants = program.command('grants').description('roles of principals and teams, by scope');
  withTarget(grants.command('add'))
    .description(
      'grant a role in a scope to a principal or a team; you cannot grant permissions that you do not have there',
    )
    .argument('[principal]', 'name or id')
    .option('--team <name or id>', 'a team, in place of a principal')
    .requiredOption('--role <role>', 'trader, finance, admin, reviewer, viewer, or one of your own')
    .requiredOption('--scope <scope>', scopeHelp)
    .action(printing(deps, add));
  request(grants, deps, 'remove <id>', {
    describe: 'remove a grant, with effect from the next request',
    of: 'grant id',
    route: 'DELETE /v1/grants/{id}',
    text: (_, { id }) => `${id} is removed, with effect from the next request.`,
  });
  const roles = program.command('roles').description('the permissions of each role');
  withTarget(roles.command('list')).description('list roles').action(atInstance(deps, listRoles));
  withTarget(roles.command('set'))
    .description('create a role, or change its permissions')
    .argument('<role>', 'its name')
    .requiredOption('--allow <permissions>', 'area:kind,... (for example products:read,media_buys:write)')
    .action(printing(deps, setRole));
}

function add(deps: CliDeps, principal: string | undefined, options: AddOptions): Promise<Outcome> {
  const { team, role, scope } = options;
  if ((principal === undefined) === (team === undefined))
    return Promise.resolve(err({ message: 'Name either a principal or, with --team, a team.' }));
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/grants', { ...defined({ principal, team }), role, scope });
    if (!answer.ok) return answer;
    const { grant_id: id, principal: name = answer.value['team'] } = answer.value;
    return ok({
      json: { grant_id: id ?? null },
      text: `${cell(name)} is ${role} in ${scope} (${cell(id)}).`,
    });
  });
}

async function listRoles({ deps, instance }: At): Promise<Outcome> {
  const answer = await instance.get('/v1/roles');
  if (!answer.ok) return answer;
  const roles = objectsIn(answer.value['roles']);
  const rows = roles.map((role) => [role['role'], permissionsText(role['permissions'])]);
  return ok({ json: roles, text: table(deps, ['Role', 'May'], rows) });
}

async function setRole(deps: CliDeps, role: string, options: SetOptions): Promise<Outcome> {
  const permissions = readPermissions(options.allow);
  if (!permissions.ok) return permissions;
  return onInstance(deps, options, (instance) => {
    const body = { permissions: permissions.value ?? {} };
    return shown(
      instance.post(`/v1/roles/${encodeURIComponent(role)}`, body),
      (answer) => `${role}: ${permissionsText(answer['permissions'])}`,
    );
  });
}

/** Permissions in the syntax of `--allow`. */
export function permissionsText(permissions: unknown): string {
  return Object.entries((permissions ?? {}) as Readonly<Record<string, readonly string[]>>)
    .flatMap(([area, kinds]) => kinds.map((kind) => `${area}:${kind}`))
    .join(',');
}
