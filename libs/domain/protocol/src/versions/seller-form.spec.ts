import { describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject } from '@switchyard/values';
import { answeredForm } from './seller-form.js';
import { lostInReading } from '../losses/lost-in-reading.js';
import { findTask } from '../task-table.js';
import { getProducts } from '../tasks/get-products.js';
import type { Form, WireProfile } from './wire-profile.js';

const profile = (form: Form): WireProfile => ({ dialect: 'adcp', form });
const product = {
  product_id: 'p1',
  name: 'Homepage',
  pricing_options: [{ pricing_option_id: 'o1', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  reporting_capabilities: { available_metrics: ['video_completions'] },
};

/** One item of each answer that is stored as its seller sent it. */
const answers: readonly (readonly [string, JsonObject])[] = [
  ['get_products', { products: [product] }],
  ['get_signals', { signals: [{ signal_agent_segment_id: 's', name: 'n', deployments: [] }] }],
  ['create_media_buy', { media_buy_id: 'm', packages: [{ package_id: 'k' }] }],
  ['update_media_buy', { media_buy_id: 'm', affected_packages: [{ package_id: 'k' }] }],
  ['get_media_buys', { media_buys: [{ media_buy_id: 'm', status: 'active', packages: [] }] }],
  [
    'list_creative_formats',
    { formats: [{ format_id: { agent_url: 'https://a.example', id: 'f' }, name: 'n' }] },
  ],
  [
    'list_creatives',
    {
      creatives: [
        {
          creative_id: 'c',
          name: 'n',
          format_id: { agent_url: 'https://a.example', id: 'f' },
          status: 'approved',
        },
      ],
    },
  ],
];

/** The forms of all original objects in a reading. */
function formsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(formsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { form } = value as { form?: unknown };
  const isOriginal = typeof form === 'string' && 'value' in value;
  return isOriginal ? [form] : Object.values(value).flatMap(formsIn);
}

describe('the release of a seller’s answer', () => {
  it('is the one that it declares, in the member of either dialect', () => {
    const cases: readonly (readonly [JsonObject, Form, Form])[] = [
      [{ adcp_version: '3.0' }, '3.1', '3.0'],
      [{ ads_version: '3.0.26' }, '3.1', '3.0'],
      [{ adcp_version: '3.1' }, '3.0', '3.1'],
      [{ adcp_version: '3.4' }, '3.0', '3.1'],
    ];
    for (const [payload, requested, told] of cases)
      expect([payload, answeredForm(payload, profile(requested))]).toEqual([payload, told]);
  });

  it('is that of its seller if it names no known one, and none is named before 3.x', () => {
    for (const named of [undefined, '3.1-beta.2', '2.5', '4.0', 'latest', 3]) {
      const payload = named === undefined ? {} : { adcp_version: named };
      for (const form of ['3.0', '3.1'] as const)
        expect([named, answeredForm(payload, profile(form))]).toEqual([named, form]);
    }
    for (const form of ['service', '2.5'] as const)
      expect(answeredForm({ ads_version: '3.1' }, profile(form))).toBe(form);
  });

  it.each(answers)('decides how an answer to %s is read', (name, payload) => {
    const task = findTask(name);
    for (const [requested, served] of [
      ['3.1', '3.0'],
      ['3.0', '3.1'],
    ] as const) {
      const read = task?.readAnswer({ ...payload, adcp_version: served }, profile(requested));
      if (read?.ok !== true) throw new Error(`The answer to ${name} cannot be read.`);
      expect(new Set(formsIn(read.value.answer))).toEqual(new Set([served]));
    }
  });

  it('is translated for a buyer of 3.1, and losses are named by its own members', () => {
    const payload: JsonObject = {
      adcp_version: '3.0',
      products: [product],
      proposals: [{ proposal_id: 'x' }],
    };
    const read = must(getProducts.readAnswer(payload, profile('3.1')));
    const written = getProducts.projectAnswer(read.answer, profile('3.1'));
    const [shown] = written['products'] as JsonObject[];
    const reporting = shown?.['reporting_capabilities'];
    expect(isJsonObject(reporting) && reporting['available_metrics']).toEqual(['completed_views']);
    expect(lostInReading(getProducts, payload, read.answer, profile('3.1'))).toEqual([]);
  });
});
