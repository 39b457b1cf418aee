import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { writeDocument, type DocumentOptions } from './write-document.js';

/** `orders make|document`: what was ordered of sellers, as documents. */
export function registerInsertionOrders(program: Command, deps: CliDeps): void {
  const orders = program.command('orders').description('orders: what was ordered of sellers, as documents');
  request(orders, deps, 'make <buy>', {
    describe: 'write down what a buy orders of its sellers: a new version where it changed',
    of: 'id of the media buy',
    options: { '--seller <slug>': 'only of this seller' },
    route: 'POST /v1/orders',
    members: ({ buy, seller }) => ({ media_buy_id: buy, seller }),
    text: madeText,
  });
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

const madeText = (answer: JsonObject): string =>
  objectsIn(answer['orders'])
    .map(({ number, version, seller: slug, insertion_order_id: id, is_new: isNew, changes }) => {
      const said = Array.isArray(changes) ? changes.map((change) => `\n  ${cell(change)}`).join('') : '';
      const state = isNew === true ? 'is made' : 'says what is ordered now';
      return `${cell(number)}, version ${cell(version)}, of ${cell(slug)} ${state}: ${cell(id)}${said}`;
    })
    .join('\n');
