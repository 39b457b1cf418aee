import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { Routes } from '@switchyard/client';
import { refused } from '../../instance-client.js';
import { refusedSellers } from '../../objects-in.js';
import { printing, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { readJsonFile } from '../../read-input.js';
import { sellerProgress } from '../../seller-progress.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

/** `buy`: sends a create_media_buy request from a file, unchanged. */
export function registerBuy(program: Command, deps: CliDeps): void {
  withTarget(program.command('buy'))
    .description('buy: send a create_media_buy request')
    .argument('<file>', 'JSON file with the request, - for standard input')
    .option('--dry-run', 'show the result that the request would have, and do nothing')
    .action(printing(deps, buy));
}

interface BuyOptions extends TargetOptions {
  readonly dryRun?: true;
}

async function buy(deps: CliDeps, path: string, options: BuyOptions): Promise<Outcome> {
  const file = await readJsonFile(deps, path);
  if (!file.ok) return file;
  if (!isJsonObject(file.value.value)) return err({ message: `${path} holds no JSON object.` });
  if (options.dryRun === true)
    return onInstance(deps, options, (instance) =>
      shown(instance.post('/v1/buys/dry-run', file.value.bytes), (answer) =>
        previewText(answer as unknown as Preview),
      ),
    );
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

type Preview = Routes['POST /v1/buys/dry-run']['answer'];

function previewText(found: Preview): string {
  const { outcome, currency, total, campaign, approval_reason: reason, sellers, limits } = found;
  const reportLines = (indent: string, ...lists: Preview['problems'][]): string[] =>
    lists.flat().map(({ code, message }) => `${indent}${cell(message)} (${cell(code)})`);
  return [
    `${outcomes[outcome]}${total === null ? '' : ` Total: ${cell(total)} ${cell(currency)}.`}`,
    ...(reason === null ? [] : [cell(reason)]),
    `Campaign: ${campaign === null ? 'none' : cell(campaign)}`,
    ...reportLines('', found.problems, found.findings),
    ...sellers.flatMap((seller) => [
      `${cell(seller.seller)}: ${seller.ok ? 'ok' : 'problem'}${seller.total === null ? '' : `, ${cell(seller.total)} ${cell(currency)}`}`,
      ...reportLines('  ', seller.problems, seller.findings),
    ]),
    ...limits.map(
      ({ for: whose, exceeded, left_after: left, currency: of }) =>
        `Limit ${cell(whose)}: ${exceeded ? 'exceeded' : left === null ? 'not exceeded' : `${cell(left)} ${cell(of)} left after it`}`,
    ),
  ].join('\n');
}

const outcomes = {
  sent: 'The buy would be sent to its sellers.',
  approval: 'The buy would wait for an internal approval.',
  refused: 'The buy would be refused.',
} as const;
