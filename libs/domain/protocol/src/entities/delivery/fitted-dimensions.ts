import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { objectAt, textAt, without } from '../../message/pick.js';
import { fusedSystem, isSystemOf } from '../targeting/postal-system.js';

/**
 * Breakdowns that a report shall have, for the other release of 3.x. Where the release does not define the system of
 * places, the breakdown by place is left out: another system has other places.
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

/** In 3.1 countries and regions have no system, and a postal breakdown names its country. */
function asPlaces31(geo: JsonObject): JsonObject | undefined {
  const level = textAt(geo, 'geo_level');
  if (level === 'country' || level === 'region') return without(geo, ['system']);
  return textAt(geo, 'country') !== undefined || isSystemOf(textAt(geo, 'system'), level) ? geo : undefined;
}
