import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { member, patched, textAt } from './pick.js';

/**
 * Assets as 3.x writes them: each says its type. The older forms tell types by shape alone, so what is there decides;
 * what cannot be told is an address.
 */
export function projectAssets(assets: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(assets).map(([role, asset]): [string, JsonValue] => [
      role,
      isJsonObject(asset) && textAt(asset, 'asset_type') === undefined
        ? patched(asset, { asset_type: typeOf(asset) })
        : structuredClone(asset),
    ]),
  );
}

function typeOf(asset: JsonObject): string {
  if (member(asset, 'vast_version') !== undefined) return 'vast';
  if (member(asset, 'daast_version') !== undefined) return 'daast';
  const content = textAt(asset, 'content');
  if (content !== undefined) return content.trimStart().startsWith('<') ? 'html' : 'text';
  const path = (textAt(asset, 'url') ?? '').replace(/[?#].*$/, '').toLowerCase();
  if (/\.(?:mp3|m4a|aac|ogg|wav|flac)$/.test(path)) return 'audio';
  if (/\.(?:mp4|webm|mov|m3u8|mpd)$/.test(path) || member(asset, 'frame_rate') !== undefined) return 'video';
  if (member(asset, 'width') === undefined) return 'url';
  return member(asset, 'duration_ms') === undefined ? 'image' : 'video';
}
