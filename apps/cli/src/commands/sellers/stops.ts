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
    .description('emergency stop: nothing goes to a seller, for a principal, under a key, or out at all')
    .argument('<target>', targetText)
    .option('--reason <text>', 'why: it stands with the stop')
    .action(atInstance(deps, stop));
  withTarget(program.command('start'))
    .description('end an emergency stop: what was due goes out')
    .argument('<target>', targetText)
    .action(atInstance(deps, start));
  const stops = program.command('stops').description('emergency stops that stand');
  withTarget(stops.command('list')).description('list them, the oldest first').action(atInstance(deps, list));
}

async function stop({ instance, options }: At<StopOptions>, target: string): Promise<Outcome> {
  const body: JsonObject = { target, ...(options.reason === undefined ? {} : { reason: options.reason }) };
  const answer = await instance.post('/v1/stops', body);
  if (!answer.ok) return answer;
  const { stopped_by: by, stopped_at: at, target: named, note } = answer.value;
  const more = typeof note === 'string' ? `\n${cell(note)}` : '';
  const text = `Stopped: ${cell(named)}, by ${cell(by)} at ${cell(at)}. It holds everywhere within a second.${more}`;
  return ok({ json: answer.value, text });
}

async function start({ instance }: At, target: string): Promise<Outcome> {
  const answer = await instance.remove(`/v1/stops/${encodeURIComponent(target)}`);
  if (!answer.ok) return answer;
  const text = `Started again: ${cell(answer.value['target'])}. What was due goes out.`;
  return ok({ json: answer.value, text });
}

async function list({ deps, instance }: At): Promise<Outcome> {
  const answer = await instance.get('/v1/stops?limit=500');
  if (!answer.ok) return answer;
  const stops = objectsIn(answer.value['stops']);
  const rows = stops.map((one) => [one['target'], one['stopped_at'], one['stopped_by'], one['reason']]);
  const text =
    rows.length === 0 ? 'Nothing is stopped.' : table(deps, ['Stopped', 'Since', 'By', 'Reason'], rows);
  return ok({ json: stops, text });
}
