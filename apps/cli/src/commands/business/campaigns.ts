import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type CliFailure, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { membersOf } from './clients.js';
import { objectsIn } from '../../objects-in.js';
import { everyPage, listed, tableOf } from '../../pages.js';
import { pairs, several } from '../../read-options.js';
import { needed, request } from '../../request-command.js';

interface AdviceOptions extends TargetOptions {
  readonly follow?: string;
}

interface PauseOptions extends TargetOptions {
  readonly buy?: readonly string[];
}

const statuses = ['planned', 'active', 'closed'];
const rules = ['warn', 'ask', 'refuse', 'organization'];

/** Options of a campaign that both acts take. */
const numbers = {
  '--po <number>': { help: 'its purchase order', member: 'po_number' },
  '--insertion-order <number>': 'its insertion order',
  '--estimate <number>': 'its estimate number',
  '--reference <text>': 'name that requests can use instead of the id',
  '--plan <month=amount>': {
    help: 'planned spend of a month: 2026-11=1000; may be given several times',
    read: pairs,
  },
  '--above-budget <rule>': { help: 'a buy above its budget; organization: its rule', words: rules },
  '--outside-flight <rule>': { help: 'a buy outside its flight; organization: its rule', words: rules },
  '--status <status>': { help: 'a closed campaign accepts no buys', words: statuses },
};

/** `organization` gives the campaign the rule of the organization again. */
const ruleOf = (text: unknown): unknown => (text === 'organization' ? null : text);

/** Options as the members of a campaign. */
const membersOfCampaign = ({
  po,
  insertionOrder,
  aboveBudget,
  outsideFlight,
  ...options
}: CampaignOptions) => ({
  ...{ po_number: po, insertion_order: insertionOrder },
  ...{ above_budget: ruleOf(aboveBudget), outside_flight: ruleOf(outsideFlight) },
  ...{ budget: options['budget'], from: options['from'], to: options['to'], estimate: options['estimate'] },
  ...{ reference: options['reference'], plan: options['plan'], status: options['status'] },
});

type CampaignOptions = Readonly<Record<string, unknown>>;

/** `campaigns add`, `list`, `show`, `advice`, `pause`, `resume`, `set`, `assign`, `unassign` and `rules`. */
export function registerCampaigns(program: Command, deps: CliDeps): void {
  const campaigns = program.command('campaigns').description('campaigns, and the media buys in them');
  const of = 'campaign id';
  request(campaigns, deps, 'add <name>', {
    describe: 'add a campaign of a client’s brand',
    of: 'its name',
    options: {
      ...numbers,
      '--client <id>': needed('id of the client'),
      '--brand <domain>': needed('which brand'),
      '--brand-id <id>': 'brand_id, if the domain has several brands',
      '--budget <amount>': needed('in all'),
      '--currency <code>': needed('of the budget'),
      '--from <date>': needed('first day of the flight'),
      '--to <date>': needed('last day of the flight'),
    },
    route: 'POST /v1/campaigns',
    members: ({ name, client, brand, brandId, currency, ...options }) => ({
      ...{ name, client_id: client, brand, wire_brand_id: brandId, currency },
      ...membersOfCampaign(options),
    }),
    text: membersOf,
  });
  withTarget(campaigns.command('list'))
    .description('list campaigns, last changed first')
    .action(atInstance(deps, list));
  request(campaigns, deps, 'show <campaign>', {
    describe: 'show one campaign',
    of,
    route: 'GET /v1/campaigns/{id}',
    text: membersOf,
  });
  withTarget(campaigns.command('advice'))
    .description('show which budgets the rule of advice would change, and why; --follow changes them')
    .argument('<campaign>', of)
    .option('--follow <advice>', 'id of the advice, as it was shown')
    .action(atInstance(deps, advice));
  for (const [name, what] of pauses)
    withTarget(campaigns.command(name))
      .description(what)
      .argument('<campaign>', of)
      .option(
        '--buy <id>',
        'only this buy; may be given several times; without it all that can be changed',
        several,
      )
      .action(atInstance(deps, (at: At<PauseOptions>, id: string) => changeAll(at, id, name)));
  request(campaigns, deps, 'set <campaign>', {
    describe: 'change, close or open a campaign; an option that is left out changes nothing',
    of,
    options: {
      ...numbers,
      '--name <name>': 'another name',
      '--budget <amount>': 'in all',
      '--from <date>': 'first day of the flight',
      '--to <date>': 'last day of the flight',
      '--owner <principal>': 'name or id of the principal that follows it',
    },
    route: 'POST /v1/campaigns/{id}',
    members: ({ name, owner, ...options }) => ({ name, owner, ...membersOfCampaign(options) }),
    text: membersOf,
  });
  const moved = {
    of,
    options: {
      '--buy <id>': needed('media buy id', 'media_buy_id'),
      '--reason <text>': 'the reason, stored with the move',
    },
    text: membersOf,
  };
  request(campaigns, deps, 'assign <campaign>', {
    describe: 'assign a media buy to a campaign',
    route: 'POST /v1/campaigns/{id}/assign',
    ...moved,
  });
  request(campaigns, deps, 'unassign <campaign>', {
    describe: 'remove a media buy from a campaign',
    route: 'POST /v1/campaigns/{id}/unassign',
    ...moved,
  });
  registerRules(campaigns, deps);
}

const pauses = [
  ['pause', 'pause the buys of a campaign at all their sellers'],
  ['resume', 'let the paused buys of a campaign run again at all their sellers'],
] as const;

function registerRules(campaigns: Command, deps: CliDeps): void {
  const rules = campaigns.command('rules').description('where buys belong whose requests name no campaign');
  request(rules, deps, 'add <campaign>', {
    describe: 'assign buys to a campaign by brand or by reference',
    of: 'campaign id',
    options: {
      '--brand <domain>': 'buys of this brand',
      '--reference-start <text>': 'buys whose reference begins with this text',
    },
    route: 'POST /v1/campaigns/{id}/rules',
    text: membersOf,
  });
  withTarget(rules.command('list'))
    .description('list the rules of a campaign')
    .argument('<campaign>', 'campaign id')
    .action(atInstance(deps, listRules));
  request(rules, deps, 'remove <campaign> <rule>', {
    describe: 'remove a rule; buys that it assigned stay in the campaign',
    of: ['campaign id', 'rule id'],
    route: 'DELETE /v1/campaigns/{id}/rules/{rule}',
    text: (_, { rule }) => `The rule ${rule} is removed.`,
  });
}

const pathOf = (id: string): string => `/v1/campaigns/${encodeURIComponent(id)}`;

function list(at: At): Promise<Outcome> {
  return listed(everyPage(at), {
    path: '/v1/campaigns',
    name: 'campaigns',
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
