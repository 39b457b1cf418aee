import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface StopOptions extends TargetOptions {
  readonly reason?: string;
}

const targetText = 'seller:SLUG, principal:ID, key:KID or all';

/** `stop TARGET`, `start TARGET`, `stops list`. */
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
  const stops = program.command('stops').description('active emergency stops');
  withTarget(stops.command('list'))
    .description('list active stops, oldest first')
    .action(atInstance(deps, list));
}

async function stop({ instance, options }: At<StopOptions>, target: string): Promise<Outcome> {
  const body: JsonObject = { target, ...(options.reason === undefined ? {} : { reason: options.reason }) };
  const answer = await instance.post('/v1/stops', body);
  if (!answer.ok) return answer;
  const { stopped_by: by, stopped_at: at, target: named, note } = answer.value;
  const more = typeof note === 'string' ? `\n${cell(note)}` : '';
  const text = `Stopped: ${cell(named)}, by ${cell(by)} at ${cell(at)}. It takes effect everywhere within a second.${more}`;
  return ok({ json: answer.value, text });
}

async function start({ instance }: At, target: string): Promise<Outcome> {
  const answer = await instance.remove(`/v1/stops/${encodeURIComponent(target)}`);
  if (!answer.ok) return answer;
  const text = `Stop ended: ${cell(answer.value['target'])}. Waiting messages are sent.`;
  return ok({ json: answer.value, text });
}

async function list({ deps, instance }: At): Promise<Outcome> {
  const answer = await instance.get('/v1/stops?limit=500');
  if (!answer.ok) return answer;
  const stops = objectsIn(answer.value['stops']);
  const rows = stops.map((one) => [one['target'], one['stopped_at'], one['stopped_by'], one['reason']]);
  const text =
    rows.length === 0 ? 'There are no stops.' : table(deps, ['Stopped', 'Since', 'By', 'Reason'], rows);
  return ok({ json: stops, text });
}
