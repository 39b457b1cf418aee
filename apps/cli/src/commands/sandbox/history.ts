import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, type Outcome } from '../../outcome.js';
import { localInstance, onInstance, withTarget, type TargetOptions } from '../../target.js';

/** `sandbox history`. */
export function registerSandbox(program: Command, deps: CliDeps): void {
  const sandbox = program.command('sandbox').description('the sandbox market of a local instance');
  withTarget(sandbox.command('history'))
    .description(
      'create two closed months, one to close and an open one: buys, reports, invoices, differences',
    )
    .action(printing(deps, history));
}

async function history(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  const local = localInstance(deps, options);
  if (!local.ok) return local;
  const portFile = join(local.value.dataFolder, 'sandbox', 'control-port');
  if (!existsSync(portFile))
    return err({
      message: 'This instance has no sandbox market.',
      hint: 'The market starts with: npx switchyard up (profile local, without --no-sandbox).',
    });
  const marketUrl = `http://127.0.0.1:${readFileSync(portFile, 'utf8').trim()}`;
  // Loaded only here, so that other commands start fast.
  const { playHistory, historyText } = await import('../../history/play-history.js');
  return onInstance(deps, options, async (instance) => {
    const log = (line: string): void => void (options.json === true || deps.stderr.write(`${line}\n`));
    const played = await playHistory({ instance, marketUrl, now: Date.now(), log });
    if (!played.ok) return played;
    const { openBreaks, dueBreaks, ...counts } = played.value;
    const json = { ...counts, due_breaks: dueBreaks, open_breaks: openBreaks, closed: [...counts.closed] };
    const data = options.data === undefined ? '' : ` --data ${options.data}`;
    return ok({ json, text: historyText(played.value, data) });
  });
}
