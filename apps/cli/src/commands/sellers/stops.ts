import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface StopOptions extends TargetOptions {
  readonly reason?: string;
}

const targetText = 'seller:SLUG, principal:ID, key:KID or all';

/** `stop TARGET`, `start TARGET`. */
export function registerStops(program: Command, deps: CliDeps): void {
  withTarget(program.command('stop'))
    .description('emergency stop: send nothing to a seller, for a principal, with a key, or at all')
    .argument('<target>', targetText)
    .option('--reason <text>', 'the reason, stored with the stop')
    .action(atInstance(deps, stop));
  withTarget(program.command('start'))
    .description('end an emergency stop; waiting messages are sent')
    .argument('<target>', targetText)
    .action(atInstance(deps, start));
}

function stop({ instance, options }: At<StopOptions>, target: string): Promise<Outcome> {
  const body: JsonObject = { target, ...(options.reason === undefined ? {} : { reason: options.reason }) };
  return shown(
    instance.post('/v1/stops', body),
    ({ stopped_by: by, stopped_at: at, target: named, note }) => {
      const more = typeof note === 'string' ? `\n${cell(note)}` : '';
      return `Stopped: ${cell(named)}, by ${cell(by)} at ${cell(at)}. It takes effect everywhere within a second.${more}`;
    },
  );
}

function start({ instance }: At, target: string): Promise<Outcome> {
  return shown(
    instance.remove(`/v1/stops/${encodeURIComponent(target)}`),
    (answer) => `Stop ended: ${cell(answer['target'])}. Waiting messages are sent.`,
  );
}
