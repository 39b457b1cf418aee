import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { listAt, member, objectAt, textAt, without } from '../../message/pick.js';
import { withPlainBrands } from '../brand/brand.js';
import { fusedSystem, isSystemOf } from '../targeting/postal-system.js';
import { signalIdOf } from '../signal/signal-names.js';

/** Filters in a release, and the paths within them that it does not take. */
export interface FittedFilters {
  readonly filters: JsonObject;
  /** Lists are written `[]`. */
  readonly lost: readonly string[];
}

/** Filters that only 3.1 has. */
const newestMembers = [
  'pricing_currencies',
  'required_metrics',
  'required_vendor_metrics',
  'video_placement_types',
  'audio_distribution_types',
  'sponsored_placement_types',
  'social_placement_surfaces',
];

/** Product filters of one release of 3.x, for the other. */
export function fittedFilters(reported: JsonObject, to: '3.0' | '3.1'): FittedFilters {
  const filters: Record<string, JsonValue> =
    to === '3.0' ? { ...without(reported, newestMembers) } : { ...reported };
  const lost: string[] = [];
  const fit = (name: string, fitted: (item: JsonObject) => JsonObject | undefined): void => {
    const list = listAt(reported, name);
    if (list === undefined) return;
    const items = list.map((item) => (isJsonObject(item) ? fitted(item) : item));
    const stored = items.filter((item) => item !== undefined);
    if (stored.length < items.length) lost.push(`filters.${name}`);
    if (stored.length > 0) filters[name] = stored;
    else Reflect.deleteProperty(filters, name);
  };
  if (to === '3.1') {
    fit('required_geo_targeting', asLevel31);
    return { filters, lost };
  }
  fit('required_geo_targeting', asLevel30);
  fit('postal_areas', fusedSystem);
  // A product matches if any area does: a shorter list would exclude products of the missing area.
  if (lost.includes('filters.postal_areas')) Reflect.deleteProperty(filters, 'postal_areas');
  fit('signal_targeting', asSignal30);
  const standards = member(reported, 'required_performance_standards');
  if (standards !== undefined) filters['required_performance_standards'] = withPlainBrands(standards);
  return { filters, lost };
}

/** In 3.1 countries and regions have no system; a level with an unknown system would mean another level. */
function asLevel31(wanted: JsonObject): JsonObject | undefined {
  const level = textAt(wanted, 'level');
  if (level === 'country' || level === 'region') return without(wanted, ['system']);
  return isSystemOf(textAt(wanted, 'system'), level) ? wanted : undefined;
}

/** 3.0 has a country only within the name of the system; a level without a system means every country. */
function asLevel30(wanted: JsonObject): JsonObject | undefined {
  if (textAt(wanted, 'system') === undefined) return without(wanted, ['country']);
  return fusedSystem(wanted);
}

/** 3.0 names signals by id, and can only include them. */
function asSignal30(wanted: JsonObject): JsonObject | undefined {
  if (textAt(wanted, 'targeting_mode') === 'exclude') return undefined;
  const reference = objectAt(wanted, 'signal_ref');
  const id = objectAt(wanted, 'signal_id') ?? (reference === undefined ? undefined : signalIdOf(reference));
  return id === undefined
    ? undefined
    : { ...without(wanted, ['signal_ref', 'targeting_mode']), signal_id: id };
}
