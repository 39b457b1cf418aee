import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { lostInAnswer } from '../losses/lost-in-answer.js';
import type { TaskError } from '../errors/task-fault.js';
import { publicProduct } from '../entities/product/project-product.js';
import { taskTable } from '../task-table.js';
import { createMediaBuy } from '../tasks/create-media-buy.js';
import { getMediaBuys } from '../tasks/get-media-buys.js';
import { readWireProfile } from '../versions/version.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { acrossReleases } from './across-releases.js';
import { knownReleases } from './known-releases.js';
import type { Release } from './release.js';

/** A release that does not exist: everything that it changes stands here, and no other file knows of it. */
const release33: Release = {
  name: '3.3-test.1',
  spelled: [],
  requests: { create_media_buy: { added: ['mood', 'packages[].mood'], binding: ['packages[].ceiling'] } },
  answers: { get_media_buys: { added: ['media_buys[].mood'] } },
  errors: [],
};
const known = [...knownReleases, release33];
const [release32] = knownReleases;
const at = (release?: Release): WireProfile => ({
  dialect: 'adcp',
  form: '3.1',
  ...(release === undefined ? {} : { release: release.name }),
});
const older: WireProfile = { dialect: 'adcp', form: '3.0' };
const buying = acrossReleases(createMediaBuy, known);
const buy = (version: string, more: JsonObject = {}, inPackage: JsonObject = {}): JsonObject => ({
  adcp_version: version,
  idempotency_key: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
  brand: { domain: 'brand.example' },
  start_time: 'asap',
  end_time: '2090-01-01T00:00:00Z',
  packages: [{ product_id: 'p', pricing_option_id: 'o', budget: 100, ...inPackage }],
  ...more,
});
const sent = (args: JsonObject, to: WireProfile) => {
  const asked = must(readWireProfile({ taskName: 'create_media_buy', args }, known));
  return buying.projectRequest(must(buying.readRequest(args, asked.profile, new Map())), to);
};
const fieldsOf = ({ findings }: { readonly findings: readonly { readonly field?: string }[] }) =>
  findings.map(({ field = '' }) => field.replace(/\[\d+\]/g, '[]'));

describe('a release that one folder describes', () => {
  it('is spoken by its exact name only, and answered under that name', () => {
    const voice = (adcp_version: string, more: JsonObject = {}) => {
      const read = readWireProfile({ taskName: 'get_products', args: { adcp_version, ...more } }, known);
      return read.ok ? [read.value.profile.release, read.value.served] : read.error[0]?.code;
    };
    expect(voice('3.3-test.1')).toEqual(['3.3-test.1', '3.3-test.1']);
    expect(voice('3.2-beta.5')).toEqual(['3.2-beta.5', '3.2-beta.5']);
    expect(voice('3.2.0-beta.5')).toEqual(['3.2-beta.5', '3.2-beta.5']);
    expect(voice('3.2-beta.5', { adcp_major_version: 3 })).toEqual(['3.2-beta.5', '3.2-beta.5']);
    for (const other of ['3.2-beta.4', '3.3-test.2', '3.3-test'])
      expect([other, voice(other)]).toEqual([other, 'VERSION_UNSUPPORTED']);
    expect(voice('3.3-test.1', { ads_version: '3.1' })).toBe('VERSION_UNSUPPORTED');
    expect(voice('3.2-beta.5', { adcp_major_version: 4 })).toBe('VERSION_UNSUPPORTED');
    for (const next of ['3.2', '3.3', '3.9']) expect([next, voice(next)]).toEqual([next, [undefined, '3.1']]);
  });

  it('reaches a seller of it with its new members, which sellers of older ones never get and their buyer is told of', () => {
    const args = buy(
      '3.3-test.1',
      { mood: 'calm', name: 'Autumn' },
      { mood: 'calm', context: { mood: 'kept' } },
    );
    const whole = sent(args, at(release33));
    expect(whole.args).toMatchObject({ adcp_version: '3.3-test.1', mood: 'calm', name: 'Autumn' });
    expect(JSON.stringify(whole.args['packages'])).toContain('"mood":"calm"');
    expect(fieldsOf(whole)).toEqual([]);
    const newer = sent(args, at(release32));
    expect(newer.args).toMatchObject({ adcp_version: '3.2-beta.5', name: 'Autumn' });
    expect(fieldsOf(newer).sort()).toEqual(['mood', 'packages[].mood']);
    for (const to of [at(), older, { dialect: 'adcp', form: '2.5' } as const]) {
      const plain = sent(args, to);
      expect(JSON.stringify(plain.args)).not.toContain('calm');
      expect(JSON.stringify(plain.args)).not.toContain('Autumn');
      expect(fieldsOf(plain)).toEqual(expect.arrayContaining(['mood', 'packages[].mood', 'name']));
    }
  });

  it('is not sent to a seller that cannot read a limit on what is spent', () => {
    const capped = sent(
      buy('3.2-beta.5', { daily_budget_cap: 10, budget_cap_timezone: 'Europe/Vienna' }),
      at(),
    );
    expect(capped.notExpressible).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'daily_budget_cap' });
    const within = sent(buy('3.2-beta.5', {}, { daily_budget_cap: 10 }), { dialect: 'ads', form: 'service' });
    expect(within.notExpressible).toMatchObject({ field: 'packages[].daily_budget_cap' });
    const carried = sent(buy('3.2-beta.5', { daily_budget_cap: 10 }), at(release32));
    expect([carried.notExpressible, carried.args['daily_budget_cap']]).toEqual([undefined, 10]);
    expect(sent(buy('3.3-test.1', {}, { ceiling: 5 }), at(release32)).notExpressible).toMatchObject({
      field: 'packages[].ceiling',
    });
  });

  it('leaves requests and answers of older releases as they are', () => {
    const plain = buy('3.1', { mood: 'calm', name: 'Autumn' });
    expect(sent(plain, at()).args).toEqual(
      createMediaBuy.projectRequest(must(createMediaBuy.readRequest(plain, at(), new Map())), at()).args,
    );
  });

  it('answers each caller in its release, and reports what an older one does not have', () => {
    const reading = acrossReleases(getMediaBuys, known);
    const seen = { media_buy_id: 'm', status: 'active', mood: 'calm', packages: [] };
    const { answer } = must(reading.readAnswer({ media_buys: [seen] }, at(release33)));
    const shown = (to: WireProfile) => {
      const written = reading.projectAnswer(answer, to);
      const [first] = written['media_buys'] as readonly JsonObject[];
      return [
        first?.['mood'],
        lostInAnswer('get_media_buys', answer, written, to.form).map(({ field }) => field),
      ];
    };
    expect(shown(at(release33))[0]).toBe('calm');
    expect(shown(at(release32))).toEqual([undefined, expect.arrayContaining(['media_buys[].mood'])]);
  });
});

