import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { ServerEvent } from '../http-exchange.js';
import { finish, type CliFailure, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { several } from '../read-options.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface ChangesOptions extends TargetOptions {
  readonly after?: string;
  readonly kind?: readonly string[];
}

/** `changes`: prints changes, one per line, until it is stopped. */
export function registerChanges(program: Command, deps: CliDeps): void {
  withTarget(program.command('changes'))
    .description('print changes as they happen, one a line (--json: JSON lines)')
    .option('--after <id>', 'start after the change with this id')
    .option('--kind <kind>', 'only changes of this kind of object; may be given several times', several)
    // The final error is not a JSON line.
    .action(async (options: ChangesOptions) => finish(deps, {}, await follow(deps, options)));
}

/**
 * The server ends each stream after a while. Then another one continues from its end, with a new token if the command
 * makes its own; if it cannot be opened, the command ends.
 */
async function follow(deps: CliDeps, options: ChangesOptions): Promise<Outcome> {
  let last = options.after;
  for (;;) {
    const stream = { isOpen: false };
    const outcome = await onInstance(deps, options, async (instance) => {
      const query = new URLSearchParams(last === undefined ? {} : { after: last });
      for (const kind of options.kind ?? []) query.append('kind', kind);
      const path = query.size === 0 ? '/v1/changes' : `/v1/changes?${query.toString()}`;
      const ended = await instance.follow(path, (event) => {
        stream.isOpen = true;
        last = event.id ?? last;
        const line = options.json === true ? jsonLine(event) : textLine(event);
        if (line !== undefined) deps.stdout.write(`${line}\n`);
      });
      return ended.ok ? ok({ json: null, text: '' }) : ended;
    });
    if (!outcome.ok && !stream.isOpen) return err(withPlace(outcome.error, last));
  }
}

function withPlace(failure: CliFailure, last: string | undefined): CliFailure {
  if (last === undefined) return failure;
  const hint = `Continue with: switchyard changes --after ${last}`;
  return { ...failure, hint: failure.hint === undefined ? hint : `${failure.hint}\n${hint}` };
}

function jsonLine({ event, id, data }: ServerEvent): string | undefined {
  const value = valueOf(data);
  if (value === undefined) return undefined;
  return JSON.stringify({ event, ...(id === undefined ? {} : { event_id: id }), ...value });
}

function textLine({ event, id, data }: ServerEvent): string | undefined {
  const value = valueOf(data);
  if (value === undefined) return undefined;
  if (event === 'reset') return `${cell(id)}  Changes were missed. Read all objects again.`;
  if (event !== 'change') return `${cell(id)}  Changes from now on.`;
  return [id, value['at'], value['kind'], value['id'], value['action']].map((part) => cell(part)).join('  ');
}

/** Undefined for data that is no change: a beat has only an id. */
function valueOf(data: string): Readonly<Record<string, JsonValue>> | undefined {
  const value = data === '' ? undefined : (JSON.parse(data) as JsonValue);
  return isJsonObject(value) ? value : undefined;
}
