import type { JsonObject, JsonValue } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { Form } from '../../versions/wire-profile.js';
import { fittedAssets, typedAssets } from './creative-assets.js';
import { is3x } from '../../message/form.js';

/**
 * Assets of a creative in the form of the seller. An asset that is invalid in its own form is sent unchanged: the
 * seller rejects it, and the buyer corrects it.
 */
export function sentAssets(assets: JsonObject, from: Original['form'], to: Form): JsonObject {
  return Object.fromEntries(
    Object.entries(assets).flatMap(([role, asset]): [string, JsonValue][] => {
      const one = { [role]: asset };
      const fitted = fittedAssets(one, from, to);
      return Object.entries(Object.hasOwn(fitted, role) || isFitIn(one, from) ? fitted : asItIs(one, to));
    }),
  );
}

/** The `service` form has no rules for assets: there an asset is valid if any release would take it. */
function isFitIn(asset: JsonObject, from: Original['form']): boolean {
  const releases = from === 'service' || from === 'ours' ? (['2.5', '3.0', '3.1'] as const) : [from];
  return releases.some((release) => Object.keys(fittedAssets(asset, 'ours', release)).length > 0);
}

function asItIs(asset: JsonObject, to: Form): JsonObject {
  return is3x(to) ? typedAssets(asset) : structuredClone(asset);
}
