import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { refused, type InstanceClient } from '../../instance-client.js';
import { objectsIn, refusedSellers } from '../../objects-in.js';
import { finish, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { confirmed, readJsonFile } from '../../read-input.js';
import { sellerProgress } from '../../seller-progress.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

interface CancelOptions extends TargetOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** `buys pause ID`, `buys resume ID`, `buys cancel ID` and `buys update FILE`: all of them the task update_media_buy. */
export function registerChanges(buys: Command, deps: CliDeps): void {
  const act = (name: string, description: string, updates: (options: CancelOptions) => JsonObject): Command =>
    withTarget(buys.command(name))
      .description(description)
      .argument('<id>', 'media buy id')
      .action(async (id: string, _options: CancelOptions, command: Command) => {
        const options = command.optsWithGlobals<CancelOptions>();
        const body = Buffer.from(JSON.stringify({ media_buy_id: id, updates: updates(options) }));
        const outcome = await onInstance(deps, options, async (instance) => {
          const mayGoOn = name === 'cancel' ? await mayCancel(deps, instance, id, options) : ok(true);
          if (!mayGoOn.ok) return mayGoOn;
          return mayGoOn.value
            ? change(deps, instance, body)
            : ok({ json: {}, text: '', failed: 'Nothing was canceled.' });
        });
        finish(deps, options, outcome);
      });
  act('pause', 'pause a media buy at all its sellers', () => ({ paused: true }));
  act('resume', 'resume a paused media buy', () => ({ paused: false }));
  act(
    'cancel',
    'cancel a media buy at all its sellers; it cannot be undone, and a seller may charge a fee',
    ({ reason }) => ({
      canceled: true,
      ...(reason === undefined ? {} : { cancellation_reason: reason }),
    }),
  )
    .option('--reason <text>', 'why, for the sellers')
    .option('--yes', 'cancel without being asked');
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
  return onInstance(deps, options, (instance) => change(deps, instance, file.value.bytes));
}

/** Shows what canceling costs at each seller, package by package, and asks the user to confirm. */
async function mayCancel(
  deps: CliDeps,
  instance: InstanceClient,
  id: string,
  { yes }: CancelOptions,
): Promise<Result<boolean, CliFailure>> {
  const buy = await instance.get(`/v1/buys/${encodeURIComponent(id)}`);
  if (!buy.ok) return buy;
  for (const item of objectsIn(buy.value['packages'])) {
    if (item['canceled'] === true) continue;
    const cost = item['cancellation_cost'] ?? 'The seller quoted no terms of cancellation.';
    // A package that no seller has yet has no id.
    const name = cell(item['package_id']) || cell(item['product_id']);
    deps.stderr.write(`${cell(item['seller'])} ${name}: ${cell(cost)}\n`);
  }
  return yes === true
    ? ok(true)
    : confirmed(deps, `Canceling ${cell(id)} at all its sellers cannot be undone.`);
}

async function change(deps: CliDeps, instance: InstanceClient, request: Buffer): Promise<Outcome> {
  const answer = await instance.task('update_media_buy', request, sellerProgress(deps));
  if (!answer.ok) return answer;
  const { body, failed } = answer.value;
  const { message, hint } = refused(0, body);
  const bad = failed ? [message, hint].filter(Boolean).join('\n') : refusedSellers(body);
  return ok({ json: body, text: failed ? '' : summary(body), ...(bad === undefined ? {} : { failed: bad }) });
}

function summary(body: JsonObject): string {
  const { media_buy_id: id, task_id: task } = body;
  const status = cell(body['media_buy_status'] ?? body['status']);
  if (typeof task === 'string')
    return `Accepted as task ${cell(task)}: ${cell(body['status'])}. Follow it with: npx switchyard buys show ${cell(id)}`;
  const named = objectsIn(body['errors']).map((error) => `\n${cell(error['message'])}`);
  return `Media buy ${cell(id)}: ${status}${named.join('')}\nSee it with: npx switchyard buys show ${cell(id)}`;
}
