import { expect, it } from '@jest/globals';
import type { Basket, Line } from './basket.js';
import { ApiFailure } from '../../../api/client.js';
import { isRefusal, problemsOf, requestOf, totalsOf } from './plan-request.js';
import { monthsOf, packagesOf, spendByMonth, splitLine, spread } from './plan-months.js';

const today = '2026-11-20';
const line = (budget: string, more: Partial<Line> = {}): Line => ({
  productId: 'acme:video',
  name: 'Video',
  seller: 'acme',
  pricingOptionId: 'cpm',
  price: '10',
  currency: 'USD',
  minimum: '',
  formats: [],
  budget,
  bid: '',
  isAuction: false,
  ...more,
});
const basket = (lines: readonly Line[], more: Partial<Basket> = {}): Basket => ({
  lines,
  brand: 'acme.example',
  start: '',
  end: '2027-01-10',
  campaignId: '',
  byMonth: true,
  key: '',
  ...more,
});

it('a flight has the days of each of its months, from today if it starts at once', () => {
  expect(monthsOf('2026-11-20', '2027-01-10').map(({ from, to, days }) => [from, to, days])).toEqual([
    ['2026-11-20', '2026-11-30', 11],
    ['2026-12-01', '2026-12-31', 31],
    ['2027-01-01', '2027-01-10', 10],
  ]);
  expect(monthsOf('2026-12-02', '2026-12-01')).toEqual([]);
  expect(monthsOf('2026-12-02', '')).toEqual([]);
});

it('a budget is spread by days to the cent, without losing a cent', () => {
  const months = monthsOf('2026-11-20', '2027-01-10');
  const parts = [...spread(100_000_000n, months).values()];
  expect(parts).toEqual([21_150_000n, 59_610_000n, 19_240_000n]);
  expect(splitLine(line('100'), months).months).toEqual({
    '2026-11': '21.15',
    '2026-12': '59.61',
    '2027-01': '19.24',
  });
});

it('a split plan has a package for each product and month with a budget', () => {
  const split = line('', { months: { '2026-11': '10', '2026-12': '0', '2027-01': '20.5', '2027-02': '99' } });
  const packages = packagesOf(basket([split, line('')]), today);
  expect(packages.map(({ budget, month }) => [month?.month, budget])).toEqual([
    ['2026-11', '10'],
    ['2027-01', '20.5'],
    [undefined, ''],
  ]);
});

it('a plan that is not split, or lies in one month, has a package for each product', () => {
  const lines = [line('70', { months: { '2026-11': '10' } })];
  expect(packagesOf(basket(lines, { byMonth: false }), today)).toEqual([{ line: lines[0], budget: '70' }]);
  expect(packagesOf(basket(lines, { end: '2026-11-30' }), today)).toEqual([{ line: lines[0], budget: '70' }]);
});

it('the monthly spend of a plan is the budgets of that month, or a share by days', () => {
  const split = basket([line('', { months: { '2026-11': '10', '2027-01': '20' } })]);
  expect([...spendByMonth(split, today).values()]).toEqual([10_000_000n, 0n, 20_000_000n]);
  const whole = basket([line('100')], { byMonth: false });
  expect([...spendByMonth(whole, today).values()]).toEqual([21_150_000n, 59_610_000n, 19_240_000n]);
});

it('the request has each month as a package with its own days and the chosen creatives', () => {
  const split = line('', {
    months: { '2026-11': '10', '2026-12': '30', '2027-01': '20' },
    creativeIds: ['a'],
  });
  const packages = {
    product_id: 'acme:video',
    pricing_option_id: 'cpm',
    creative_assignments: [{ creative_id: 'a' }],
  };
  const december = '2026-12-01T00:00:00.000Z';
  expect(requestOf(basket([split]), 'agency.example', today)).toMatchObject({
    start_time: 'asap',
    end_time: '2027-01-11T00:00:00.000Z',
    packages: [
      { ...packages, budget: 10, end_time: december },
      { ...packages, budget: 30, start_time: '2026-12-01T00:00:00Z', end_time: '2027-01-01T00:00:00.000Z' },
      { ...packages, budget: 20, start_time: '2027-01-01T00:00:00Z' },
    ],
  });
  expect(totalsOf(basket([split]), today)).toEqual([{ currency: 'USD', sum: 60_000_000n, text: '60 USD' }]);
});

it('a month below its product’s minimum is named before the plan can be bought', () => {
  const split = line('', { minimum: '15', months: { '2026-11': '10', '2026-12': '30' } });
  expect(problemsOf(basket([split]), today)).toEqual(['Video in 2026-11 needs at least 15 USD.']);
  expect(problemsOf(basket([line('')]), today)).toEqual(['Give Video a budget, such as 2500.50.']);
});

it.each([
  ['a refusal of the server', new ApiFailure(422, 'INVALID_REQUEST', ''), true],
  ['a refusal of every seller', new ApiFailure(200, 'POLICY_VIOLATION', ''), true],
  ['a first request that is still under way', new ApiFailure(409, 'IDEMPOTENCY_IN_FLIGHT', ''), false],
  ['an order whose connection was lost', new ApiFailure(0, 'CUT_OFF', ''), false],
  ['an answer that broke off', new TypeError('network error'), false],
  ['a proxy that gave up', new ApiFailure(504, 'UNKNOWN', ''), false],
])('an order gets a new key after %s only if it was refused', (_, error, isRefused) => {
  expect(isRefusal(error)).toBe(isRefused);
});
