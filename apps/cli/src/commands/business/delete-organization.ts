import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, onInstallation, withTarget, type At, type TargetOptions } from '../../target.js';

/** `organizations delete`, `keep` and `deletion`: its deletion, the opposite of it, and how far it is. */
export function registerDeletion(organizations: Command, deps: CliDeps, idHelp: string): void {
  withTarget(organizations.command('delete'))
    .description('close your organization once another person has approved it, and remove it 30 days later')
    .action(atInstance(deps, remove));
  withTarget(organizations.command('keep'))
    .description('open a closed organization again, until its removal begins')
    .argument('[id]', idHelp, 'own')
    .action(printing(deps, keep));
  withTarget(organizations.command('deletion'))
    .description('show whether an organization is closed, and what was removed')
    .argument('[id]', idHelp, 'own')
    .action(printing(deps, show));
}

const remove = ({ instance }: At): Promise<Outcome> => shown(instance.post(pathOf('own'), {}), linesOf);

const pathOf = (id: string): string => `/v1/organizations/${encodeURIComponent(id)}/deletion`;

function keep(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstallation(deps, options, (instance) => shown(instance.post(`${pathOf(id)}/keep`, {}), linesOf));
}

function show(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstallation(deps, options, (instance) => shown(instance.get(pathOf(id)), linesOf));
}

function linesOf(row: JsonObject): string {
  const id = cell(row['organization_id']);
  switch (row['state']) {
    case 'closed':
      return [
        `The organization ${id} is closed. Everything of it is removed from ${cell(row['due_at'])} on.`,
        `Until then, open it again with: switchyard organizations keep ${id}`,
      ].join('\n');
    case 'removing':
      return `The organization ${id} is being removed: ${rowsOf(row)} rows so far.`;
    case 'removed':
      return `The organization ${id} was removed at ${cell(row['removed_at'])}: ${rowsOf(row)} rows.`;
    default:
      return `The organization ${id} is open.`;
  }
}

function rowsOf({ removed }: JsonObject): number {
  const counts = isJsonObject(removed) ? Object.values(removed) : [];
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}
