import { describe, expect, it } from '@jest/globals';
import { projectTargeting, readTargeting, unsupportedTargeting } from './targeting.js';

describe('targeting of a buyer of 2.5', () => {
  it('means the same in 3.x: countries, regions, metros and postal codes', () => {
    expect(
      readTargeting({
        geo_country_any_of: ['US'],
        geo_region_any_of: ['US-NY'],
        geo_metro_any_of: ['501'],
        geo_postal_code_any_of: ['10001'],
        axe_include_segment: 'seg',
      }),
    ).toEqual({
      geo_countries: ['US'],
      geo_regions: ['US-NY'],
      geo_metros: [{ system: 'nielsen_dma', values: ['501'] }],
      geo_postal_areas: [{ system: 'us_zip', values: ['10001'] }],
      axe_include_segment: 'seg',
    });
  });

  it.each([
    ['a region that is no code', { geo_region_any_of: ['New York'] }],
    ['a metro of nobody’s list', { geo_metro_any_of: ['London'] }],
    ['five digits that may be any country’s', { geo_postal_code_any_of: ['10115'] }],
    ['five digits of two countries', { geo_country_any_of: ['us'], geo_postal_code_any_of: ['10115'] }],
    ['a list that is none', { geo_country_any_of: 'US' }],
  ])('is passed on unchanged if 3.x cannot express it: %s', (_what, reported) => {
    expect(readTargeting(reported)).toEqual(reported);
  });

  it('does not overwrite members of 3.x in the same overlay', () => {
    const both = { geo_country_any_of: ['US'], geo_countries: ['DE'] };
    expect(readTargeting(both)).toEqual(both);
  });

  it('is reported if a seller of 3.x has no member for it', () => {
    expect(projectTargeting({ geo_metro_any_of: ['London'] }, '3.1')).toEqual({
      targeting: { geo_metro_any_of: ['London'] },
      unsupported: ['geo_metro_any_of'],
    });
  });
});

describe('targeting of a buyer of 3.x', () => {
  const aimed = {
    geo_countries: ['US'],
    geo_regions: ['US-NY'],
    geo_metros: [{ system: 'nielsen_dma', values: ['501'] }],
    geo_postal_areas: [{ country: 'US', system: 'zip', values: ['10001'] }],
  };

  it('is sent to 2.5 under its own names', () => {
    expect(projectTargeting(aimed, '2.5')).toEqual({
      targeting: {
        geo_country_any_of: ['US'],
        geo_region_any_of: ['US-NY'],
        geo_metro_any_of: ['501'],
        geo_postal_code_any_of: ['10001'],
      },
      unsupported: [],
    });
  });

  it('is the same after a conversion to 2.5 and back', () => {
    const { geo_postal_areas: _codes, ...rest } = aimed;
    expect(readTargeting(projectTargeting(rest, '2.5').targeting)).toEqual(rest);
  });

  it.each([
    ['metros by another list', { geo_metros: [{ system: 'uk_itl2', values: ['UKI'] }] }, 'geo_metros'],
    ['what is kept out', { geo_countries_exclude: ['DE'] }, 'geo_countries_exclude'],
    ['postal codes beside no country', { geo_postal_areas: aimed.geo_postal_areas }, 'geo_postal_areas'],
    ['devices', { device_type: ['ctv'] }, 'device_type'],
  ])('is passed on and reported if 2.5 has no member for it: %s', (_what, targeting, name) => {
    expect(projectTargeting(targeting, '2.5')).toEqual({ targeting, unsupported: [name] });
  });

  it.each([
    [{ suppress_minutes: 60 }, { frequency_cap: { suppress_minutes: 60 } }, []],
    [{ suppress: { interval: 2, unit: 'hours' } }, { frequency_cap: { suppress_minutes: 120 } }, []],
    [{ suppress: { interval: 1, unit: 'campaign' } }, {}, ['frequency_cap']],
    [
      { max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } },
      {},
      ['frequency_cap'],
    ],
    [
      { suppress_minutes: 5, max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } },
      { frequency_cap: { suppress_minutes: 5 } },
      ['frequency_cap'],
    ],
  ])('has frequency caps in 2.5 only in minutes, and reports the rest: %j', (cap, targeting, unsupported) => {
    expect(projectTargeting({ frequency_cap: cap }, '2.5')).toEqual({ targeting, unsupported });
  });

  it('is sent to 3.0 with the country in the postal system, and left out and reported without a country', () => {
    const plz = { country: 'DE', system: 'plz', values: ['10115'] };
    const cep = { country: 'BR', system: 'cep', values: ['01000'] };
    expect(
      projectTargeting({ geo_postal_areas: [plz], geo_postal_areas_exclude: [plz, cep] }, '3.0'),
    ).toEqual({
      targeting: { geo_postal_areas: [{ system: 'de_plz', values: ['10115'] }] },
      unsupported: ['geo_postal_areas_exclude'],
    });
  });

  it('reports that 3.0 has no member for signals', () => {
    expect(projectTargeting({ signal_targeting_groups: { groups: [] } }, '3.0').unsupported).toEqual([
      'signal_targeting_groups',
    ]);
  });

  it('is unchanged in the service description', () => {
    expect(projectTargeting(aimed, 'service')).toEqual({ targeting: aimed, unsupported: [] });
  });
});

describe('targeting that was not sent', () => {
  it('is a finding at its place', () => {
    expect(unsupportedTargeting(['device_type'], 'packages[0].targeting_overlay')).toEqual([
      {
        code: 'TARGETING_NOT_CARRIED',
        message:
          'The protocol version of this seller has no value for this targeting, so the seller may ignore it.',
        field: 'packages[0].targeting_overlay.device_type',
      },
    ]);
  });
});
