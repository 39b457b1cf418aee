import { InvalidArgumentError, type Command } from 'commander';
import { isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { refused } from '../../instance-client.js';
import { objectsIn, sellerRows } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { sellerProgress } from '../../seller-progress.js';
import { table } from '../../table.js';
import { withTarget, type TargetOptions, atInstance, type At } from '../../target.js';

interface AskOptions extends TargetOptions {
  readonly brand?: string;
  readonly channel?: readonly string[];
  readonly timeout?: number;
}

/** `ask`: sends one brief to the whole market and prints a comparison. */
export function registerRequest(program: Command, deps: CliDeps): void {
  withTarget(program.command('ask'))
    .description('ask every seller at once for products that fit a brief')
    .argument('<brief>', 'what you want to buy, in plain words')
    .option('--brand <domain>', 'the advertiser, by domain')
    .option('--channel <name>', 'only this channel; may be given several times', several)
    .option('--timeout <seconds>', 'how long to wait for sellers, 1 to 10 (default: 10)', seconds)
    .action(atInstance(deps, ask));
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 10)
    throw new InvalidArgumentError('Give a whole number of seconds, 1 to 10.');
  return value;
}

async function ask({ deps, instance, options }: At<AskOptions>, brief: string): Promise<Outcome> {
  const args: JsonObject = {
    brief,
    ...(options.brand === undefined ? {} : { brand_manifest: { url: `https://${options.brand}` } }),
    ...(options.timeout === undefined ? {} : { time_budget: { interval: options.timeout, unit: 'seconds' } }),
    ...(options.channel ? { filters: { channels: [...options.channel] } } : {}),
  };
  const answer = await instance.task('get_products', args, sellerProgress(deps));
  if (!answer.ok) return answer;
  const { body, failed } = answer.value;
  const isAnswered = sellerRows(body).some(({ status }) => status === 'answered');
  const bad = failed ? refused(0, body).message : isAnswered ? undefined : 'No seller answered.';
  return ok({
    json: body,
    text: isAnswered ? comparison(deps, body) : '',
    ...(bad === undefined ? {} : { failed: bad }),
  });
}

function comparison(deps: CliDeps, body: JsonObject): string {
  const products = objectsIn(body['products']);
  if (products.length === 0) return 'No seller offered anything for this brief.';
  const rows = products.flatMap((product) => {
    const options = objectsIn(product['pricing_options']);
    return (options.length === 0 ? [{}] : options).map((option) => [
      product['product_id'],
      product['name'],
      option['pricing_option_id'],
      priceOf(option),
    ]);
  });
  return table(deps, ['Product', 'Name', 'Pricing option', 'Price'], rows);
}

/** The seller of an item: at the top in the service form, under `ext.switchyard` elsewhere. */
export function sellerOf(item: JsonObject): JsonValue | undefined {
  if ('seller' in item) return item['seller'];
  const ext = item['ext'];
  const ours = isJsonObject(ext) ? ext['switchyard'] : undefined;
  return isJsonObject(ours) ? ours['seller'] : undefined;
}

function priceOf(option: JsonObject): string {
  const fixed = option['price'] ?? option['fixed_price'] ?? option['rate'];
  const floor = option['floor'] ?? option['floor_price'];
  const currency = cell(option['currency'] ?? 'USD');
  const model = cell(option['pricing_model']);
  if (typeof fixed === 'number') return `${currency} ${fixed} ${model}`;
  if (typeof floor === 'number') return `from ${currency} ${floor} ${model}`;
  return model;
}
