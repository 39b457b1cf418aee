import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { lostInAnswer } from './lost-in-answer.js';
import type { DeliveryReport } from '../entities/delivery/delivery-report.js';
import type { PricingOption } from '../entities/product/pricing.js';
import type { Product } from '../entities/product/product.js';
import type { TaskView } from '../entities/task/task-view.js';
import { projectErrors } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import { taskError } from '../errors/task-error.js';
import { taskTable } from '../task-table.js';

const { getMediaBuyDelivery, getProducts, getTask, listAuthorizedProperties } = taskTable;
const ours = { form: 'ours' as const, value: {} };
const to = (form: 'service' | '2.5' | '3.0' | '3.1') => ({ dialect: 'adcp' as const, form });

const made = { mediaBuyId: 'b', status: 'active' as const, packages: [], original: ours };

describe('a value that a release has no member for', () => {
  it('is reported once per seller, under its name on the wire', () => {
    const products = ['acme', 'acme', 'bravo'].map((seller): Product =>
      product({ seller, channels: ['ctv'] }),
    );
    const written = getProducts.projectAnswer({ products }, to('2.5'));
    expect(lostInAnswer('get_products', { products }, written, '2.5')).toEqual(
      ['acme', 'bravo'].map((seller) =>
        expect.objectContaining({ code: 'NOT_CARRIED', field: 'products[].channels', seller }),
      ),
    );
  });

  it('is reported for goals of packages that 3.0 cannot express, once per seller', () => {
    const reported = { optimization_goals: [{ kind: 'vendor_metric', vendor: { domain: 'v.example' } }] };
    const packages = [{ packageId: 'k', reportedTerms: reported, original: ours }];
    const buy = { ...made, seller: 'acme', packages };
    const written = taskTable.createMediaBuy.projectAnswer(buy, to('3.0'));
    expect(written['packages']).toEqual([{ package_id: 'k' }]);
    expect(lostInAnswer('create_media_buy', buy, written, '3.0')).toContainEqual(
      expect.objectContaining({ field: 'packages[].optimization_goals', seller: 'acme' }),
    );
  });

  it('is reported for a task without a name in a release, if it has another name', () => {
    const task = {
      taskId: 't',
      status: 'working',
      taskType: 'build_creative',
      protocol: 'creative',
    } as const;
    const view: TaskView = { ...task, createdAt: '', updatedAt: '' };
    const written = getTask.projectAnswer(view, to('3.0'));
    expect(written).toMatchObject({
      task_type: 'sync_creatives',
      ext: { switchyard: { task_type: 'build_creative' } },
    });
    expect(lostInAnswer('get_task', view, written, '3.0').map(({ field }) => field)).toEqual(['task_type']);
    expect(lostInAnswer('get_task', view, getTask.projectAnswer(view, to('3.1')), '3.1')).toEqual([]);
  });

  it('is reported for the targeting of packages, by name, if a release lacks part of it', () => {
    const targeting = {
      geo_countries: ['US'],
      frequency_cap: { max_impressions: 3, per: 'households' },
      geo_postal_areas: [{ country: 'IN', system: 'pin', values: ['110001'] }],
    };
    const packages = [{ packageId: 'k', targeting, original: ours }];
    const mediaBuys = [{ ...made, seller: 'acme', impairments: [], packages }];
    const fieldsIn = (form: 'service' | '2.5' | '3.0' | '3.1') =>
      lostInAnswer('get_media_buys', { mediaBuys }, {}, form)
        .filter(({ field = '' }) => field.includes('targeting_overlay'))
        .map(({ field, seller }) => [seller, field]);
    const at = 'media_buys[].packages[].targeting_overlay';
    expect(fieldsIn('2.5')).toEqual([['acme', `${at}.frequency_cap`]]);
    expect(fieldsIn('3.0')).toEqual([['acme', `${at}.geo_postal_areas`]]);
    expect([...fieldsIn('3.1'), ...fieldsIn('service')]).toEqual([]);
  });

  it('is not reported if the message has it, or it was never set', () => {
    const written = { media_buy_id: 'b', currency: 'EUR', confirmed_at: '2026-01-01T00:00:00Z' };
    expect(lostInAnswer('create_media_buy', { ...made, currency: 'EUR' }, written, '3.0')).toEqual([]);
    expect(lostInAnswer('create_media_buy', { ...made, actions: [] }, written, '3.0')).toEqual([]);
    expect(lostInAnswer('create_media_buy', { ...made, currency: 'EUR' }, {}, '3.0')).toHaveLength(1);
  });

  it('is not reported for a reference in the context', () => {
    const received = (context: JsonObject) =>
      lostInAnswer('create_media_buy', { ...made, buyerRef: 'r', context, confirmedAt: 'x' }, {}, '3.1');
    expect(received({ buyer_ref: 'r' })).toEqual([]);
    expect(received({ buyer_ref: 'other' }).map(({ field }) => field)).toEqual(['buyer_ref']);
  });

  it('is reported for an error, unless the task has it in its result', () => {
    const error = taskError('BUDGET_TOO_LOW', 'Too low.', { field: 'packages[0].budget' });
    const view: TaskView = {
      taskId: 't',
      taskType: 'create_media_buy',
      protocol: 'media-buy',
      status: 'failed',
      createdAt: 'x',
      updatedAt: 'x',
      error,
    };
    const written = getTask.projectAnswer(view, to('3.1'));
    expect(lostInAnswer('get_task', view, written, '3.1').map(({ field }) => field)).toEqual([
      'error.details',
    ]);
    const whole = { ...view, result: projectErrors([error], 'adcp', '3.1') };
    expect(lostInAnswer('get_task', whole, getTask.projectAnswer(whole, to('3.1')), '3.1')).toEqual([]);
  });
});

