import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { refused } from '../instance-client.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { readJsonFile } from '../read-input.js';
import { sellerProgress } from '../seller-progress.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface CancelOptions extends TargetOptions {
  readonly reason?: string;
}

/** `buys pause ID`, `buys resume ID`, `buys cancel ID` and `buys update FILE`: all of them the task update_media_buy. */
export function registerChanges(buys: Command, deps: CliDeps): void {
  const act = (name: string, description: string, updates: (options: CancelOptions) => JsonObject): Command =>
    withTarget(buys.command(name))
      .description(description)
      .argument('<id>', 'media buy id')
      .action(async (id: string, _options: CancelOptions, command: Command) => {
        const options = command.optsWithGlobals<CancelOptions>();
        const body = { media_buy_id: id, updates: updates(options) };
        finish(deps, options, await send(deps, options, Buffer.from(JSON.stringify(body))));
      });
  act('pause', 'pause a media buy at all its sellers', () => ({ paused: true }));
  act('resume', 'let a paused media buy run again', () => ({ paused: false }));
  act(
    'cancel',
    'cancel a media buy at all its sellers, for good; a seller may ask a fee for it',
    ({ reason }) => ({
      canceled: true,
      ...(reason === undefined ? {} : { cancellation_reason: reason }),
    }),
  ).option('--reason <text>', 'why, for the sellers');
  withTarget(buys.command('update'))
    .description('change a media buy: send an update_media_buy request')
    .argument('<file>', 'JSON file with the request, - for standard input')
    .action(async (path: string, _options: TargetOptions, command: Command) => {
      const options = command.optsWithGlobals<TargetOptions>();
      finish(deps, options, await sendFile(deps, options, path));
    });
}

async function sendFile(deps: CliDeps, options: TargetOptions, path: string): Promise<Outcome> {
  const file = await readJsonFile(deps, path);
  if (!file.ok) return file;
  if (!isJsonObject(file.value.value)) return err({ message: `${path} holds no JSON object.` });
  return send(deps, options, file.value.bytes);
}

function send(deps: CliDeps, options: TargetOptions, request: Buffer): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task('update_media_buy', request, sellerProgress(deps));
    if (!answer.ok) return answer;
    const { body, failed } = answer.value;
    if (!failed) return ok({ json: body, text: summary(body) });
    const { message, hint } = refused(0, body);
    return ok({ json: body, text: '', failed: hint === undefined ? message : `${message}\n${hint}` });
  });
}

function summary(body: JsonObject): string {
  const { media_buy_id: id, task_id: task } = body;
  const status = cell(body['media_buy_status'] ?? body['status']);
  if (typeof task === 'string')
    return `Taken in as task ${cell(task)}: ${cell(body['status'])}. Follow it with: npx switchyard buys show ${cell(id)}`;
  const named = objectsIn(body['errors']).map((error) => `\n${cell(error['message'])}`);
  return `Media buy ${cell(id)}: ${status}${named.join('')}\nSee it with: npx switchyard buys show ${cell(id)}`;
}
