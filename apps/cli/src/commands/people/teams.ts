import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';

/** `teams add`, `rename`, `remove` and `members add|remove`: principals that hold roles together. */
export function registerTeams(program: Command, deps: CliDeps): void {
  const teams = program.command('teams').description('teams: members share the roles of grants add --team');
  request(teams, deps, 'add <name>', {
    describe: 'create a team; it has no permissions until a role is granted',
    of: 'name, unique in the organization',
    route: 'POST /v1/teams',
    text: ({ name, team_id: id }) => `The team ${cell(name)} is created (${cell(id)}).`,
  });
  request(teams, deps, 'rename <team> <name>', {
    describe: 'rename a team, if you have all its permissions',
    of: ['name or id', 'the new name'],
    route: 'POST /v1/teams/{name}',
    text: ({ name }) => `The team is renamed to ${cell(name)}.`,
  });
  request(teams, deps, 'remove <team>', {
    describe: 'remove a team and its grants, if you have all its permissions',
    of: 'name or id',
    route: 'DELETE /v1/teams/{name}',
    text: ({ name, members, grants_ended: grants }) =>
      `Removed the team ${cell(name)}. Members: ${cell(members)}; grants ended: ${cell(grants)}.`,
  });
  const members = teams.command('members').description('members of a team');
  request(members, deps, 'add <team> <principal>', {
    describe: 'add a member, who gets the roles of the team',
    of: ['name or id', 'name or id'],
    route: 'POST /v1/teams/{name}/members',
    text: ({ name, member }) => `Added ${cell(member)} to the team ${cell(name)}.`,
  });
  request(members, deps, 'remove <team> <principal>', {
    describe: 'remove a member, with effect from the next request',
    of: ['name or id', 'name or id'],
    route: 'DELETE /v1/teams/{name}/members/{principal}',
    text: ({ name, member }) => `Removed ${cell(member)} from the team ${cell(name)}.`,
  });
}
