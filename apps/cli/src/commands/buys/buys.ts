import { Option, type Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { finish, shown, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { registerChanges } from './change-buy.js';

interface ListOptions extends PageOptions {
  readonly unassigned?: boolean;
  readonly campaign?: string;
  readonly status?: string;
  readonly sort?: string;
}

interface SettleOptions extends TargetOptions {
  readonly outcome: string;
  readonly sellerBuy?: string;
  readonly reason: string;
}

interface EndOptions extends TargetOptions {
  readonly seller: string;
  readonly reason: string;
}

/** `buys`, `buys show ID`, `buys settle LEG`, `buys end-commitment ID`, and the changes of a buy. */
export function registerBuys(program: Command, deps: CliDeps): void {
  const buys = withTarget(withPages(program.command('buys')))
    .description('list media buys, or show one')
    .option('--unassigned', 'only those without a campaign')
    .option('--campaign <id>', 'those of this campaign')
    .option('--status <status>', 'those in this state, for example pending_approval; several with commas')
    .addOption(new Option('--sort <order>', 'order (default: newest first)').choices(['newest', 'oldest']))
    .action(atInstance(deps, list));
  withTarget(buys.command('show'))
    .description('show one media buy with its part at each seller')
    .argument('<id>', 'media buy id')
    .action(async (id: string, _options: TargetOptions, command: Command) => {
      const options = command.optsWithGlobals<TargetOptions>();
      finish(deps, options, await show(deps, id, options));
    });
  withTarget(buys.command('end-commitment'))
    .description('end what a part that is over commits, where its seller sends no final figures')
    .argument('<id>', 'media buy id')
    .requiredOption('--seller <slug>', 'whose part it is')
    .requiredOption('--reason <text>', 'how you know that nothing more comes')
    .action(async (id: string, _options: EndOptions, command: Command) => {
      const options = command.optsWithGlobals<EndOptions>();
      finish(deps, options, await endCommitment(deps, id, options));
    });
  registerChanges(buys, deps);
  withTarget(buys.command('settle'))
    .description('settle a leg whose outcome only a person can find out')
    .argument('<leg>', 'leg id, as buys show lists it')
    .addOption(
      new Option('--outcome <outcome>', 'what the seller did')
        .choices(['made', 'not-made'])
        .makeOptionMandatory(),
    )
    .option('--seller-buy <id>', "the seller's id of the buy, if one was made")
    .requiredOption('--reason <text>', 'how you found out')
    .action(async (leg: string, _options: SettleOptions, command: Command) => {
      const options = command.optsWithGlobals<SettleOptions>();
      finish(deps, options, await settle(deps, leg, options));
    });
}

function endCommitment(
  deps: CliDeps,
  id: string,
  { seller, reason, ...options }: EndOptions,
): Promise<Outcome> {
  return onInstance(deps, options, (instance) =>
    shown(
      instance.post(`/v1/buys/${encodeURIComponent(id)}/end-commitment`, { seller, reason }),
      (answer) =>
        `The part at ${seller} is final. ${cell(answer['committed'])} ${cell(answer['currency'])} of it count from now on.`,
    ),
  );
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { unassigned, status, sort, limit = '500' } = at.options;
  const campaign = unassigned === true ? 'none' : at.options.campaign;
  const isFiltered = campaign !== undefined || status !== undefined;
  return listed(
    { ...at, options: { ...at.options, limit } },
    {
      path: '/v1/buys',
      name: 'media_buys',
      query: { campaign, status, sort },
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

function show(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, (instance) =>
    shown(instance.get(`/v1/buys/${encodeURIComponent(id)}`), (answer) => detail(deps, answer)),
  );
}

function settle(deps: CliDeps, leg: string, options: SettleOptions): Promise<Outcome> {
  const body = {
    outcome: options.outcome,
    reason: options.reason,
    ...(options.sellerBuy === undefined ? {} : { seller_buy: options.sellerBuy }),
  };
  return onInstance(deps, options, (instance) =>
    shown(
      instance.post(`/v1/legs/${encodeURIComponent(leg)}/settle`, body),
      (answer) =>
        `The outcome of leg ${cell(leg)} is recorded; its operation is ${cell(answer['task_status'])}.`,
    ),
  );
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
