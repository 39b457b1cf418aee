import { Option, type Command } from 'commander';
import { isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface ListOptions extends TargetOptions {
  readonly state?: string;
}

interface AcknowledgeOptions extends TargetOptions {
  readonly reason: string;
  readonly accept?: boolean;
}

/** `alarms list` and `alarms acknowledge ID`. */
export function registerAlarms(program: Command, deps: CliDeps): void {
  const alarms = program.command('alarms').description('what a person has to look at: keys and signers');
  withTarget(alarms.command('list'))
    .description('list alarms, newest first')
    .addOption(new Option('--state <state>', 'only those that are so').choices(['open', 'acknowledged']))
    .action(async (options: ListOptions) => finish(deps, options, await list(deps, options)));
  withTarget(alarms.command('acknowledge'))
    .description('end an alarm that somebody has looked at')
    .argument('<id>', 'alarm id')
    .requiredOption('--reason <text>', 'why: it is kept with the alarm')
    .option('--accept', 'take over what it is about: the new address of a key set')
    .action(async (id: string, options: AcknowledgeOptions) =>
      finish(deps, options, await acknowledge(deps, id, options)),
    );
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const query = options.state === undefined ? '' : `?state=${options.state}`;
    const answer = await instance.get(`/v1/alarms${query}`);
    if (!answer.ok) return answer;
    const alarms = objectsIn(answer.value['alarms']);
    const rows = alarms.map((one) => [
      one['alarm_id'],
      one['kind'],
      one['subject'],
      detailOf(one['detail']),
      one['count'],
      one['last_at'],
      one['acknowledged_by'],
    ]);
    const head = ['Alarm', 'Kind', 'About', 'Detail', 'Times', 'Last', 'Acknowledged by'];
    return ok({
      json: alarms,
      text: rows.length === 0 ? 'There are no such alarms.' : table(deps, head, rows),
    });
  });
}

function acknowledge(deps: CliDeps, id: string, options: AcknowledgeOptions): Promise<Outcome> {
  const ask: JsonObject = { reason: options.reason, accept: options.accept === true };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/alarms/${encodeURIComponent(id)}/acknowledge`, ask);
    if (!answer.ok) return answer;
    const text = `Alarm ${cell(id)} is acknowledged by ${cell(answer.value['acknowledged_by'])}.`;
    return ok({ json: answer.value, text });
  });
}

function detailOf(detail: JsonValue | undefined): string {
  if (!isJsonObject(detail)) return '';
  return Object.entries(detail)
    .filter(([name]) => name !== 'connection_id')
    .map(([name, value]) => `${name} ${cell(value)}`)
    .join(', ');
}
