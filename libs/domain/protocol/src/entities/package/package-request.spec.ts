import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../../tasks/create-media-buy.js';
import { updateMediaBuy } from '../../tasks/update-media-buy.js';
import type { Form } from '../../versions/wire-profile.js';
import { readPackage } from './package-request.js';
import { projectPackage } from './project-package.js';

const line = {
  buyer_ref: 'p1',
  product_id: 'acme:ctv',
  pricing_option_id: 'cpm',
  budget: 100,
  creative_ids: ['c1'],
};
const buy = (item: JsonObject, more: JsonObject = {}): JsonObject => ({
  buyer_ref: 'spring',
  brand_manifest: { url: 'https://brand.example' },
  start_time: { type: 'asap' },
  end_time: '2090-01-01T00:00:00Z',
  packages: [item],
  ...more,
});
const fieldsOf = (args: JsonObject, form: Form = 'service') => {
  const read = createMediaBuy.readRequest(args, { dialect: 'ads', form }, new Map());
  return read.ok ? [] : read.error.map(({ field }) => field);
};

/** The fields in the errors for an update of one package. */
const changed = (item: JsonObject) => {
  const args = { media_buy_id: 'mb_1', packages: [{ package_id: 'pk_1', ...item }] };
  const read = updateMediaBuy.readRequest(args, { dialect: 'ads', form: 'service' }, new Map());
  return read.ok ? [] : read.error.map(({ field }) => field);
};

describe('a package of a buy', () => {
  it.each(['buyer_ref', 'product_id', 'pricing_option_id', 'budget'] as const)(
    'is refused without its %s, which the error names',
    (name) => {
      const { [name]: _left, ...rest } = line;
      expect(fieldsOf(buy(line))).toEqual([]);
      expect(fieldsOf(buy(rest))).toEqual([`packages[0].${name}`]);
    },
  );

  it.each(['asap', 'soon', '2089-01-01', '2089-02-30T00:00:00Z'])('has no date that is %s', (at) => {
    expect(fieldsOf(buy({ ...line, start_time: at, end_time: at }))).toEqual([
      'packages[0].start_time',
      'packages[0].end_time',
    ]);
    expect(fieldsOf(buy({ ...line, start_time: '2089-01-01T00:00:00+02:00' }))).toEqual([]);
  });

  it.each([
    ['pacing', 'fast', 'pacing', 'even'],
    ['impressions', -1, 'impressions', 0],
    ['creative_assignments', [{ creative_id: 'c1', weight: 101 }], 'creative_assignments[0].weight', []],
    [
      'targeting_overlay',
      { geo_countries: 'US' },
      'targeting_overlay.geo_countries',
      { geo_countries: ['US'] },
    ],
    ['targeting_overlay', { geo_countries: ['USA'] }, 'targeting_overlay.geo_countries[0]', {}],
    ['targeting_overlay', { device_type: 'ctv' }, 'targeting_overlay.device_type', { device_type: ['ctv'] }],
    ['targeting_overlay', { frequency_cap: 3 }, 'targeting_overlay.frequency_cap', { of_a_seller: 3 }],
  ])('has in its %s only what a release can express, and not %j', (name, wrong, field, right) => {
    expect(fieldsOf(buy({ ...line, [name]: wrong }))).toEqual([`packages[0].${field}`]);
    expect(fieldsOf(buy({ ...line, [name]: right }))).toEqual([]);
    expect(changed({ [name]: wrong })).toEqual([`packages[0].${field}`]);
    expect(changed({ [name]: right })).toEqual([]);
  });

  it('has no reference in 3.x, which has no member for it', () => {
    const { buyer_ref: _none, ...bare } = line;
    const args = {
      brand: { domain: 'brand.example' },
      account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
      idempotency_key: 'a-key-of-sixteen-and-more',
      start_time: 'asap',
      end_time: '2090-01-01T00:00:00Z',
      packages: [bare],
    };
    expect(fieldsOf(args, '3.1')).toEqual([]);
  });

  it.each(['3.0', '3.1'] as const)('is sent to a seller of %s without an empty list of creatives', (to) => {
    const { creative_ids: _none, ...bare } = line;
    const place = { field: 'packages[0]', pointer: '/packages/0' };
    const read = readPackage({ ...bare, creatives: [], creative_assignments: [] }, place, '3.1', new Map());
    const sent = read.ok ? Object.keys(projectPackage(read.value, to, 'none')) : [];
    expect(sent).toContain('product_id');
    expect(sent.filter((name) => name.startsWith('creative'))).toEqual([]);
  });
});

describe('a buy with a flight of no length', () => {
  it('is refused for its end', () => {
    const at = '2089-01-01T00:00:00Z';
    const start_time = { type: 'scheduled', datetime: at };
    expect(fieldsOf(buy(line, { start_time, end_time: at }))).toEqual(['end_time']);
    expect(fieldsOf(buy(line, { start_time, end_time: '2089-01-01T00:00:01Z' }))).toEqual([]);
  });
});

describe('the address of a buy’s reports', () => {
  const at = (more: JsonObject) => ({ reporting_webhook: { url: 'https://buyer.example/reports', ...more } });

  it('has a frequency that releases define, or none', () => {
    expect(fieldsOf(buy(line, at({ reporting_frequency: 'yearly' })))).toEqual([
      'reporting_webhook.reporting_frequency',
    ]);
    for (const word of ['hourly', 'daily', 'monthly'])
      expect(fieldsOf(buy(line, at({ reporting_frequency: word })))).toEqual([]);
    expect(fieldsOf(buy(line, at({})))).toEqual([]);
  });
});
