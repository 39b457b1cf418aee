import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@switchyard/values';
import fc from 'fast-check';
import { taskTable, type AnyTaskSpec } from './task-table.js';
import type { Form } from './voice.js';

/*
 * Any form in, any form out, and back: what a buyer of one form said is what a seller of another form understood, or
 * a finding names the member that was lost on the way.
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
  catalog_types: words,
  data_providers: words,
  max_cpm: money,
  min_coverage_percentage: fc.integer({ min: 0, max: 100 }),
});

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

const isModern = (form: Form): boolean => form === '3.0' || form === '3.1';

/** What is said in each form, by task, from the members of that form. */
const sayings: readonly {
  readonly spec: AnyTaskSpec;
  readonly say: (form: Form) => fc.Arbitrary<object>;
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
];

/** What a request means, member by member, without how it was written. */
function meaning(request: Readonly<Record<string, unknown>>): Record<string, JsonValue> {
  const plain = JSON.parse(JSON.stringify(request)) as JsonObject;
  const flat: Record<string, JsonValue> = {};
  const walk = (value: JsonValue, path: string): void => {
    if (path.endsWith('original') || path === 'brand.manifest' || path === 'buyingMode') return;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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

/** Our names of members and those of the wire, where they are not the same word. */
const wireNames: Readonly<Record<string, readonly string[]>> = {
  'filters.budget': ['filters.budget', 'filters.budget_range'],
  includeDays: ['include_package_daily_breakdown'],
  timeGranularity: ['time_granularity'],
};

/** What the merge of answers enforces whatever a seller was told (fanout, passes-filters). */
const enforcedHere: ReadonlySet<string> = new Set(['list_creative_formats formatIds']);

function isTold(path: string, findings: ReadonlySet<string>): boolean {
  const snake = path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const known = Object.entries(wireNames).find(([ours]) => path === ours || path.startsWith(`${ours}.`))?.[1];
  return [snake, ...(known ?? [])].some((name) => findings.has(name));
}

const pairs = forms.flatMap((from) => forms.map((to) => ({ from, to })));

describe.each(sayings)('$spec.name', ({ spec, say }) => {
  it.each(pairs)('keeps its meaning from $from to $to, or tells what was lost', ({ from, to }) => {
    fc.assert(
      fc.property(say(from) as fc.Arbitrary<JsonObject>, (said) => {
        const heard = spec.readRequest(said, { dialect: 'adcp', form: from }, new Map());
        if (!heard.ok) throw new Error(JSON.stringify(heard.error));
        const { args, findings } = spec.projectRequest(heard.value, { dialect: 'adcp', form: to });
        const again = spec.readRequest(args, { dialect: 'adcp', form: to }, new Map());
        if (!again.ok) throw new Error(JSON.stringify([args, again.error]));
        const told = new Set(findings.map(({ field }) => field ?? ''));
        const after = meaning(again.value as Record<string, unknown>);
        const lost = Object.entries(meaning(heard.value as Record<string, unknown>)).filter(
          ([path, value]) =>
            JSON.stringify(after[path]) !== JSON.stringify(value) &&
            !isTold(path, told) &&
            !enforcedHere.has(`${spec.name} ${path}`),
        );
        expect(lost).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
