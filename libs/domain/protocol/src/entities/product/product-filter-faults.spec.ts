import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { getProducts } from '../../tasks/get-products.js';
import type { Form } from '../../versions/wire-profile.js';

const faults = (filters: JsonObject, form: Form = '3.1'): unknown => {
  const read = getProducts.readRequest({ filters }, { dialect: 'adcp', form }, new Map());
  return read.ok ? [] : read.error.map(({ code, field }) => `${code} ${field ?? ''}`);
};

describe('a filter of products', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['a budget below zero', { budget: -5 }, ['VALIDATION_ERROR filters.budget']],
    ['a range below zero', { budget_range: { max: -1 } }, ['VALIDATION_ERROR filters.budget_range.max']],
    [
      'a range that ends below its beginning',
      { budget_range: { min: 500, max: 50, currency: 'USD' } },
      ['VALIDATION_ERROR filters.budget_range.min'],
    ],
    [
      'two budgets that differ',
      { budget: 50, budget_range: { max: 900, currency: 'USD' } },
      ['INVALID_REQUEST filters.budget'],
    ],
    [
      'what is no country by its code',
      { countries: ['US', 'Germany'] },
      ['VALIDATION_ERROR filters.countries[1]'],
    ],
    [
      'days in the wrong order',
      { start_date: '2027-02-01', end_date: '2027-01-01' },
      ['VALIDATION_ERROR filters.end_date'],
    ],
    ['no exposures', { min_exposures: 0 }, ['VALIDATION_ERROR filters.min_exposures']],
  ])('that is impossible or contradictory is refused in every form: %s', (_what, filters, received) => {
    for (const form of ['service', '2.5', '3.0', '3.1'] as const)
      expect(faults(filters, form)).toEqual(received);
  });

  it('that a product can match is accepted', () => {
    expect(
      faults({
        budget_range: { min: 0, max: 0, currency: 'EUR' },
        countries: ['US'],
        start_date: '2027-01-01',
        end_date: '2027-01-01',
        min_exposures: 1,
      }),
    ).toEqual([]);
  });

  it('that is an empty list is refused in 3.x, which requires an item', () => {
    expect([faults({ channels: [] }, '3.1'), faults({ format_ids: [] }, '3.0')]).toEqual([
      ['VALIDATION_ERROR filters.channels'],
      ['VALIDATION_ERROR filters.format_ids'],
    ]);
  });

  it('that is an empty list filters nothing in the older forms, at sellers of every form', () => {
    for (const from of ['service', '2.5'] as const) {
      const filters = { channels: [], format_types: [], delivery_type: 'guaranteed' };
      const read = must(getProducts.readRequest({ filters }, { dialect: 'adcp', form: from }, new Map()));
      for (const form of ['service', '2.5', '3.0', '3.1'] as const)
        expect(getProducts.projectRequest(read, { dialect: 'adcp', form }).args['filters']).toEqual({
          delivery_type: 'guaranteed',
        });
    }
  });
});
