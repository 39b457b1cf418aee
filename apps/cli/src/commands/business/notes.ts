import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { shown } from '../../outcome.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { write } from './clients.js';

/** `notes add`, `change`, `remove`: what people write down about campaigns. */
export function registerNotes(program: Command, deps: CliDeps): void {
  const notes = program.command('notes').description('notes of people about campaigns');
  withTarget(notes.command('add'))
    .description('write a note about a campaign, for everybody who sees it')
    .argument('<campaign>', 'campaign id')
    .argument('<text>', 'at most 2,000 characters')
    .action(
      atInstance(deps, (at: At, campaign: string, text: string) =>
        write(at, '/v1/notes', { campaign_id: campaign, text }),
      ),
    );
  withTarget(notes.command('change'))
    .description('change the text of a note of your own')
    .argument('<note>', 'note id')
    .argument('<text>', 'its new text')
    .action(atInstance(deps, (at: At, id: string, text: string) => write(at, pathOf(id), { text })));
  withTarget(notes.command('remove'))
    .description('remove a note of your own')
    .argument('<note>', 'note id')
    .action(
      atInstance(deps, ({ instance }: At, id: string) =>
        shown(instance.remove(pathOf(id)), () => 'Removed the note.'),
      ),
    );
}

const pathOf = (id: string): string => `/v1/notes/${encodeURIComponent(id)}`;
