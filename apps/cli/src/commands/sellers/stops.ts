import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';

/** `stop TARGET`, `start TARGET`. */
export function registerStops(program: Command, deps: CliDeps): void {
  const of = 'seller:SLUG, principal:ID, key:KID or all';
  request(program, deps, 'stop <target>', {
    describe: 'emergency stop: send nothing to a seller, for a principal, with a key, or at all',
    of,
    options: { '--reason <text>': 'the reason, stored with the stop' },
    route: 'POST /v1/stops',
    text: ({ stopped_by: by, stopped_at: at, target, note }) => {
      const more = typeof note === 'string' ? `\n${cell(note)}` : '';
      return `Stopped: ${cell(target)}, by ${cell(by)} at ${cell(at)}. It takes effect everywhere within a second.${more}`;
    },
  });
  request(program, deps, 'start <target>', {
    describe: 'end an emergency stop; waiting messages are sent',
    of,
    route: 'DELETE /v1/stops/{target}',
    text: ({ target }) => `Stop ended: ${cell(target)}. Waiting messages are sent.`,
  });
}
