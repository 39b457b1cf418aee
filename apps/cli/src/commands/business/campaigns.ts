import { Option, type Command } from 'commander';
import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type CliFailure, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { showOne, write } from './clients.js';
import { objectsIn } from '../../objects-in.js';
import { everyPage, listed, tableOf } from '../../pages.js';
import { pairs, several } from '../../read-options.js';

interface CampaignOptions extends TargetOptions {
  readonly name?: string;
  readonly client?: string;
  readonly brand?: string;
  readonly brandId?: string;
  readonly budget?: string;
  readonly currency?: string;
  readonly from?: string;
  readonly to?: string;
  readonly po?: string;
  readonly insertionOrder?: string;
  readonly estimate?: string;
  readonly reference?: string;
  readonly plan?: JsonObject;
  readonly aboveBudget?: string;
  readonly outsideFlight?: string;
  readonly status?: string;
  readonly owner?: string;
}

interface MoveOptions extends TargetOptions {
  readonly buy: string;
  readonly reason?: string;
}

interface AdviceOptions extends TargetOptions {
  readonly follow?: string;
}

interface PauseOptions extends TargetOptions {
  readonly buy?: readonly string[];
}

interface RuleOptions extends TargetOptions {
  readonly brand?: string;
  readonly referenceStart?: string;
}

const statuses = ['planned', 'active', 'closed'];
const rules = ['warn', 'ask', 'refuse', 'organization'];

/** Null gives the campaign the rule of the organization again. */
const ruleOf = (text: string | undefined): string | null | undefined =>
  text === 'organization' ? null : text;

/** `campaigns add`, `list`, `show`, `advice`, `pause`, `resume`, `set`, `assign`, `unassign` and `rules`. */
export function registerCampaigns(program: Command, deps: CliDeps): void {
  const campaigns = program.command('campaigns').description('campaigns, and the media buys in them');
  withNumbers(withTarget(campaigns.command('add')))
    .description('add a campaign of a client’s brand')
    .argument('<name>', 'its name')
    .requiredOption('--client <id>', 'id of the client')
    .requiredOption('--brand <domain>', 'which brand')
    .option('--brand-id <id>', 'brand_id, if the domain has several brands')
    .requiredOption('--budget <amount>', 'in all')
    .requiredOption('--currency <code>', 'of the budget')
    .requiredOption('--from <date>', 'first day of the flight')
    .requiredOption('--to <date>', 'last day of the flight')
    .action(
      atInstance(deps, (at: At<CampaignOptions>, name: string) => {
        const { client, brand, brandId, currency } = at.options;
        const own = defined({ name, client_id: client, brand, wire_brand_id: brandId, currency });
        return write(at, '/v1/campaigns', { ...own, ...membersOf(at.options) });
      }),
    );
  withTarget(campaigns.command('list'))
    .description('list campaigns, last changed first')
    .option('--client <id>', 'of this client')
    .option('--brand <domain>', 'of this brand')
    .addOption(new Option('--status <status>', 'only these').choices(statuses))
    .action(atInstance(deps, list));
  withTarget(campaigns.command('show'))
    .description('show one campaign')
    .argument('<campaign>', 'campaign id')
    .action(atInstance(deps, (at: At, id: string) => showOne(at, pathOf(id))));
  withTarget(campaigns.command('advice'))
    .description('show which budgets the rule of advice would change, and why; --follow changes them')
    .argument('<campaign>', 'campaign id')
    .option('--follow <advice>', 'id of the advice, as it was shown')
    .action(atInstance(deps, advice));
  for (const [name, what] of pauses)
    withTarget(campaigns.command(name))
      .description(what)
      .argument('<campaign>', 'campaign id')
      .option(
        '--buy <id>',
        'only this buy; may be given several times; without it all that can be changed',
        several,
      )
      .action(atInstance(deps, (at: At<PauseOptions>, id: string) => changeAll(at, id, name)));
  withNumbers(withTarget(campaigns.command('set')))
    .description('change, close or open a campaign; an option that is left out changes nothing')
    .argument('<campaign>', 'campaign id')
    .option('--name <name>', 'another name')
    .option('--budget <amount>', 'in all')
    .option('--from <date>', 'first day of the flight')
    .option('--to <date>', 'last day of the flight')
    .option('--owner <principal>', 'name or id of the principal that follows it')
    .action(
      atInstance(deps, (at: At<CampaignOptions>, id: string) =>
        write(at, pathOf(id), {
          ...defined({ name: at.options.name, owner: at.options.owner }),
          ...membersOf(at.options),
        }),
      ),
    );
  for (const [name, what] of moves)
    withTarget(campaigns.command(name))
      .description(what)
      .argument('<campaign>', 'campaign id')
      .requiredOption('--buy <id>', 'media buy id')
      .option('--reason <text>', 'the reason, stored with the move')
      .action(
        atInstance(deps, (at: At<MoveOptions>, id: string) => {
          const { buy, reason } = at.options;
          return write(at, `${pathOf(id)}/${name}`, defined({ media_buy_id: buy, reason }));
        }),
      );
  registerRules(campaigns, deps);
}

