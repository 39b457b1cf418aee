import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { request } from '../../request-command.js';
import { membersOf } from './clients.js';

/** `notes add`, `change`, `remove`: what people write down about campaigns. */
export function registerNotes(program: Command, deps: CliDeps): void {
  const notes = program.command('notes').description('notes of people about campaigns');
  request(notes, deps, 'add <campaign> <text>', {
    describe: 'write a note about a campaign, for everybody who sees it',
    of: ['campaign id', 'at most 2,000 characters'],
    route: 'POST /v1/notes',
    members: ({ campaign, text }) => ({ campaign_id: campaign, text }),
    text: membersOf,
  });
  request(notes, deps, 'change <note> <text>', {
    describe: 'change the text of a note of your own',
    of: ['note id', 'its new text'],
    route: 'POST /v1/notes/{id}',
    text: membersOf,
  });
  request(notes, deps, 'remove <note>', {
    describe: 'remove a note of your own',
    of: 'note id',
    route: 'DELETE /v1/notes/{id}',
    text: 'Removed the note.',
  });
}
