import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { needed, request } from '../../request-command.js';

/** `agreements set|end`: what was agreed with a seller about how it bills. */
export function registerAgreements(program: Command, deps: CliDeps): void {
  const agreements = program.command('agreements').description('agreements: how sellers bill');
  request(agreements, deps, 'set <seller>', {
    describe: 'say what was agreed with a seller: a request, which another person approves',
    of: 'slug or id of the seller',
    options: {
      '--buy <id>': { help: 'only this media buy', member: 'media_buy_id' },
      '--order <number>': { help: 'only buys of this insertion order', member: 'insertion_order' },
      '--commission <percent>': 'of the agency; needs --bills',
      '--bills <how>': { help: 'invoices with the commission, or without it', words: ['gross', 'net'] },
      '--capped': 'nothing above the order has to be paid',
      '--no-capped': 'what is delivered above the order has to be paid',
      '--fees <percent>': 'fees up to this part of the media of a document',
      '--counted-by <who>': { help: 'whose count has to be paid', words: ['seller', 'third_party'] },
      '--variance <percent>': 'how far two counts may differ',
      '--from <month>': needed('first month, YYYY-MM', 'first_month'),
      '--until <month>': { help: 'last month', member: 'last_month' },
      '--reason <text>': needed('where it is written'),
    },
    route: 'POST /v1/agreements',
    text: 'The agreement is set.',
  });
  request(agreements, deps, 'end <agreement>', {
    describe: 'end an agreement with a month: a request, which another person approves',
    of: 'id of the agreement',
    options: { '--until <month>': needed('the last month that it holds, YYYY-MM', 'last_month') },
    route: 'POST /v1/agreements/{id}/end',
    text: (_, { until }) => `The agreement ends with ${until}.`,
  });
}
