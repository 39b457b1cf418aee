import { describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import fc from 'fast-check';
import { taskTable, tasks, type AnyTaskSpec } from './task-table.js';
import type { Form } from './versions/wire-profile.js';

/*
 * From any form to any form and back: the seller's form has everything that the buyer's request has, or a finding names
 * the lost member.
 */

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });
const formatId = fc.record({ agent_url: fc.constant('https://f.example'), id: word });
const formats = fc.array(formatId, { minLength: 1, maxLength: 2 });
const money = fc.integer({ min: 1, max: 1_000_000 });
const targets = fc.array(fc.record({ type: fc.constant('platform'), platform: word }), {
  minLength: 1,
  maxLength: 2,
});
const countries = fc.uniqueArray(fc.constantFrom('US', 'DE', 'FR'), { minLength: 1 });
const signalFilters = some({
  catalog_types: fc.uniqueArray(fc.constantFrom('marketplace', 'custom', 'owned'), { minLength: 1 }),
  data_providers: words,
  max_cpm: money,
  min_coverage_percentage: fc.integer({ min: 0, max: 100 }),
});

const isModern = (form: Form): boolean => form === '3.0' || form === '3.1';

const productFilters = (form: Form) =>
  some({
    channels: words,
    delivery_type: fc.constantFrom('guaranteed', 'non_guaranteed'),
    ...(form === 'service' ? { budget: money } : {}),
    ...(form === '2.5' || form === 'service' ? { format_types: words } : {}),
    ...(form === 'service'
      ? {}
      : {
          format_ids: formats,
          countries,
          is_fixed_price: fc.boolean(),
          min_exposures: money,
          start_date: fc.constant('2027-01-01'),
          budget_range: fc.record({ max: money, currency: fc.constantFrom('USD', 'EUR') }),
        }),
  });

const first = '2027-01-01T00:00:00Z';
const last = '2027-02-01T00:00:00Z';
const keyed = (form: Form) => (isModern(form) ? { idempotency_key: fc.uuid() } : {});
const account = (form: Form) => (isModern(form) ? { account: fc.record({ account_id: word }) } : {});
const whose = (form: Form) =>
  isModern(form)
    ? { ...account(form), brand: fc.record({ domain: fc.constant('brand.example') }) }
    : { brand_manifest: fc.record({ url: fc.constant('https://brand.example'), name: word }) };
const creativeOf = fc.record({
  creative_id: word,
  name: word,
  format_id: formatId,
  assets: fc.record({
    main: fc.record({ asset_type: fc.constant('image'), url: fc.constant('https://c.example/1.png') }),
  }),
  tags: words,
});
const targeting = fc.record({ geo_countries: countries });

const packageOf = (form: Form) =>
  fc.record<Record<string, unknown>>({
    product_id: word,
    pricing_option_id: word,
    budget: money,
    bid_price: money,
    targeting_overlay: targeting,
    pacing: fc.constantFrom('even', 'asap'),
    format_ids: formats,
    ...(isModern(form)
      ? {
          creative_assignments: fc.array(fc.record({ creative_id: word }), { minLength: 1, maxLength: 2 }),
          impressions: money,
          optimization_goals: fc.constant([{ kind: 'metric', metric: 'clicks' }]),
        }
      : { buyer_ref: word, creative_ids: words }),
  });

const changeOf = (form: Form) =>
  fc.record<Record<string, unknown>>(
    {
      package_id: word,
      budget: money,
      bid_price: money,
      pacing: fc.constantFrom('even', 'asap'),
      paused: fc.boolean(),
      targeting_overlay: targeting,
      ...(isModern(form)
        ? { impressions: money, start_time: fc.constant(first), end_time: fc.constant(last) }
        : {}),
    },
    { requiredKeys: ['package_id'] },
  );

/** A proposal of 3.x with packages that override its allocations. */
const proposalBought = {
  proposal_id: word,
  total_budget: fc.record({ amount: money, currency: fc.constantFrom('USD', 'EUR') }),
  io_acceptance: fc.record({ io_id: word, accepted_at: fc.constant(first), signatory: word }),
};

