import { describe, expect, it } from '@jest/globals';
import { fittedFilters } from './fitted-filters.js';

const id = { source: 'catalog', data_provider_domain: 'data.example', id: 'fans' };
const reference = { scope: 'data_provider', data_provider_domain: 'data.example', signal_id: 'fans' };
const yes = { value_type: 'binary', value: true };

describe('product filters of 3.1 in 3.0', () => {
  it('name a country and its postal system in one value', () => {
    const reported = {
      postal_areas: [{ country: 'DE', system: 'plz', values: ['10115'] }],
      required_geo_targeting: [
        { level: 'postal_area', country: 'US', system: 'zip' },
        { level: 'metro', system: 'nielsen_dma' },
        { level: 'postal_area' },
      ],
    };
    expect(fittedFilters(reported, '3.0')).toEqual({
      filters: {
        postal_areas: [{ system: 'de_plz', values: ['10115'] }],
        required_geo_targeting: [
          { level: 'postal_area', system: 'us_zip' },
          { level: 'metro', system: 'nielsen_dma' },
          { level: 'postal_area' },
        ],
      },
      lost: [],
    });
  });

  it('omit all areas if the release lacks one of them, and report it: the rest alone would exclude products', () => {
    const german = { country: 'DE', system: 'plz', values: ['10115'] };
    const indian = { country: 'IN', system: 'pin', values: ['110001'] };
    expect(fittedFilters({ postal_areas: [german, indian], countries: ['DE'] }, '3.0')).toEqual({
      filters: { countries: ['DE'] },
      lost: ['filters.postal_areas'],
    });
  });

  it('leave out a level of a postal system that the release lacks, and report it', () => {
    const wanted = [{ level: 'postal_area', country: 'IN', system: 'pin' }, { level: 'country' }];
    expect(fittedFilters({ required_geo_targeting: wanted }, '3.0')).toEqual({
      filters: { required_geo_targeting: [{ level: 'country' }] },
      lost: ['filters.required_geo_targeting'],
    });
  });

  it('name signals by their ids, and leave out those without one and excluded ones', () => {
    const signal_targeting = [
      { signal_ref: reference, ...yes, targeting_mode: 'include' },
      { signal_id: id, ...yes },
      { signal_ref: { scope: 'product', signal_id: 'own' }, ...yes },
      { signal_ref: reference, ...yes, targeting_mode: 'exclude' },
    ];
    expect(fittedFilters({ signal_targeting }, '3.0')).toEqual({
      filters: {
        signal_targeting: [
          { signal_id: id, ...yes },
          { signal_id: id, ...yes },
        ],
      },
      lost: ['filters.signal_targeting'],
    });
  });

  it('have brands without brand kit, and no member of 3.1', () => {
    const vendor = { domain: 'counts.example', brand_kit_override: { tagline: 'Now' } };
    const reported = {
      required_performance_standards: [{ metric: 'ivt', vendor }],
      pricing_currencies: ['USD'],
    };
    expect(fittedFilters(reported, '3.0').filters).toEqual({
      required_performance_standards: [{ metric: 'ivt', vendor: { domain: 'counts.example' } }],
    });
  });
});

describe('product filters of 3.0 in 3.1', () => {
  it('have systems if 3.1 has them, and leave out an unknown level of one', () => {
    const required_geo_targeting = [
      { level: 'country', system: 'iso' },
      { level: 'metro', system: 'nielsen_dma' },
      { level: 'metro', system: 'us_zip' },
      { level: 'postal_area', system: 'us_zip' },
      { level: 'postal_area', system: 'other' },
    ];
    expect(fittedFilters({ required_geo_targeting }, '3.1')).toEqual({
      filters: {
        required_geo_targeting: [
          { level: 'country' },
          { level: 'metro', system: 'nielsen_dma' },
          { level: 'postal_area', system: 'us_zip' },
        ],
      },
      lost: ['filters.required_geo_targeting'],
    });
  });

  it('are unchanged otherwise', () => {
    const reported = { postal_areas: [{ system: 'us_zip', values: ['10001'] }], channels: ['ctv'] };
    expect(fittedFilters(reported, '3.1')).toEqual({ filters: reported, lost: [] });
  });
});
