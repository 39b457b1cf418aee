import { Option, type Command } from 'commander';
import { defined } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { writeDocument, type DocumentOptions } from './write-document.js';

/** `orders make|document`: what was ordered of sellers, as documents. */
export function registerInsertionOrders(program: Command, deps: CliDeps): void {
  const orders = program.command('orders').description('orders: what was ordered of sellers, as documents');
  withTarget(orders.command('make'))
    .description('write down what a buy orders of its sellers: a new version where it changed')
    .argument('<buy>', 'id of the media buy')
    .option('--seller <slug>', 'only of this seller')
    .action(atInstance(deps, make));
  withTarget(orders.command('document'))
    .description('write a version as a file')
    .argument('<id>', 'id of the version')
    .addOption(new Option('--format <format>', 'of the file (default: pdf)').choices(['pdf', 'xlsx', 'html']))
    .requiredOption('--out <file>', 'where to write it')
    .action(
      atInstance(deps, (at: At<DocumentOptions>, id: string) =>
        writeDocument(at, `/v1/orders/${encodeURIComponent(id)}`),
      ),
    );
}

function make(
  { instance, options: { seller } }: At<TargetOptions & { readonly seller?: string }>,
  buy: string,
): Promise<Outcome> {
  const body = { media_buy_id: buy, ...defined({ seller }) };
  return shown(instance.post('/v1/orders', body), (answer) =>
    objectsIn(answer['orders'])
      .map(({ number, version, seller: slug, insertion_order_id: id, is_new: isNew, changes }) => {
        const said = Array.isArray(changes) ? changes.map((change) => `\n  ${cell(change)}`).join('') : '';
        const state = isNew === true ? 'is made' : 'says what is ordered now';
        return `${cell(number)}, version ${cell(version)}, of ${cell(slug)} ${state}: ${cell(id)}${said}`;
      })
      .join('\n'),
  );
}
