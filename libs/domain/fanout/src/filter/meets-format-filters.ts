import { isSameFormat, type CreativeFormat, type FormatId } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { objectOf, objectsOf, textsOf } from '../list-members.js';

/** Checks one filter against a format's own members; true if they do not state it. */
type Rule = (wanted: JsonValue, reported: JsonObject, format: CreativeFormat) => boolean;

const levels = ['A', 'AA', 'AAA'];

const rules: Readonly<Record<string, Rule>> = {
  asset_types(wanted, reported) {
    const lists = ['assets', 'assets_required'].filter((name) => Array.isArray(reported[name]));
    if (lists.length === 0) return true;
    const taken = lists.flatMap((name) => assetTypesOf(reported[name]));
    return textsOf(wanted).every((type) => taken.includes(type));
  },
  min_width: sized('width', (size, wanted) => size >= wanted),
  max_width: sized('width', (size, wanted) => size <= wanted),
  min_height: sized('height', (size, wanted) => size >= wanted),
  max_height: sized('height', (size, wanted) => size <= wanted),
  is_responsive(wanted, reported) {
    const renders = objectsOf(reported['renders']).filter((render) => render['dimensions'] !== undefined);
    if (typeof wanted !== 'boolean' || renders.length === 0) return true;
    return renders.some((render) => isResponsive(objectOf(render['dimensions']))) === wanted;
  },
  name_search: (wanted, _stated, { name }) =>
    typeof wanted !== 'string' || name.toLowerCase().includes(wanted.toLowerCase()),
  wcag_level(wanted, reported) {
    const level = objectOf(reported['accessibility'])['wcag_level'];
    const [has, least] = [level, wanted].map((name) =>
      typeof name === 'string' ? levels.indexOf(name) : -1,
    );
    return has === -1 || has === undefined || has >= (least ?? -1);
  },
  disclosure_positions(wanted, reported) {
    const structured = objectsOf(reported['disclosure_capabilities']).flatMap(
      ({ position }) => position ?? [],
    );
    const places = textsOf(structured.length > 0 ? structured : reported['supported_disclosure_positions']);
    return places.length === 0 || textsOf(wanted).every((place) => places.includes(place));
  },
  disclosure_persistence(wanted, reported) {
    const modes = objectsOf(reported['disclosure_capabilities']).flatMap((capability) =>
      textsOf(capability['persistence']),
    );
    return modes.length === 0 || textsOf(wanted).every((mode) => modes.includes(mode));
  },
  output_format_ids: anyFormat('output_format_ids'),
  input_format_ids: anyFormat('input_format_ids'),
};

/** True if a format matches the filters for sizes, assets and disclosures. Members that it does not state match. */
export function meetsFormatFilters(format: CreativeFormat, requested: JsonObject): boolean {
  return Object.entries(requested).every(
    ([name, wanted]) =>
      wanted === null ||
      !Object.hasOwn(rules, name) ||
      (rules[name]?.(wanted, format.original.value, format) ?? true),
  );
}

/** One matching render is enough. A render without a fixed size matches. */
function sized(side: 'width' | 'height', fits: (size: number, wanted: number) => boolean): Rule {
  return (wanted, reported, { formatId }) => {
    if (typeof wanted !== 'number') return true;
    const renders = objectsOf(reported['renders']).map((render) => objectOf(render['dimensions']));
    const inPixels = renders.filter(({ unit }) => unit === undefined || unit === 'px');
    const fixed = formatId[side];
    const sizes = fixed === undefined ? inPixels.map((size) => size[side]) : [fixed];
    return sizes.length === 0 || sizes.some((size) => typeof size !== 'number' || fits(size, wanted));
  };
}

function isResponsive(dimensions: JsonObject): boolean {
  const responsive = objectOf(dimensions['responsive']);
  const isFixed = ['width', 'height'].every((side) => typeof dimensions[side] === 'number');
  return !isFixed || responsive['width'] === true || responsive['height'] === true;
}

/** Returns the asset types in a list of assets, including those of groups. */
function assetTypesOf(list: JsonValue | undefined): readonly string[] {
  return objectsOf(list).flatMap(({ asset_type: type, assets }) => [
    ...(typeof type === 'string' ? [type] : []),
    ...assetTypesOf(assets),
  ]);
}

function anyFormat(member: string): Rule {
  return (wanted, reported) => {
    const has = objectsOf(reported[member]).flatMap(idOf);
    const requested = objectsOf(wanted).flatMap(idOf);
    return has.length === 0 || has.some((format) => requested.some((other) => isSameFormat(format, other)));
  };
}

function idOf({ agent_url: agentUrl, id, width, height, duration_ms: duration }: JsonObject): FormatId[] {
  if (typeof agentUrl !== 'string' || typeof id !== 'string') return [];
  return [
    {
      agentUrl,
      id,
      ...(typeof width === 'number' ? { width } : {}),
      ...(typeof height === 'number' ? { height } : {}),
      ...(typeof duration === 'number' ? { durationMs: duration } : {}),
    },
  ];
}
