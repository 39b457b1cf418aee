import type { Command } from 'commander';
import { isJsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { permissionsText } from './grants.js';

/** `me`: the principal of the token, and its permissions by scope. */
export function registerMe(program: Command, deps: CliDeps): void {
  withTarget(program.command('me'))
    .description('your principal, roles and permissions, by scope')
    .action(atInstance(deps, me));
}

function me({ deps, instance }: At): Promise<Outcome> {
  return shown(instance.get('/v1/me'), (answer) => {
    const { name, kind, principal_id: id, organization } = answer;
    const { name: of, domain } = isJsonObject(organization) ? organization : {};
    const rows = objectsIn(answer['grants']).map((grant) => [
      grant['role'] ?? '(own)',
      grant['scope'],
      permissionsText(grant['permissions']),
    ]);
    const teams = objectsIn(answer['teams']).map((team) => cell(team['name']));
    const inTeams = teams.length === 0 ? '' : `\nTeams: ${teams.join(', ')}`;
    const who = `${cell(name)}, ${cell(kind)} (${cell(id)})\n${cell(of)}, ${cell(domain)}${inTeams}`;
    const what = rows.length === 0 ? 'You have no permissions.' : table(deps, ['Role', 'Scope', 'May'], rows);
    const limits = objectsIn(answer['limits']).map((limit) => [
      limit['for'],
      limit['limit'],
      limit['committed'],
      limit['pending'],
      limit['left'],
      limit['currency'],
      limit['per'],
    ]);
    const head = ['Limit on', 'Amount', 'Committed', 'Pending', 'Left', 'Currency', 'Per'];
    const may = limits.length === 0 ? '' : `\n\n${table(deps, head, limits)}`;
    return `${who}\n\n${what}${may}`;
  });
}
