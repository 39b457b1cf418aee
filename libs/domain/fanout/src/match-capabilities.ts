import type { ProductFilters } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { objectOf, objectsOf, textsOf } from './list-members.js';

/**
 * How a seller meets the filters that concern the seller itself and not its products. `lacks`: its declared
 * capabilities do not include this. `undeclared`: it declares nothing about it.
 */
interface SellerStanding {
  /** As paths below `filters`, such as `required_features.catalog_management`. */
  readonly lacks: readonly string[];
  readonly undeclared: readonly ('required_features' | 'required_geo_targeting')[];
}

/**
 * Compares `required_features` and `required_geo_targeting` (get_products of 3.x) with a seller's capabilities. A
 * published list is taken as complete: anything absent or not true is not offered. A seller without a list is not
 * judged: it gets the filter, if its form has one, and decides itself.
 *
 * `declared` is the seller's answer to the capabilities task; undefined if it is unknown.
 */
export function matchCapabilities(
  declared: JsonObject | undefined,
  filters: ProductFilters | undefined,
): SellerStanding {
  const requested = filters?.original?.value ?? {};
  const wanted = Object.entries(objectOf(requested['required_features'])).flatMap(([name, is]) =>
    is === true ? [name] : [],
  );
  const places = objectsOf(requested['required_geo_targeting']);
  const selling = objectOf(declared?.['media_buy']);
  const features = selling['features'];
  const targeting = objectOf(selling['execution'])['targeting'];
  const undeclared: SellerStanding['undeclared'][number][] = [];
  if (wanted.length > 0 && !isJsonObject(features)) undeclared.push('required_features');
  if (places.length > 0 && !isJsonObject(targeting)) undeclared.push('required_geo_targeting');
  return {
    lacks: [
      ...(isJsonObject(features) ? wanted.filter((name) => features[name] !== true) : []).map(
        (name) => `required_features.${name}`,
      ),
      ...(isJsonObject(targeting) ? places.filter((place) => !targets(targeting, place)) : []).map(nameOf),
    ],
    undeclared,
  };
}

/** An unknown level is not rejected. */
function targets(declared: JsonObject, { level, country, system }: JsonObject): boolean {
  if (level === 'country') return declared['geo_countries'] === true;
  if (level === 'region') return declared['geo_regions'] === true;
  if (level === 'metro') return hasSystem(declared['geo_metros'], system);
  if (level === 'postal_area') return hasPostal(declared['geo_postal_areas'], country, system);
  return true;
}

/** Without a system, any one is enough. Older sellers may declare the whole level with `true`. */
function hasSystem(declared: JsonValue | undefined, system: JsonValue | undefined): boolean {
  if (declared === true) return true;
  const systems = objectOf(declared);
  return typeof system === 'string'
    ? systems[system] === true
    : Object.values(systems).some((value) => value === true);
}

/** 3.1 lists systems by country. 3.0 has country and system in one value, which 3.1 sellers may still send. */
function hasPostal(
  declared: JsonValue | undefined,
  country: JsonValue | undefined,
  system: JsonValue | undefined,
): boolean {
  if (declared === true) return true;
  const areas = objectOf(declared);
  const reported = Object.entries(areas).flatMap(([name, value]) => {
    if (value === true) return [name];
    return textsOf(value).map((text) => `${name}_${text}`.toLowerCase());
  });
  if (typeof system !== 'string') {
    const prefix = typeof country === 'string' ? `${country}_`.toLowerCase() : '';
    return reported.some((text) => text.startsWith(prefix));
  }
  const name = typeof country === 'string' ? `${country}_${system}`.toLowerCase() : system;
  return reported.includes(name);
}

function nameOf({ level, country, system }: JsonObject): string {
  const parts = [level, country, system].filter((text) => typeof text === 'string');
  return `required_geo_targeting.${parts.join('.')}`;
}
