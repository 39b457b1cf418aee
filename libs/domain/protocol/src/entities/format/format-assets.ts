import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { feedFormats } from '../creative/asset-kinds.js';
import { booleanAt, countAt, listAt, objectAt, textAt, textsAt, without } from '../../message/pick.js';

type Release = Exclude<Form, 'service'>;

/** The assets of a format as a release lists them, and the paths of what the release does not have. */
interface FittedFormatAssets {
  readonly members: JsonObject;
  /** Lists are written `[]`. */
  readonly lost: readonly string[];
}

const everywhere = [
  ...['image', 'video', 'audio', 'text', 'markdown', 'html', 'css', 'javascript', 'vast', 'daast', 'url'],
  'webhook',
];
const single: Readonly<Record<Release, readonly string[]>> = {
  '2.5': [...everywhere, 'promoted_offerings'],
  '3.0': [...everywhere, 'brief', 'catalog'],
  '3.1': [...everywhere, 'brief', 'catalog', 'zip'],
};
/** The same inside a repeated group. */
const grouped: Readonly<Record<Release, readonly string[]>> = {
  '2.5': single['2.5'],
  '3.0': everywhere,
  '3.1': [...everywhere, 'zip'],
};
/** Requirements of an offering that 3.0 defines. */
const offered30 = single['3.0'];

/**
 * Fits the assets of a format to a release. 2.5 lists required assets only, with requirements in free text. 3.x lists
 * all, marks each as required or not, and defines the requirements, so free text is left out.
 */
export function formatAssetsFor(value: JsonObject, to: Release): FittedFormatAssets {
  const from = listAt(value, 'assets') === undefined ? 'assets_required' : 'assets';
  const list = listAt(value, from);
  if (list === undefined) return { members: {}, lost: [] };
  const lost = new Set<string>();
  const fit = (item: JsonValue): readonly JsonObject[] => fitItem(item, { from, to, lost });
  const fitted = list.flatMap(fit);
  if (fitted.length < list.length) lost.add(from);
  const name = to === '2.5' ? 'assets_required' : 'assets';
  return { members: fitted.length === 0 ? {} : { [name]: fitted }, lost: [...lost] };
}

interface Fitting {
  readonly from: 'assets' | 'assets_required';
  readonly to: Release;
  readonly lost: Set<string>;
}

function fitItem(item: JsonValue, fitting: Fitting): readonly JsonObject[] {
  if (!isJsonObject(item)) return [];
  const { from, to } = fitting;
  if (textAt(item, 'item_type') === 'repeatable_group') return fitGroup(item, fitting);
  const asset = fitAsset(item, single[to], `${from}[]`, fitting);
  return asset === undefined ? [] : [{ ...asset, item_type: 'individual' }];
}

/** In 2.5 a group repeats at least once. */
function fitGroup(group: JsonObject, fitting: Fitting): readonly JsonObject[] {
  const { from, to, lost } = fitting;
  const [least, most] = [countAt(group, 'min_count'), countAt(group, 'max_count')];
  const list = listAt(group, 'assets');
  if (textAt(group, 'asset_group_id') === undefined || list === undefined) return [];
  if (least === undefined || most === undefined || most < 1 || (to === '2.5' && least < 1)) return [];
  const path = `${from}[].assets[]`;
  const assets = list.flatMap((entry): JsonObject[] => {
    const asset = isJsonObject(entry) ? fitAsset(entry, grouped[to], path, fitting) : undefined;
    return asset === undefined ? [] : [asset];
  });
  if (assets.length === 0 && list.length > 0) return [];
  if (assets.length < list.length) lost.add(`${from}[].assets`);
  return [{ ...group, ...(to === '2.5' ? {} : { required: booleanAt(group, 'required') ?? true }), assets }];
}

function fitAsset(
  asset: JsonObject,
  kinds: readonly string[],
  path: string,
  { from, to, lost }: Fitting,
): JsonObject | undefined {
  const [id, kind] = [textAt(asset, 'asset_id'), textAt(asset, 'asset_type') ?? ''];
  if (id === undefined || !kinds.includes(kind)) return undefined;
  if (to === '2.5') return asset;
  if (from === 'assets') return to === '3.0' && kind === 'catalog' ? withFeeds30(asset, path, lost) : asset;
  if (objectAt(asset, 'requirements') !== undefined) lost.add(`${path}.requirements`);
  return defined({
    asset_id: id,
    asset_type: kind,
    asset_role: textAt(asset, 'asset_role'),
    required: booleanAt(asset, 'required') ?? true,
  });
}

function withFeeds30(asset: JsonObject, path: string, lost: Set<string>): JsonObject {
  const requirements = objectAt(asset, 'requirements');
  if (requirements === undefined) return asset;
  const stored: Record<string, readonly JsonValue[]> = {
    feed_formats: textsAt(requirements, 'feed_formats').filter((feed) => feedFormats['3.0'].has(feed)),
    offering_asset_constraints: (listAt(requirements, 'offering_asset_constraints') ?? []).filter(
      (constraint) => !isJsonObject(constraint) || offered30.includes(textAt(constraint, 'asset_type') ?? ''),
    ),
  };
  const rest: JsonObject = without(requirements, Object.keys(stored));
  for (const [name, list] of Object.entries(stored)) {
    if (list.length < (listAt(requirements, name)?.length ?? 0)) lost.add(`${path}.requirements.${name}`);
    if (list.length > 0) rest[name] = [...list];
  }
  return { ...asset, requirements: rest };
}
