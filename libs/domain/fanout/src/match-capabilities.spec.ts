import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { matchCapabilities } from './match-capabilities.js';

const filters = (value: JsonObject) => ({ original: { form: '3.1' as const, value } });
const selling = (block: JsonObject): JsonObject => ({ media_buy: block });
const places = (...required: JsonObject[]) => filters({ required_geo_targeting: required });
const targeting = (declared: JsonObject) => selling({ execution: { targeting: declared } });

describe('a seller with required features', () => {
  const wanted = filters({ required_features: { catalog_management: true, property_list_filtering: false } });

  it.each<[string, JsonObject, readonly string[]]>([
    ['declares it', { catalog_management: true }, []],
    ['declares that it lacks it', { catalog_management: false }, ['required_features.catalog_management']],
    [
      'declares others and not this one',
      { inline_creative_management: true },
      ['required_features.catalog_management'],
    ],
    ['declares that it has none', {}, ['required_features.catalog_management']],
  ])('and %s is checked by that, and not by features requested as false', (_what, features, lacks) => {
    expect(matchCapabilities(selling({ features }), wanted)).toEqual({ lacks, undeclared: [] });
  });

  it.each<[string, JsonObject | undefined]>([
    ['was never heard', undefined],
    ['sells nothing', { signals: {} }],
    ['publishes no features', selling({})],
    ['publishes something else in their place', selling({ features: 'all' })],
  ])('and %s is not checked, and reported as unchecked', (_what, declared) => {
    expect(matchCapabilities(declared, wanted)).toEqual({ lacks: [], undeclared: ['required_features'] });
  });

  it('is not required to have a feature that is false', () => {
    const nothing = filters({ required_features: { catalog_management: false } });
    expect(matchCapabilities(selling({ features: {} }), nothing)).toEqual({ lacks: [], undeclared: [] });
    expect(matchCapabilities(undefined, nothing)).toEqual({ lacks: [], undeclared: [] });
    expect(matchCapabilities(undefined, undefined)).toEqual({ lacks: [], undeclared: [] });
  });
});

describe('a seller with required targeting by place', () => {
  const us = { level: 'postal_area', country: 'US', system: 'zip' };

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['countries', { level: 'country' }, { geo_countries: true }, true],
    ['countries, denied', { level: 'country' }, { geo_countries: false, geo_regions: true }, false],
    ['regions', { level: 'region' }, { geo_regions: true }, true],
    ['regions, unsaid', { level: 'region' }, { geo_countries: true }, false],
    ['metros of one system', metro('nielsen_dma'), { geo_metros: { nielsen_dma: true } }, true],
    ['metros of another system', metro('uk_itl1'), { geo_metros: { nielsen_dma: true } }, false],
    ['metros of any system', { level: 'metro' }, { geo_metros: { uk_itl2: true } }, true],
    ['metros of any system, all denied', { level: 'metro' }, { geo_metros: { uk_itl2: false } }, false],
    ['postal areas by country, as 3.1 says it', us, { geo_postal_areas: { US: ['zip'] } }, true],
    ['postal areas by country, as 3.0 says it', us, { geo_postal_areas: { us_zip: true } }, true],
    ['another system of the country', us, { geo_postal_areas: { US: ['zip_plus_four'] } }, false],
    ['the same system elsewhere', us, { geo_postal_areas: { DE: ['zip'] } }, false],
    ['one word of 3.0 for both', legacy('de_plz'), { geo_postal_areas: { DE: ['plz'] } }, true],
    ['that word, denied', legacy('de_plz'), { geo_postal_areas: { de_plz: false } }, false],
    ['any postal areas', { level: 'postal_area' }, { geo_postal_areas: { GB: ['full'] } }, true],
    ['any postal areas, of none', { level: 'postal_area' }, { geo_countries: true }, false],
    ['a level that is not known here', { level: 'planet' }, { geo_countries: true }, true],
  ])('is checked for %s', (_what, place, declared, offers) => {
    const { lacks, undeclared } = matchCapabilities(targeting(declared), places(place));
    expect([lacks.length === 0, undeclared]).toEqual([offers, []]);
  });

  it('lacks each kind of targeting that it does not publish, by name', () => {
    const requested = places({ level: 'region' }, us, metro('uk_itl1'), { level: 'country' });
    expect(matchCapabilities(targeting({ geo_countries: true }), requested).lacks).toEqual([
      'required_geo_targeting.region',
      'required_geo_targeting.postal_area.US.zip',
      'required_geo_targeting.metro.uk_itl1',
    ]);
  });

  it('that publishes no targeting is not checked, and reported as unchecked', () => {
    expect(matchCapabilities(selling({ execution: {} }), places({ level: 'region' }))).toEqual({
      lacks: [],
      undeclared: ['required_geo_targeting'],
    });
  });
});

function metro(system: string): JsonObject {
  return { level: 'metro', system };
}

function legacy(system: string): JsonObject {
  return { level: 'postal_area', system };
}
