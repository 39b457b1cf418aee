import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `teams add`, `rename`, `remove` and `members add|remove`: principals that hold roles together. */
export function registerTeams(program: Command, deps: CliDeps): void {
  const teams = program.command('teams').description('teams: members share the roles of grants add --team');
  withTarget(teams.command('add'))
    .description('create a team; it has no permissions until a role is granted')
    .argument('<name>', 'name, unique in the organization')
    .action(atInstance(deps, add));
  withTarget(teams.command('rename'))
    .description('rename a team, if you have all its permissions')
    .argument('<team>', 'name or id')
    .argument('<name>', 'the new name')
    .action(atInstance(deps, rename));
  withTarget(teams.command('remove'))
    .description('remove a team and its grants, if you have all its permissions')
    .argument('<team>', 'name or id')
    .action(atInstance(deps, remove));
  const members = teams.command('members').description('members of a team');
  withTarget(members.command('add'))
    .description('add a member, who gets the roles of the team')
    .argument('<team>', 'name or id')
    .argument('<principal>', 'name or id')
    .action(atInstance(deps, addMember));
  withTarget(members.command('remove'))
    .description('remove a member, with effect from the next request')
    .argument('<team>', 'name or id')
    .argument('<principal>', 'name or id')
    .action(atInstance(deps, removeMember));
}

const pathOf = (team: string): string => `/v1/teams/${encodeURIComponent(team)}`;
const membersOf = (team: string): string => `${pathOf(team)}/members`;

function add({ instance }: At, name: string): Promise<Outcome> {
  return shown(
    instance.post('/v1/teams', { name }),
    (answer) => `The team ${cell(answer['name'])} is created (${cell(answer['team_id'])}).`,
  );
}

function rename({ instance }: At, team: string, name: string): Promise<Outcome> {
  return shown(
    instance.post(pathOf(team), { name }),
    (answer) => `The team is renamed to ${cell(answer['name'])}.`,
  );
}

function remove({ instance }: At, team: string): Promise<Outcome> {
  return shown(
    instance.remove(pathOf(team)),
    ({ name, members, grants_ended: grants }) =>
      `Removed the team ${cell(name)}. Members: ${cell(members)}; grants ended: ${cell(grants)}.`,
  );
}

function addMember({ instance }: At, team: string, principal: string): Promise<Outcome> {
  return shown(
    instance.post(membersOf(team), { principal }),
    ({ name, member }) => `Added ${cell(member)} to the team ${cell(name)}.`,
  );
}

function removeMember({ instance }: At, team: string, principal: string): Promise<Outcome> {
  return shown(
    instance.remove(`${membersOf(team)}/${encodeURIComponent(principal)}`),
    ({ name, member }) => `Removed ${cell(member)} from the team ${cell(name)}.`,
  );
}
