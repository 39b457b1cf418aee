import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { finish, type Outcome } from '../../outcome.js';
import { getPages } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

/** `teams add`, `list`, `rename`, `remove` and `members add|remove`: principals that hold roles together. */
export function registerTeams(program: Command, deps: CliDeps): void {
  const teams = program
    .command('teams')
    .description('principals that hold roles together: grants add --team');
  withTarget(teams.command('add'))
    .description('make a team; it holds nothing until a role is granted to it')
    .argument('<name>', 'its name, once in the organization')
    .action(async (name: string, options: TargetOptions) =>
      finish(deps, options, await add(deps, name, options)),
    );
  withTarget(teams.command('list'))
    .description('list teams with who is in them, oldest first')
    .action(async (options: TargetOptions) => finish(deps, options, await list(deps, options)));
  withTarget(teams.command('rename'))
    .description('give a team another name; it may hold no more than you do')
    .argument('<team>', 'name or id')
    .argument('<name>', 'the new name')
    .action(async (team: string, name: string, options: TargetOptions) =>
      finish(deps, options, await rename(deps, { team, name }, options)),
    );
  withTarget(teams.command('remove'))
    .description('remove a team and end its grants; it may hold no more than you do')
    .argument('<team>', 'name or id')
    .action(async (team: string, options: TargetOptions) =>
      finish(deps, options, await remove(deps, team, options)),
    );
  const members = teams.command('members').description('who is in a team');
  withTarget(members.command('add'))
    .description('add a member: it holds the roles of the team')
    .argument('<team>', 'name or id')
    .argument('<principal>', 'name or id')
    .action(async (team: string, principal: string, options: TargetOptions) =>
      finish(deps, options, await addMember(deps, team, principal, options)),
    );
  withTarget(members.command('remove'))
    .description('remove a member, with effect from its next request')
    .argument('<team>', 'name or id')
    .argument('<principal>', 'name or id')
    .action(async (team: string, principal: string, options: TargetOptions) =>
      finish(deps, options, await removeMember(deps, team, principal, options)),
    );
}

const pathOf = (team: string): string => `/v1/teams/${encodeURIComponent(team)}`;
const membersOf = (team: string): string => `${pathOf(team)}/members`;

function add(deps: CliDeps, name: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/teams', { name });
    if (!answer.ok) return answer;
    const text = `The team ${cell(answer.value['name'])} is made (${cell(answer.value['team_id'])}).`;
    return ok({ json: answer.value, text });
  });
}

function list(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const found = await getPages(instance, { path: '/v1/teams', name: 'teams' }, {}, { all: true });
    if (!found.ok) return found;
    const rows = found.value.rows.map((one) => [
      one['name'],
      objectsIn(one['members'])
        .map(({ name }) => cell(name))
        .join(', '),
      one['team_id'],
    ]);
    const text = rows.length === 0 ? 'There are no teams.' : table(deps, ['Team', 'Members', 'Id'], rows);
    return ok({ json: found.value.rows, text });
  });
}

function rename(
  deps: CliDeps,
  { team, name }: { readonly team: string; readonly name: string },
  options: TargetOptions,
): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(pathOf(team), { name });
    if (!answer.ok) return answer;
    return ok({ json: answer.value, text: `The team is now called ${cell(answer.value['name'])}.` });
  });
}

function remove(deps: CliDeps, team: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.remove(pathOf(team));
    if (!answer.ok) return answer;
    const { name, members, grants_ended: grants } = answer.value;
    const text = `Removed the team ${cell(name)}. Members: ${cell(members)}; grants ended: ${cell(grants)}.`;
    return ok({ json: answer.value, text });
  });
}

function addMember(deps: CliDeps, team: string, principal: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(membersOf(team), { principal });
    if (!answer.ok) return answer;
    const { name, member } = answer.value;
    return ok({ json: answer.value, text: `Added ${cell(member)} to the team ${cell(name)}.` });
  });
}

function removeMember(
  deps: CliDeps,
  team: string,
  principal: string,
  options: TargetOptions,
): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.remove(`${membersOf(team)}/${encodeURIComponent(principal)}`);
    if (!answer.ok) return answer;
    const { name, member } = answer.value;
    return ok({ json: answer.value, text: `Removed ${cell(member)} from the team ${cell(name)}.` });
  });
}
