import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface AcknowledgeOptions extends TargetOptions {
  readonly reason: string;
  readonly accept?: boolean;
}

/** `alarms acknowledge ID`. */
export function registerAlarms(program: Command, deps: CliDeps): void {
  const alarms = program.command('alarms').description('what a person must look at: keys and signers');
  withTarget(alarms.command('acknowledge'))
    .description('acknowledge an alarm')
    .argument('<id>', 'alarm id')
    .requiredOption('--reason <text>', 'the reason, stored with the alarm')
    .option('--accept', 'also accept the new address of the key set')
    .action(atInstance(deps, acknowledge));
}

function acknowledge({ instance, options }: At<AcknowledgeOptions>, id: string): Promise<Outcome> {
  const body: JsonObject = { reason: options.reason, accept: options.accept === true };
  return shown(
    instance.post(`/v1/alarms/${encodeURIComponent(id)}/acknowledge`, body),
    (answer) => `Alarm ${cell(id)} is acknowledged by ${cell(answer['acknowledged_by'])}.`,
  );
}