/** Requests of each form, by task, with the members of that form. */
const sayings: readonly {
  readonly spec: AnyTaskSpec;
  readonly say: (form: Form) => fc.Arbitrary<object>;
  /** Forms of sellers that have the task; absent: all. Sellers of other forms are not queried. */
  readonly heardIn?: (form: Form) => boolean;
}[] = [
  {
    spec: taskTable.getProducts,
    say: (form) =>
      fc.record<Record<string, unknown>>({
        brief: word,
        filters: productFilters(form),
        ...(isModern(form)
          ? {
              buying_mode: fc.constant('brief'),
              brand: fc.record({ domain: fc.constant('brand.example') }),
              preferred_delivery_types: words,
              property_list: fc.record({ agent_url: fc.constant('https://l.example'), list_id: word }),
            }
          : { brand_manifest: fc.record({ url: fc.constant('https://brand.example'), name: word }) }),
      }),
  },
  {
    spec: taskTable.getSignals,
    say: (form) =>
      fc.record<Record<string, unknown>>({
        signal_spec: word,
        filters: signalFilters,
        max_results: fc.integer({ min: 1, max: 100 }),
        ...(isModern(form)
          ? { destinations: targets, countries }
          : { deliver_to: fc.record({ deployments: targets, countries }) }),
      }),
  },
  {
    spec: taskTable.listCreativeFormats,
    say: (form) =>
      form === 'service'
        ? some({ format_types: words })
        : some({ format_ids: formats, asset_types: words, max_width: money, name_search: word }),
  },
  {
    spec: taskTable.getMediaBuyDelivery,
    say: (form) =>
      some({
        start_date: fc.constant('2027-01-01'),
        end_date: fc.constant('2027-02-01'),
        ...(form === '3.1' || form === 'service'
          ? { time_granularity: fc.constantFrom('hourly', 'daily', 'monthly') }
          : {}),
        ...(isModern(form) ? { include_package_daily_breakdown: fc.boolean() } : {}),
      }),
  },
  {
    spec: taskTable.createMediaBuy,
    say: (form) => {
      const members = {
        ...keyed(form),
        ...whose(form),
        start_time:
          form === 'service' ? fc.constant({ type: 'scheduled', datetime: first }) : fc.constant(first),
        end_time: fc.constant(last),
        po_number: word,
        context: fc.record({ trace: word }),
        ext: fc.record({ vendor: word }),
        packages: fc.array(packageOf(form), { minLength: 1, maxLength: 2 }),
      };
      const record = (more: Record<string, fc.Arbitrary<unknown>>) =>
        fc.record<Record<string, unknown>>({ ...members, ...more }, { noNullPrototype: true });
      if (!isModern(form)) return record({ buyer_ref: word });
      const modern = { plan_id: word, advertiser_industry: word };
      return fc.oneof(
        record({ ...modern, io_acceptance: fc.record({ io_id: word }) }),
        record({ ...modern, ...proposalBought }),
      );
    },
  },
  {
    spec: taskTable.updateMediaBuy,
    say: (form) => {
      const change = {
        start_time:
          form === 'service' ? fc.constant({ type: 'scheduled', datetime: first }) : fc.constant(first),
        end_time: fc.constant(last),
        packages: fc.uniqueArray(changeOf(form), {
          minLength: 1,
          maxLength: 2,
          selector: ({ package_id: id }) => id,
        }),
      };
      if (form === 'service')
        return fc.record({
          media_buy_id: word,
          context: fc.record({ trace: word }),
          updates: some({ ...change, status: fc.constantFrom('paused', 'active', 'canceled') }),
        });
      return fc.record<Record<string, unknown>>({
        ...keyed(form),
        ...account(form),
        media_buy_id: word,
        ...change,
        paused: fc.boolean(),
        ...(isModern(form)
          ? { revision: fc.integer({ min: 1, max: 9 }), invoice_recipient: fc.record({ legal_name: word }) }
          : {}),
      });
    },
  },
  {
    spec: taskTable.activateSignal,
    say: (form) =>
      fc.record<Record<string, unknown>>({
        ...keyed(form),
        ...account(form),
        signal_agent_segment_id: word,
        ...(isModern(form) ? { destinations: targets, pricing_option_id: word } : { deployments: targets }),
      }),
  },
  {
    spec: taskTable.syncCreatives,
    say: (form) =>
      fc.record<Record<string, unknown>>({
        ...keyed(form),
        ...account(form),
        creatives: fc.uniqueArray(creativeOf, {
          minLength: 1,
          maxLength: 2,
          selector: (one) => one.creative_id,
        }),
        dry_run: fc.boolean(),
        ...(form === 'service' ? {} : { validation_mode: fc.constantFrom('strict', 'lenient') }),
        assignments: isModern(form)
          ? fc.array(
              fc.record({ creative_id: word, package_id: word, weight: fc.integer({ min: 1, max: 100 }) }),
              { minLength: 1, maxLength: 2 },
            )
          : fc.dictionary(word, words, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
      }),
  },
  {
    spec: taskTable.getMediaBuys,
    say: (form) =>
      some({
        media_buy_ids: words,
        include_snapshot: fc.boolean(),
        status_filter: fc.constant(['active', 'paused']),
        ...(form === '3.1' || form === 'service' ? { include_webhook_activity: fc.boolean() } : {}),
      }),
  },
  {
    spec: taskTable.providePerformanceFeedback,
    say: (form) =>
      fc.record<Record<string, unknown>>({
        ...keyed(form),
        media_buy_id: word,
        package_id: word,
        creative_id: word,
        measurement_period: fc.constant({ start: first, end: last }),
        performance_index: fc.integer({ min: 1, max: 300 }).map((hundredths) => hundredths / 100),
        metric_type: fc.constantFrom('conversion_rate', 'brand_lift'),
        feedback_source: fc.constantFrom('buyer_attribution', 'third_party_measurement'),
      }),
  },
  {
    spec: taskTable.reportUsage,
    heardIn: isModern,
    say: () =>
      fc.record<Record<string, unknown>>({
        idempotency_key: fc.uuid(),
        reporting_period: fc.constant({ start: first, end: last }),
        usage: fc.array(
          fc.record({
            account: fc.record({ account_id: word }),
            vendor_cost: money,
            currency: fc.constantFrom('USD', 'EUR'),
            impressions: money,
            media_spend: money,
            signal_agent_segment_id: word,
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
  },
  {
    spec: taskTable.listAuthorizedProperties,
    say: () => some({ publisher_domains: fc.constant(['news.example']) }),
  },
  { spec: taskTable.getCapabilities, say: () => some({ protocols: fc.constant(['media_buy']) }) },
  {
    spec: taskTable.getTask,
    say: () => fc.record({ task_id: word, include_result: fc.boolean(), include_history: fc.boolean() }),
  },
  { spec: taskTable.cancelTask, say: () => fc.record({ task_id: word, reason: word }) },
  {
    spec: taskTable.listTasks,
    say: () =>
      some({ filters: some({ statuses: fc.constant(['completed', 'submitted']), task_ids: words }) }),
  },
  { spec: taskTable.listAccounts, say: () => some({ status: fc.constantFrom('active', 'closed') }) },
  {
    spec: taskTable.syncAccounts,
    say: () =>
      fc.record<Record<string, unknown>>({
        idempotency_key: fc.uuid(),
        accounts: fc.array(
          fc.record({
            brand: fc.record({ domain: fc.constant('brand.example') }),
            operator: fc.constant('agency.example'),
            billing: fc.constantFrom('operator', 'agent'),
          }),
          { minLength: 1, maxLength: 1 },
        ),
        dry_run: fc.boolean(),
      }),
  },
  {
    spec: taskTable.listCreatives,
    say: () => some({ filters: some({ creative_ids: words, tags: words }) }),
  },
];

/**
 * The members of a request by path, independent of how they were written. Untyped members (`original`) are compared by
 * their own names: each must arrive or be reported.
 */
function meaning(request: Readonly<Record<string, unknown>>): Record<string, JsonValue> {
  const plain = JSON.parse(JSON.stringify(request)) as JsonObject;
  const flat: Record<string, JsonValue> = {};
  const walk = (value: JsonValue, path: string): void => {
    if (path.endsWith('original') || path === 'brand.manifest' || path === 'buyingMode') return;
    if (Array.isArray(value) && value.every(isJsonObject)) {
      for (const [at, inner] of value.entries()) walk(inner, `${path}[${at}]`);
      return;
    }
    if (!isJsonObject(value)) {
      if (Array.isArray(value) && value.length === 0) return;
      flat[path] = value;
      return;
    }
    for (const [name, inner] of Object.entries(value))
      walk(inner ?? null, path === '' ? name : `${path}.${name}`);
  };
  walk(plain, '');
  return flat;
}

/** Internal names of members and their wire names, if these differ. */
const wireNames: Readonly<Record<string, readonly string[]>> = {
  'filters.budget': ['filters.budget', 'filters.budget_range'],
  'proposal.proposalId': ['proposal_id'],
  'proposal.totalBudget': ['total_budget'],
  'proposal.ioAcceptance': ['io_acceptance'],
  includeDays: ['include_package_daily_breakdown'],
  timeGranularity: ['time_granularity'],
  'usage[].rest': ['usage[]'],
};

/** Members that Switchyard enforces or answers itself, by filters after the merge or from its database. */
const enforcedHere: ReadonlySet<string> = new Set([
  'list_creative_formats formatIds[]',
  'list_authorized_properties publisherDomains',
  'get_media_buys includeWebhookActivity',
  'get_media_buys includeSnapshot',
  'get_task includeResult',
  'get_task includeHistory',
]);

/** Members that belong to one hop only, in any task: account, key and conversation. */
const ofOneHop = /^(account|idempotencyKey|contextId|governanceContext|allOrNothing)\b/;

/** The place of an internal member for which the other form has no member. */
const standsIn = (path: string): string => path.replace(/buyerRef$/, 'context.buyer_ref');

const withoutPlaces = (path: string): string => path.replace(/\[[^\]]*\]/g, '[]');

function isNotified(path: string, findings: ReadonlySet<string>): boolean {
  const ours = withoutPlaces(path);
  const snake = ours.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const known = Object.entries(wireNames).find(([name]) => ours === name || ours.startsWith(`${name}.`))?.[1];
  const names = [snake, ...(known ?? [])];
  return names.some((name) =>
    [...findings].some(
      (received) => name === received || name.startsWith(`${received}.`) || name.startsWith(`${received}[`),
    ),
  );
}

const pairs = forms.flatMap((from) => forms.map((to) => ({ from, to })));

it.each(forms)('an update changes each package once in %s: a seed that once named one twice', (form) => {
  const { say } = sayings.find(({ spec }) => spec.name === taskTable.updateMediaBuy.name)!;
  const reported = fc.sample(say(form) as fc.Arbitrary<JsonObject>, { seed: -748_215_683, numRuns: 25 });
  for (const { packages = [] } of reported as { packages?: { package_id: string }[] }[])
    expect(new Set(packages.map(({ package_id: id }) => id)).size).toBe(packages.length);
});

it('every task has a round-trip test', () => {
  expect(sayings.map(({ spec }) => spec.name).sort()).toEqual(tasks.map(({ name }) => name).sort());
});

describe.each(sayings)('$spec.name', ({ spec, say, heardIn = () => true }) => {
  it.each(pairs.filter(({ to }) => heardIn(to)))(
    'keeps its meaning from $from to $to, or reports what was lost',
    ({ from, to }) => {
      fc.assert(
        fc.property(say(from) as fc.Arbitrary<JsonObject>, (reported) => {
          const arrived = must(spec.readRequest(reported, { dialect: 'adcp', form: from }, new Map()));
          const { args, findings } = spec.projectRequest(arrived, { dialect: 'adcp', form: to });
          // Keys belong to each hop: if a form requires one, it is added here, as for each leg.
          const keyed = { idempotency_key: 'a-key-of-this-hop-0001', ...args };
          const again = must(spec.readRequest(keyed, { dialect: 'adcp', form: to }, new Map()));
          const received = new Set(findings.map(({ field }) => withoutPlaces(field ?? '')));
          const after = meaning(again as Record<string, unknown>);
          const lost = Object.entries(meaning(arrived as Record<string, unknown>)).filter(
            ([path, value]) =>
              JSON.stringify(after[path]) !== JSON.stringify(value) &&
              JSON.stringify(after[standsIn(path)]) !== JSON.stringify(value) &&
              !ofOneHop.test(path) &&
              !isNotified(path, received) &&
              !enforcedHere.has(`${spec.name} ${withoutPlaces(path).replace(/\..*$/, '')}`),
          );
          expect(lost).toEqual([]);
        }),
        { numRuns: 25 },
      );
    },
  );
});
