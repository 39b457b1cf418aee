import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { objectAt, textAt, without } from '../../message/pick.js';
import { fusedSystem, isSystemOf } from '../targeting/postal-system.js';

/**
 * What a report shall be broken down by, as the other release of 3.x takes it. A system of places that it has no word for
 * leaves the places out: by another system they would be other places.
 */
export function fittedDimensions(reported: JsonObject, to: Form): JsonObject {
  const geo = objectAt(reported, 'geo');
  if (geo === undefined) return structuredClone(reported);
  const fitted = to === '3.0' ? asPlaces30(geo) : asPlaces31(geo);
  return fitted === undefined ? without(reported, ['geo']) : { ...structuredClone(reported), geo: fitted };
}

function asPlaces30(geo: JsonObject): JsonObject | undefined {
  return textAt(geo, 'system') === undefined ? without(geo, ['country']) : fusedSystem(geo);
}

/** In 3.1 countries and regions have no system, and a country stands beside the postal systems of its own. */
function asPlaces31(geo: JsonObject): JsonObject | undefined {
  const level = textAt(geo, 'geo_level');
  if (level === 'country' || level === 'region') return without(geo, ['system']);
  return textAt(geo, 'country') !== undefined || isSystemOf(textAt(geo, 'system'), level) ? geo : undefined;
}
