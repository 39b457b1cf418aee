import type { JsonObject } from '@switchyard/values';
import { textAt, without } from '../../message/pick.js';

/** 3.0 writes a postal code's country and system as one name, one of these. 3.1 still takes them. */
const fusedSystems: ReadonlySet<string> = new Set([
  'us_zip',
  'us_zip_plus_four',
  'gb_outward',
  'gb_full',
  'ca_fsa',
  'ca_full',
  'de_plz',
  'fr_code_postal',
  'au_postcode',
  'ch_plz',
  'at_plz',
]);

/** Systems of metropolitan areas of both releases 3.x. */
const metroSystems: ReadonlySet<string> = new Set([
  'nielsen_dma',
  'uk_itl1',
  'uk_itl2',
  'eurostat_nuts2',
  'custom',
]);

/** A place with country and system as one name of 3.0; `undefined` where 3.0 has no name for them. */
export function fusedSystem(place: JsonObject): JsonObject | undefined {
  if (place['country'] === undefined) return place;
  const word = `${textAt(place, 'country')?.toLowerCase() ?? ''}_${textAt(place, 'system') ?? ''}`;
  return fusedSystems.has(word) ? { ...without(place, ['country']), system: word } : undefined;
}

/** Whether 3.1 takes this system, without a country, at a level. 3.0 does not check the pair. */
export function isSystemOf(system: string | undefined, level: string | undefined): boolean {
  if (system === undefined) return true;
  if (level === 'metro') return metroSystems.has(system);
  return level === 'postal_area' && fusedSystems.has(system);
}
