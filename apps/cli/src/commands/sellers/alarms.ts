import { Option, type Command } from 'commander';
import { isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { getPages, shownPage, withPages, withTimes, type PageOptions } from '../../pages.js';

interface ListOptions extends PageOptions {
  readonly state?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
}

interface AcknowledgeOptions extends TargetOptions {
  readonly reason: string;
  readonly accept?: boolean;
}

/** `alarms list` and `alarms acknowledge ID`. */
export function registerAlarms(program: Command, deps: CliDeps): void {
  const alarms = program.command('alarms').description('what a person has to look at: keys and signers');
  withTarget(withPages(withTimes(alarms.command('list'))))
    .description('list alarms, newest first')
    .addOption(new Option('--state <state>', 'only those that are so').choices(['open', 'acknowledged']))
    .option('--kind <kind>', 'only those of this kind')
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
    const { state, kind, since, until } = options;
    const query = { state, kind, since, until };
    const page = await getPages(instance, { path: '/v1/alarms', name: 'alarms' }, query, options);
    if (!page.ok) return page;
    const rows = page.value.rows.map((one) => [
      one['alarm_id'],
      one['kind'],
      one['subject'],
      detailOf(one['detail']),
      one['count'],
      one['last_at'],
      one['acknowledged_by'],
    ]);
    const head = ['Alarm', 'Kind', 'About', 'Detail', 'Times', 'Last', 'Acknowledged by'];
    const text = rows.length === 0 ? 'There are no such alarms.' : table(deps, head, rows);
    return shownPage(page.value, text);
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
