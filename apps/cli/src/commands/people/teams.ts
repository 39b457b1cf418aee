import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { everyPage, listed } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `teams add`, `list`, `rename`, `remove` and `members add|remove`: principals that hold roles together. */
export function registerTeams(program: Command, deps: CliDeps): void {
  const teams = program.command('teams').description('teams: members share the roles of grants add --team');
  withTarget(teams.command('add'))
    .description('create a team; it has no permissions until a role is granted')
    .argument('<name>', 'name, unique in the organization')
    .action(atInstance(deps, add));
  withTarget(teams.command('list'))
    .description('list teams with their members, oldest first')
    .action(atInstance(deps, list));
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

async function add({ instance }: At, name: string): Promise<Outcome> {
  const answer = await instance.post('/v1/teams', { name });
  if (!answer.ok) return answer;
  const text = `The team ${cell(answer.value['name'])} is created (${cell(answer.value['team_id'])}).`;
  return ok({ json: answer.value, text });
}

function list(at: At): Promise<Outcome> {
  return listed(everyPage(at), {
    path: '/v1/teams',
    name: 'teams',

    columns: {
      Team: 'name',
      Members: (one) =>
        objectsIn(one['members'])
          .map(({ name }) => cell(name))
          .join(', '),
      Id: 'team_id',
    },
    none: 'There are no teams.',
  });
}

async function rename({ instance }: At, team: string, name: string): Promise<Outcome> {
  const answer = await instance.post(pathOf(team), { name });
  if (!answer.ok) return answer;
  return ok({ json: answer.value, text: `The team is renamed to ${cell(answer.value['name'])}.` });
}

async function remove({ instance }: At, team: string): Promise<Outcome> {
  const answer = await instance.remove(pathOf(team));
  if (!answer.ok) return answer;
  const { name, members, grants_ended: grants } = answer.value;
  const text = `Removed the team ${cell(name)}. Members: ${cell(members)}; grants ended: ${cell(grants)}.`;
  return ok({ json: answer.value, text });
}

async function addMember({ instance }: At, team: string, principal: string): Promise<Outcome> {
  const answer = await instance.post(membersOf(team), { principal });
  if (!answer.ok) return answer;
  const { name, member } = answer.value;
  return ok({ json: answer.value, text: `Added ${cell(member)} to the team ${cell(name)}.` });
}

async function removeMember({ instance }: At, team: string, principal: string): Promise<Outcome> {
  const answer = await instance.remove(`${membersOf(team)}/${encodeURIComponent(principal)}`);
  if (!answer.ok) return answer;
  const { name, member } = answer.value;
  return ok({ json: answer.value, text: `Removed ${cell(member)} from the team ${cell(name)}.` });
}
