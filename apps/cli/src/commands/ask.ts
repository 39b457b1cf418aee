import type { Command } from 'commander';
import { isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { refused } from '../instance-client.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { sellerProgress } from '../seller-progress.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface AskOptions extends TargetOptions {
  readonly brand?: string;
  readonly channel?: readonly string[];
}

/** `ask`: one brief to the whole market, one comparison back. */
export function registerAsk(program: Command, deps: CliDeps): void {
  withTarget(program.command('ask'))
    .description('ask every seller at once for products that fit a brief')
    .argument('<brief>', 'what you want to buy, in plain words')
    .option('--brand <domain>', 'the advertiser, by domain')
    .option('--channel <name...>', 'only these channels')
    .action(async (brief: string, options: AskOptions) => {
      finish(deps, options, await ask(deps, brief, options));
    });
}

function ask(deps: CliDeps, brief: string, options: AskOptions): Promise<Outcome> {
  const args: JsonObject = {
    brief,
    ...(options.brand === undefined ? {} : { brand_manifest: { url: `https://${options.brand}` } }),
    ...(options.channel ? { filters: { channels: [...options.channel] } } : {}),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task('get_products', args, sellerProgress(deps));
    if (!answer.ok) return answer;
    const { body, failed } = answer.value;
    return ok({
      json: body,
      text: failed ? '' : comparison(deps, body),
      ...(failed ? { failed: refused(0, body).message } : {}),
    });
  });
}

function comparison(deps: CliDeps, body: JsonObject): string {
  const products = objectsIn(body['products']);
  if (products.length === 0) return 'No seller offered anything for this brief.';
  const rows = products.map((product) => [
    sellerOf(product),
    product['product_id'],
    product['name'],
    objectsIn(product['pricing_options']).map(priceOf).join(', '),
  ]);
  return table(deps, ['Seller', 'Product', 'Name', 'Price'], rows);
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
