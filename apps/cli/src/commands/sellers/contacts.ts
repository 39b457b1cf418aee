import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { request } from '../../request-command.js';
import { membersOf } from '../business/clients.js';

const purposes = ['sales', 'billing', 'technical', 'other'];

/** `contacts add`, `change`, `remove`: whom people reach at sellers. */
export function registerContacts(program: Command, deps: CliDeps): void {
  const contacts = program.command('contacts').description('contacts: whom people reach at sellers');
  request(contacts, deps, 'add <seller>', {
    describe: 'enter whom people reach at a seller: an e-mail address, a telephone number or both',
    of: 'slug of the seller',
    options: {
      '--purpose <purpose>': { help: 'what for', isNeeded: true, words: purposes },
      '--name <name>': 'a person or a team',
      '--email <address>': 'e-mail address',
      '--phone <number>': 'telephone number, such as +44 20 7946 0000',
    },
    route: 'POST /v1/sellers/{slug}/contacts',
    text: membersOf,
  });
  request(contacts, deps, 'change <contact>', {
    describe: 'change a contact; an option that is left out changes nothing, and an empty text takes it away',
    of: 'contact id',
    options: {
      '--purpose <purpose>': { help: 'what for', words: purposes },
      '--name <name>': 'a person or a team',
      '--email <address>': 'e-mail address',
      '--phone <number>': 'telephone number',
    },
    route: 'POST /v1/contacts/{id}',
    members: ({ purpose, ...texts }) => ({
      purpose,
      ...Object.fromEntries(
        ['name', 'email', 'phone'].map((name) => [name, texts[name] === '' ? null : texts[name]]),
      ),
    }),
    text: membersOf,
  });
  request(contacts, deps, 'remove <contact>', {
    describe: 'remove a contact',
    of: 'contact id',
    route: 'DELETE /v1/contacts/{id}',
    text: 'Removed the contact.',
  });
}