/* Counterexamples found by the round trip test. */
describe('a translated answer', () => {
  it('keeps an auction an auction if the form has no value for its model', () => {
    const bid: PricingOption = {
      pricingOptionId: 'p',
      model: 'cpc',
      currency: 'USD',
      auction: true,
      original: ours,
    };
    const written = getProducts.projectAnswer(
      { products: [product({ pricingOptions: [bid] })] },
      to('service'),
    );
    const read = getProducts.readAnswer(written, to('service'));
    expect(read.ok && read.value.answer.products[0]?.pricingOptions[0]?.auction).toBe(true);
  });

  it('keeps what a seller declares of its reports', () => {
    const promised = product({ expectedDelayMinutes: 60, windowedPullGranularities: ['hourly'] });
    const read = getProducts.readAnswer(
      getProducts.projectAnswer({ products: [promised] }, to('3.1')),
      to('3.1'),
    );
    expect(read.ok && read.value.answer.products[0]).toMatchObject({
      expectedDelayMinutes: 60,
      windowedPullGranularities: ['hourly'],
    });
  });

  it('moves no day with another hour to the date of its start', () => {
    const day = { start: '2026-11-01T05:00:00.000Z', end: '2026-11-02T05:00:00.000Z', spend: '5' };
    const report = reportOf({ slices: [day] });
    const written = getMediaBuyDelivery.projectAnswer(report, to('3.0'));
    expect(JSON.stringify(written)).not.toContain('daily_breakdown');
    expect(lostInAnswer('get_media_buy_delivery', report, written, '3.0').map(({ field }) => field)).toEqual([
      'media_buy_deliveries[].windows',
    ]);
  });

  it('marks figures that no seller gave as missing, and reads none from that mark', () => {
    const report = reportOf({ totalsMissing: true, totals: { spend: '0', original: {} } });
    const written = getMediaBuyDelivery.projectAnswer(report, to('3.1'));
    expect(written['media_buy_deliveries']).toMatchObject([{ status: 'reporting_delayed' }]);
    const read = getMediaBuyDelivery.readAnswer(written, to('3.1'));
    expect(read.ok && read.value.answer.deliveries[0]?.totalsMissing).toBe(true);
  });

  it('names the sellers whose texts describe a portfolio of several', () => {
    const answer = {
      properties: [{ publisherDomain: 'news.example', sellers: ['acme', 'bravo'] }],
      channels: [],
      countries: [],
      portfolios: [{ seller: 'bravo', description: 'News.' }],
    };
    expect(listAuthorizedProperties.projectAnswer(answer, to('service'))).toMatchObject({
      portfolios: [{ seller: 'bravo', description: 'News.' }],
    });
  });

  it('gets its issues from the details if the form has no other place', () => {
    const issue = { pointer: '/budget', message: 'too low', keyword: 'minimum' };
    const error = { code: 'VALIDATION_ERROR', message: 'x', issues: [issue], details: { minimum: 5 } };
    const [read] = readErrors(projectErrors([error], 'ads', 'service'));
    expect(read).toMatchObject({ issues: [issue], details: { minimum: 5 } });
    expect(read?.details).not.toHaveProperty('issues');
  });
});

function product(members: Partial<Product>): Product {
  return {
    productId: 'p',
    name: 'P',
    description: '',
    deliveryType: 'guaranteed',
    channels: [],
    formatIds: [],
    publisherProperties: [],
    pricingOptions: [],
    reportingFrequencies: [],
    isCustom: false,
    original: ours,
    ...members,
  };
}

function reportOf(row: Partial<DeliveryReport['deliveries'][number]>): DeliveryReport {
  const totals = { spend: '5', impressions: 10, original: {} };
  return {
    partialData: false,
    currency: 'USD',
    deliveries: [{ mediaBuyId: 'b', status: 'active', isAdjusted: false, totals, byPackage: [], ...row }],
  };
}
