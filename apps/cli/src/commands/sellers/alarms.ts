import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';

/** `alarms acknowledge ID`. */
export function registerAlarms(program: Command, deps: CliDeps): void {
  const alarms = program.command('alarms').description('what a person must look at: keys and signers');
  request(alarms, deps, 'acknowledge <id>', {
    describe: 'acknowledge an alarm',
    of: 'alarm id',
    options: {
      '--reason <text>': needed('the reason, stored with the alarm'),
      '--accept': 'also accept the new address of the key set',
    },
    route: 'POST /v1/alarms/{id}/acknowledge',
    text: ({ acknowledged_by: by }, { id }) => `Alarm ${id} is acknowledged by ${cell(by)}.`,
  });
}
