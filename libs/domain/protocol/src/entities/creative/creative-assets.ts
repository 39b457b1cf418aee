import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { Form } from '../../versions/wire-profile.js';
import { fitsIn, inWordsOf } from './asset-kinds.js';
import { is3x } from '../../message/form.js';
import { member, patched, textAt } from '../../message/pick.js';

/**
 * Assets by role, as a form takes them. 3.x requires a type for each. An asset that came in the same form is unchanged;
 * one of another form is included only if the form has its kind and the asset has what that kind requires.
 */
export function fittedAssets(assets: JsonObject, from: Original['form'], to: Form): JsonObject {
  return Object.fromEntries(
    Object.entries(assets).flatMap(([role, asset]): [string, JsonValue][] => {
      const fitted = from === to || to === 'service' ? completed(asset, to) : fittedAsset(asset, to);
      return fitted === undefined ? [] : [[role, fitted]];
    }),
  );
}

/** Assets as 3.x writes them, each with its type. Required members are not checked. */
function typedAssets(assets: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(assets).map(([role, asset]) => [role, completed(asset, '3.1')]));
}

function completed(asset: JsonValue, to: Form): JsonValue {
  return is3x(to) && isJsonObject(asset) ? typed(asset) : structuredClone(asset);
}

/** Only 3.1 has several assets under one role. Other forms get none: one of several would mislead. */
function fittedAsset(asset: JsonValue, to: Exclude<Form, 'service'>): JsonValue | undefined {
  if (!Array.isArray(asset)) return fittedOne(asset, to);
  const fitted = asset.map((part) => fittedOne(part, to)).filter((part) => part !== undefined);
  if (asset.length === 0 || fitted.length < asset.length) return undefined;
  return to === '3.1' ? fitted : fitted.length === 1 ? fitted[0] : undefined;
}

function fittedOne(asset: JsonValue, to: Exclude<Form, 'service'>): JsonObject | undefined {
  if (!isJsonObject(asset)) return undefined;
  const reported = typed(asset);
  if (!fitsIn(reported, to)) return undefined;
  const fitted = inWordsOf(reported, to);
  // Older forms have no type member; the shape determines the kind.
  if (to !== '2.5' || textAt(asset, 'asset_type') !== undefined) return fitted;
  const { asset_type: _omitted, ...bare } = fitted;
  return bare;
}

/** The asset with its type. A missing type is derived from the shape, as in the older forms; default `url`. */
function typed(asset: JsonObject): JsonObject {
  return textAt(asset, 'asset_type') === undefined
    ? patched(asset, { asset_type: typeOf(asset) })
    : structuredClone(asset);
}

function typeOf(asset: JsonObject): string {
  if (member(asset, 'brand_manifest') !== undefined) return 'promoted_offerings';
  const content = textAt(asset, 'content');
  if (member(asset, 'daast_version') !== undefined) return 'daast';
  if (member(asset, 'vast_version') !== undefined) return 'vast';
  if (member(asset, 'delivery_type') !== undefined)
    return content?.trimStart().startsWith('<DAAST') === true ? 'daast' : 'vast';
  if (content !== undefined) return content.trimStart().startsWith('<') ? 'html' : 'text';
  if (member(asset, 'response_type') !== undefined) return 'webhook';
  return typeOfFile(asset);
}

function typeOfFile(asset: JsonObject): string {
  const path = (textAt(asset, 'url') ?? '').replace(/[?#].*$/s, '').toLowerCase();
  if (/\.(?:mp3|m4a|aac|ogg|wav|flac)$/.test(path)) return 'audio';
  const hasSize = ['width', 'height'].every((name) => member(asset, name) !== undefined);
  // Without dimensions a file is only an address.
  if (!hasSize) return 'url';
  if (/\.(?:mp4|webm|mov|m3u8|mpd)$/.test(path) || member(asset, 'frame_rate') !== undefined) return 'video';
  return member(asset, 'duration_ms') === undefined ? 'image' : 'video';
}

/**
 * Assets of a creative in the form of the seller. An asset that is invalid in its own form is sent unchanged: the
 * seller rejects it, and the buyer corrects it.
 */
export function sentAssets(assets: JsonObject, from: Original['form'], to: Form): JsonObject {
  return Object.fromEntries(
    Object.entries(assets).flatMap(([role, asset]): [string, JsonValue][] => {
      const written = { [role]: asset };
      const fitted = fittedAssets(written, from, to);
      return Object.entries(
        Object.hasOwn(fitted, role) || isFitIn(written, from) ? fitted : asItIs(written, to),
      );
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
