import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { registerChanges } from './change-buy.js';

interface ListOptions extends PageOptions {
  readonly unassigned?: boolean;
  readonly campaign?: string;
  readonly status?: string;
}

/** `buys`, `buys show ID`, `buys settle LEG`, `buys end-commitment ID`, and the changes of a buy. */
export function registerBuys(program: Command, deps: CliDeps): void {
  const buys = withTarget(withPages(program.command('buys')))
    .description('list media buys, or show one')
    .option('--unassigned', 'only those without a campaign')
    .action(atInstance(deps, list));
  request(buys, deps, 'show <id>', {
    describe: 'show one media buy with its part at each seller',
    of: 'media buy id',
    route: 'GET /v1/buys/{id}',
    text: (answer) => detail(deps, answer),
  });
  request(buys, deps, 'end-commitment <id>', {
    describe: 'end what a part that is over commits, where its seller sends no final figures',
    of: 'media buy id',
    options: {
      '--seller <slug>': needed('whose part it is'),
      '--reason <text>': needed('how you know that nothing more comes'),
    },
    route: 'POST /v1/buys/{id}/end-commitment',
    text: ({ committed, currency }, { seller }) =>
      `The part at ${seller} is final. ${cell(committed)} ${cell(currency)} of it count from now on.`,
  });
  registerChanges(buys, deps);
  request(buys, deps, 'settle <leg>', {
    describe: 'settle a leg whose outcome only a person can find out',
    of: 'leg id, as buys show lists it',
    options: {
      '--outcome <outcome>': {
        help: 'what the seller did',
        isNeeded: true,
        words: ['made', 'not-made'],
      },
      '--seller-buy <id>': "the seller's id of the buy, if one was made",
      '--reason <text>': needed('how you found out'),
    },
    route: 'POST /v1/legs/{id}/settle',
    text: ({ task_status: status }, { leg }) =>
      `The outcome of leg ${leg} is recorded; its operation is ${cell(status)}.`,
  });
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { unassigned, status, limit = '500' } = at.options;
  const campaign = unassigned === true ? 'none' : at.options.campaign;
  const isFiltered = campaign !== undefined || status !== undefined;
  return listed(
    { ...at, options: { ...at.options, limit } },
    {
      path: '/v1/buys',
      name: 'media_buys',
      query: { campaign },
      columns: {
        'Media buy': 'media_buy_id',
        'Your reference': 'buyer_ref',
        Client: (buy) => buy['client'] ?? buy['brand'],
        Campaign: (buy) => buy['campaign'] ?? 'unassigned',
        Status: 'status',
        // The committed amount: a part that its seller refused, or that was canceled, costs nothing.
        Budget: (buy) => `${cell(buy['current_total_budget'])} ${cell(buy['currency'])}`,
        'At the sellers': (buy) =>
          objectsIn(buy['sellers'])
            .map((part) => `${cell(part['seller'])} ${stateOf(part)}`)
            .join(', '),
      },
      none: isFiltered
        ? 'No media buy matches.'
        : 'There are no media buys yet. Buy with: npx switchyard buy FILE',
    },
  );
}

/** The state of one seller's part: an emergency stop may hold it, which no status says. */
function stateOf({ status, held_by: stop }: JsonObject): string {
  if (!isJsonObject(stop)) return cell(status);
  const reason = stop['reason'] === undefined ? '' : ` (${cell(stop['reason'])})`;
  return `not sent: held by the stop ${cell(stop['target'])}${reason}`;
}

function detail(deps: CliDeps, buy: JsonObject): string {
  const legs = objectsIn(buy['legs']).map((leg) => [
    leg['seller'],
    leg['task'],
    leg['waits_for_person'] === true ? 'waits for you' : leg['task_status'],
    leg['status'],
    leg['seller_media_buy_id'],
    leg['reason'],
    leg['leg_id'],
  ]);
  const packages = objectsIn(buy['packages']).map((item) => [
    item['package_id'],
    item['buyer_ref'],
    item['product_id'],
    item['budget'],
    item['current_budget'],
    item['spend'],
    item['impressions'],
  ]);
  return [
    `Media buy ${cell(buy['media_buy_id'])}: ${cell(buy['status'])}, agreed ${cell(buy['total_budget'])}, now ${cell(buy['current_total_budget'])} ${cell(buy['currency'])}`,
    `For ${cell(buy['client'] ?? 'no client')}, brand ${cell(buy['brand'])}, campaign ${cell(buy['campaign'] ?? 'unassigned')}; made by ${cell(buy['created_by'])}, account ${cell(buy['account'])}`,
    `From ${cell(buy['start_time'])} to ${cell(buy['end_time'])}, operation ${cell(buy['operation_id'])}`,
    '',
    legs.length === 0
      ? 'No seller was asked yet.'
      : table(deps, ['Seller', 'Task', 'Its status', 'Status', 'Id at the seller', 'Reason', 'Leg'], legs),
    '',
    table(deps, ['Package', 'Your reference', 'Product', 'Agreed', 'Now', 'Spend', 'Impressions'], packages),
    ...termsIn(deps, buy),
    ...changesIn(deps, buy),
  ].join('\n');
}

/** The terms of each package, one below the other; empty if no seller has quoted or reported any. */
function termsIn(deps: CliDeps, buy: JsonObject): readonly string[] {
  const rows = objectsIn(buy['packages']).map((item) => {
    const [quoted, terms] = [item['quoted_terms'], item['terms']].map((member) =>
      isJsonObject(member) ? member : undefined,
    );
    const reported = [
      quoted?.['cancellation_policy'],
      terms?.['measurement_terms'],
      terms?.['performance_standards'],
    ];
    const unknown = quoted === undefined ? 'not known' : undefined;
    return [
      item['package_id'],
      ...reported.map((term) => (term === undefined ? unknown : JSON.stringify(term))),
    ];
  });
  if (!rows.some((row) => row.slice(1).some((term) => term !== undefined && term !== 'not known'))) return [];
  return ['', table(deps, ['Package', 'Cancellation', 'Measurement', 'Standards'], rows)];
}

/** Empty for a buy that never changed. */
function changesIn(deps: CliDeps, buy: JsonObject): readonly string[] {
  const changes = objectsIn(buy['changes']).map((change) => [
    change['at'],
    change['revision'],
    change['seller'],
    change['action'],
    change['package_id'],
    JSON.stringify(change['detail'] ?? {}),
    change['by'] ?? change['actor'],
  ]);
  if (changes.length === 0) return [];
  return ['', table(deps, ['When', 'Revision', 'Seller', 'Change', 'Package', 'Detail', 'By'], changes)];
}
