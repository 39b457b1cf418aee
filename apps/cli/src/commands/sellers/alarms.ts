import { Option, type Command } from 'commander';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listed, withPages, withTimes, type PageOptions } from '../../pages.js';

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
  const alarms = program.command('alarms').description('what a person must look at: keys and signers');
  withTarget(withPages(withTimes(alarms.command('list'))))
    .description('list alarms, newest first')
    .addOption(new Option('--state <state>', 'only those in this state').choices(['open', 'acknowledged']))
    .option('--kind <kind>', 'only those of this kind')
    .action(atInstance(deps, list));
  withTarget(alarms.command('acknowledge'))
    .description('acknowledge an alarm')
    .argument('<id>', 'alarm id')
    .requiredOption('--reason <text>', 'the reason, stored with the alarm')
    .option('--accept', 'also accept the new address of the key set')
    .action(atInstance(deps, acknowledge));
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { state, kind, since, until } = at.options;
  return listed(at, {
    path: '/v1/alarms',
    name: 'alarms',
    query: { state, kind, since, until },
    columns: {
      Alarm: 'alarm_id',
      Kind: 'kind',
      About: 'subject',
      Detail: (row) => detailOf(row['detail']),
      Times: 'count',
      Last: 'last_at',
      'Acknowledged by': 'acknowledged_by',
    },
    none: 'No alarm matches.',
  });
}

function acknowledge({ instance, options }: At<AcknowledgeOptions>, id: string): Promise<Outcome> {
  const body: JsonObject = { reason: options.reason, accept: options.accept === true };
  return shown(
    instance.post(`/v1/alarms/${encodeURIComponent(id)}/acknowledge`, body),
    (answer) => `Alarm ${cell(id)} is acknowledged by ${cell(answer['acknowledged_by'])}.`,
  );
}

function detailOf(detail: JsonValue | undefined): string {
  if (!isJsonObject(detail)) return '';
  return Object.entries(detail)
    .filter(([name]) => name !== 'connection_id')
    .map(([name, value]) => `${name} ${cell(value)}`)
    .join(', ');
}