it.each(['currency', 'timezone', 'operator_unit'])(
  'refuses the %s of an account in every task, as accounts are pairs here: it is never ignored',
  (name) => {
    const pair = { brand: { domain: 'brand.example' }, operator: 'agency.example', [name]: 'EUR' };
    const read = (task: keyof typeof taskTable, args: JsonObject) => {
      const asked = { adcp_version: '3.2-beta.5', idempotency_key: 'fd2a36a4-3e6c-4f10', ...args };
      const { ok, error = [] } = taskTable[task].readRequest(asked, at(release32), new Map()) as {
        readonly ok: boolean;
        readonly error?: readonly TaskError[];
      };
      return [ok, ...error.map(({ code, field }) => `${code} ${field}`)];
    };
    const part = (place: string) => [false, `UNSUPPORTED_FEATURE ${place}.${name}`];
    expect(read('getProducts', { buying_mode: 'wholesale', account: pair })).toEqual(part('account'));
    expect(read('syncAccounts', { accounts: [{ ...pair, billing: 'operator' }] })).toEqual(
      part('accounts[]'),
    );
    expect(read('getProducts', { buying_mode: 'wholesale' })).toEqual([true]);
  },
);

describe('a price that is a share of revenue', () => {
  const share = {
    pricing_option_id: 'share',
    pricing_model: 'revenue_share',
    event_type: 'purchase',
    event_source_id: 'shop',
    commission_rate: 0.04,
    currency: 'USD',
    commission_basis_description: 'Paid orders without returns.',
  };
  const fixed = { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
  const product = (id: string, pricing_options: readonly JsonObject[]): JsonObject => ({
    ...{ product_id: id, name: id, description: id, format_ids: [], delivery_type: 'non_guaranteed' },
    publisher_properties: [{ publisher_domain: 'a.example', selection_type: 'all' }],
    pricing_options: [...pricing_options],
  });
  const of32 = { dialect: 'adcp', form: '3.1', release: '3.2-beta.5' } as const;
  const { getProducts } = taskTable;
  const read = getProducts.readAnswer(
    { products: [product('both', [share, fixed]), product('only', [share])] },
    of32,
    new Map(),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { answer } = read.value;
  const pricesFor = (to: WireProfile, shown = answer) => {
    const { products } = getProducts.projectAnswer(shown, to);
    return (products as JsonObject[]).map(({ pricing_options: options }) => options);
  };

  it('is neither a fixed price nor an auction, so nobody has to bid', () => {
    expect(answer.products[1]?.pricingOptions).toMatchObject([{ model: 'revenue_share', auction: false }]);
    expect(read.value.setAside).toEqual([]);
  });

  it('is shown whole to callers of its release, and with its rate where lists of models are open', () => {
    expect(pricesFor(of32)).toEqual([[share, fixed], [share]]);
    expect(pricesFor({ dialect: 'ads', form: 'service' })[1]).toMatchObject([{ commission_rate: 0.04 }]);
    expect(JSON.stringify(pricesFor({ dialect: 'ads', form: 'service' }))).not.toContain('"floor"');
  });

  it.each(['3.1', '3.0', '2.5'] as const)(
    'is left out for callers of %s, whose list still has a price',
    (form) => {
      const shown = pricesFor({ dialect: 'adcp', form }) as JsonObject[][];
      const ids = shown.map((options) => options.map(({ pricing_option_id: id }) => id));
      expect(ids).toEqual([['fixed'], ['on_request']]);
    },
  );

  it('reveals no rate to callers without credentials', () => {
    const hidden = { ...answer, products: answer.products.map(publicProduct) };
    for (const to of [of32, { dialect: 'ads', form: 'service' } as const])
      expect(JSON.stringify(pricesFor(to, hidden))).not.toContain('0.04');
  });
});