const pauses = [
  ['pause', 'pause the buys of a campaign at all their sellers'],
  ['resume', 'let the paused buys of a campaign run again at all their sellers'],
] as const;

const moves = [
  ['assign', 'assign a media buy to a campaign'],
  ['unassign', 'remove a media buy from a campaign'],
] as const;

function registerRules(campaigns: Command, deps: CliDeps): void {
  const rules = campaigns.command('rules').description('where buys belong whose requests name no campaign');
  withTarget(rules.command('add'))
    .description('assign buys to a campaign by brand or by reference')
    .argument('<campaign>', 'campaign id')
    .option('--brand <domain>', 'buys of this brand')
    .option('--reference-start <text>', 'buys whose reference begins with this text')
    .action(
      atInstance(deps, (at: At<RuleOptions>, id: string) => {
        const { brand, referenceStart } = at.options;
        return write(at, `${pathOf(id)}/rules`, defined({ brand, reference_start: referenceStart }));
      }),
    );
  withTarget(rules.command('list'))
    .description('list the rules of a campaign')
    .argument('<campaign>', 'campaign id')
    .action(atInstance(deps, listRules));
  withTarget(rules.command('remove'))
    .description('remove a rule; buys that it assigned stay in the campaign')
    .argument('<campaign>', 'campaign id')
    .argument('<rule>', 'rule id')
    .action(
      atInstance(deps, ({ instance }, id: string, rule: string) =>
        shown(
          instance.remove(`${pathOf(id)}/rules/${encodeURIComponent(rule)}`),
          () => `The rule ${cell(rule)} is removed.`,
        ),
      ),
    );
}

const pathOf = (id: string): string => `/v1/campaigns/${encodeURIComponent(id)}`;

function withNumbers(command: Command): Command {
  return command
    .option('--po <number>', 'its purchase order')
    .option('--insertion-order <number>', 'its insertion order')
    .option('--estimate <number>', 'its estimate number')
    .option('--reference <text>', 'name that requests can use instead of the id')
    .option(
      '--plan <month=amount>',
      'planned spend of a month: 2026-11=1000; may be given several times',
      pairs,
    )
    .addOption(
      new Option('--above-budget <rule>', 'a buy above its budget; organization: its rule').choices(rules),
    )
    .addOption(
      new Option('--outside-flight <rule>', 'a buy outside its flight; organization: its rule').choices(
        rules,
      ),
    )
    .addOption(new Option('--status <status>', 'a closed campaign accepts no buys').choices(statuses));
}

function membersOf(options: CampaignOptions) {
  return defined({
    budget: options.budget,
    from: options.from,
    to: options.to,
    po_number: options.po,
    insertion_order: options.insertionOrder,
    estimate: options.estimate,
    reference: options.reference,
    plan: options.plan,
    status: options.status,
    above_budget: ruleOf(options.aboveBudget),
    outside_flight: ruleOf(options.outsideFlight),
  });
}

function list(at: At<CampaignOptions>): Promise<Outcome> {
  const { client, brand, status } = at.options;
  return listed(everyPage(at), {
    path: '/v1/campaigns',
    name: 'campaigns',
    query: { client_id: client, brand, status },
    columns: {
      Campaign: 'campaign_id',
      Name: 'name',
      Client: 'client',
      Brand: 'brand',
      Status: 'status',
      Budget: (row) => `${cell(row['budget'])} ${cell(row['currency'])}`,
      Committed: (row) => figureOf(row, 'committed'),
      Delivered: (row) => figureOf(row, 'delivered'),
      Flight: (row) => `${cell(row['from'])} to ${cell(row['to'])}`,
      PO: 'po_number',
      Owner: 'owner',
    },
    none: 'There are no campaigns yet.',
  });
}

