import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { refused } from '../../instance-client.js';
import { refusedSellers } from '../../objects-in.js';
import { finish, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { readJsonFile } from '../../read-input.js';
import { sellerProgress } from '../../seller-progress.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

/** `buy`: a create_media_buy request from a file, sent as it stands. */
export function registerBuy(program: Command, deps: CliDeps): void {
  withTarget(program.command('buy'))
    .description('buy: send a create_media_buy request')
    .argument('<file>', 'JSON file with the request, - for standard input')
    .action(async (file: string, options: TargetOptions) => {
      finish(deps, options, await buy(deps, file, options));
    });
}

async function buy(deps: CliDeps, path: string, options: TargetOptions): Promise<Outcome> {
  const file = await readJsonFile(deps, path);
  if (!file.ok) return file;
  if (!isJsonObject(file.value.value)) return err({ message: `${path} holds no JSON object.` });
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task('create_media_buy', file.value.bytes, sellerProgress(deps));
    if (!answer.ok) return answer;
    const { body, failed } = answer.value;
    const { message, hint } = refused(0, body);
    const bad = failed ? [message, hint].filter(Boolean).join('\n') : refusedSellers(body);
    return ok({
      json: body,
      text: failed ? '' : summary(body),
      ...(bad === undefined ? {} : { failed: bad }),
    });
  });
}

function summary(body: JsonObject): string {
  const id = body['media_buy_id'];
  if (typeof id === 'string') {
    const status = body['media_buy_status'] ?? body['status'];
    return `Media buy ${cell(id)}: ${cell(status)}\nSee it with: npx switchyard buys show ${cell(id)}`;
  }
  return `Accepted as task ${cell(body['task_id'])}: ${cell(body['status'])}. Follow it with: npx switchyard buys`;
}