/** Empty without the permission to read the ledger. */
function figureOf({ figures }: JsonObject, name: string): string {
  return isJsonObject(figures) ? cell(figures[name]) : '';
}

const reasons: Readonly<Record<string, (fact: string) => string>> = {
  unspent: (fact) => `at its pace ${fact} would stay unspent`,
  dearest: (fact) => (fact === '' ? 'no price is known' : `its thousand impressions cost most: ${fact}`),
  room: (fact) => `at its pace it would spend ${fact} more`,
};

/** What the sellers answered, buy by buy. */
const outcomesOf = (deps: CliDeps, { outcomes }: JsonObject): string =>
  tableOf(
    deps,
    {
      Buy: 'media_buy_id',
      Sellers: ({ sellers }) => (Array.isArray(sellers) ? sellers.map(cell).join(', ') : ''),
      Status: 'status',
      Note: 'message',
    },
    objectsIn(outcomes),
  );

/** The most buys that one request changes. */
const buysPerRequest = 100;

/** A refusal of a later part says what the parts before have done: the same command goes on with the rest. */
const afterPart = (failure: CliFailure, done: number, all: number): CliFailure => ({
  ...failure,
  message: `${failure.message} The sellers of ${done} of ${all} buys were asked before; the same command asks the rest.`,
});

/** Pauses the buys of a campaign, or lets them run again: the named ones, or all that can be changed. */
async function changeAll(
  { deps, instance, options }: At<PauseOptions>,
  id: string,
  name: (typeof pauses)[number][0],
): Promise<Outcome> {
  const send = async (ids: readonly string[]): Promise<Result<JsonObject, CliFailure>> => {
    const outcomes: JsonValue[] = [];
    for (let from = 0; from < ids.length; from += buysPerRequest) {
      const part = ids.slice(from, from + buysPerRequest);
      const answer = await instance.post(`${pathOf(id)}/${name}`, { media_buy_ids: part });
      if (!answer.ok && from > 0) return err(afterPart(answer.error, from, ids.length));
      if (!answer.ok || ids.length <= buysPerRequest) return answer;
      outcomes.push(...objectsIn(answer.value['outcomes']));
    }
    return ok({ outcomes });
  };
  const change = (ids: readonly string[]): Promise<Outcome> =>
    shown(send(ids), (answer) => outcomesOf(deps, answer));
  if (options.buy !== undefined) return change(options.buy);
  const read = await instance.get(`${pathOf(id)}/pause`);
  if (!read.ok) return read;
  const ids = objectsIn(read.value[name === 'pause' ? 'running' : 'paused']).map((row) =>
    cell(row['media_buy_id']),
  );
  const none = `No buy of the campaign can be ${name === 'pause' ? 'paused' : 'resumed'} now.`;
  return ids.length === 0 ? ok({ json: { outcomes: [] }, text: none }) : change(ids);
}

/** What the rule says of a campaign, or what sellers answered to it. */
function advice({ deps, instance, options }: At<AdviceOptions>, id: string): Promise<Outcome> {
  const path = `${pathOf(id)}/advice`;
  if (options.follow !== undefined)
    return shown(instance.post(path, { advice_id: options.follow }), (answer) => outcomesOf(deps, answer));
  return shown(instance.get(path), ({ advice: of }) => {
    if (!isJsonObject(of)) return 'The rule of advice has nothing to say of this campaign.';
    const changes = tableOf(
      deps,
      {
        Line: 'package_id',
        Seller: 'seller',
        Budget: 'budget',
        'New budget': 'new_budget',
        Why: ({ why, fact }) => reasons[cell(why)]?.(cell(fact)) ?? cell(why),
      },
      objectsIn(of['changes']),
    );
    const title = `${cell(of['kind'])} ${cell(of['amount'])} ${cell(of['currency'])}`;
    const follow = `Change them: switchyard campaigns advice ${cell(id)} --follow ${cell(of['advice_id'])}`;
    return [title, changes, follow].join('\n');
  });
}

function listRules(at: At, id: string): Promise<Outcome> {
  return listed(everyPage(at), {
    path: `${pathOf(id)}/rules`,
    name: 'rules',
    columns: { Rule: 'rule_id', Brand: 'brand', 'Reference begins': 'reference_start' },
    none: 'The campaign has no rules.',
  });
}
