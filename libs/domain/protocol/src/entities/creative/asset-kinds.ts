import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { newestEvents } from '../package/price-place.js';
import { countAt, listAt, member, objectAt, textAt, without } from '../../message/pick.js';

type Release = Exclude<Form, 'service'>;
type Needs = (asset: JsonObject, to: Release) => boolean;

interface Kind {
  /** Releases that have this kind. */
  readonly in: readonly Release[];
  /** What an asset of this kind must have. */
  readonly needs: Needs;
  /** Closed lists of values by release, by member. */
  readonly words?: Readonly<Record<string, Readonly<Record<Release, ReadonlySet<string>>>>>;
}

const all: readonly Release[] = ['2.5', '3.0', '3.1'];
const modern: readonly Release[] = ['3.0', '3.1'];
const newest: readonly Release[] = ['3.1'];

/** An address as the schemas check it (RFC 3986): a scheme, and only characters that an address may have. */
const address = /^[a-z][a-z0-9+.-]*:(?:[^\s"<>\\^`{|}%\u0080-\uffff]|%[0-9a-f]{2})*$/i;
/** An address template (RFC 6570): the same, with variables. */
const template = /^(?:[^\s"'<>\\^`{|}%]|%[0-9a-f]{2}|\{[^\s{}]+\})*$/i;

const hasAddress = (asset: JsonObject): boolean => address.test(textAt(asset, 'url') ?? '');
const hasTemplate = (asset: JsonObject): boolean => template.test(textAt(asset, 'url') ?? '{');
const hasContent = (asset: JsonObject): boolean => typeof member(asset, 'content') === 'string';
const hasSize = (asset: JsonObject): boolean =>
  hasAddress(asset) && ['width', 'height'].every((name) => (countAt(asset, name) ?? 0) >= 1);

/** The asset has an address or content, and `delivery_type` names which of the two. */
const isServed: Needs = (asset, to) => {
  const way = textAt(asset, 'delivery_type');
  if (way === 'inline') return hasContent(asset);
  return way === 'url' && (to === '3.1' ? hasTemplate(asset) : hasAddress(asset));
};

const isTracker =
  (event: string): Needs =>
  (asset) => {
    const word = textAt(asset, event);
    return word !== undefined && hasTemplate(asset) && (word !== 'progress' || isStated(asset, 'offset'));
  };

const isStated = (asset: JsonObject, name: string): boolean => textAt(asset, name) !== undefined;

const in30 = [
  ...['impression', 'creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'],
  ...['mute', 'unmute', 'pause', 'resume', 'skip', 'progress', 'clickTracking', 'customClick', 'close'],
  ...['error', 'viewable', 'notViewable', 'viewUndetermined', 'measurableImpression', 'viewableImpression'],
];
const heard25 = [
  ...['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete', 'impression', 'pause', 'resume'],
  ...['skip', 'mute', 'unmute'],
];
const screen = ['fullscreen', 'exitFullscreen', 'playerExpand', 'playerCollapse'];
const seen30 = [
  ...in30,
  ...screen,
  ...['loaded', 'rewind', 'otherAdInteraction', 'interactiveStart', 'closeLinear'],
];
const vastEvents = {
  '2.5': new Set([...heard25, ...screen, 'click']),
  '3.0': new Set([...seen30, 'notUsed']),
  '3.1': new Set([
    ...seen30,
    ...['acceptInvitation', 'adExpand', 'adCollapse', 'minimize', 'overlayViewDuration'],
  ]),
};
const daastEvents = {
  '2.5': new Set(heard25),
  '3.0': new Set([...in30, 'loaded']),
  '3.1': new Set([...in30, 'rewind']),
};

/** Feed formats that each release defines. */
export const feedFormats = {
  '3.0': new Set(['google_merchant_center', 'facebook_catalog', 'shopify', 'linkedin_jobs', 'custom']),
  '3.1': new Set([
    ...['google_merchant_center', 'facebook_catalog', 'shopify', 'linkedin_jobs', 'tiktok_shop'],
    ...['pinterest_catalog', 'openai_product_feed', 'custom'],
  ]),
} as const;

const kinds: Readonly<Record<string, Kind>> = {
  image: { in: all, needs: hasSize },
  video: { in: all, needs: hasSize },
  audio: { in: all, needs: hasAddress },
  text: { in: all, needs: hasContent },
  html: { in: all, needs: hasContent },
  css: { in: all, needs: hasContent },
  javascript: { in: all, needs: hasContent },
  markdown: { in: all, needs: hasContent },
  vast: { in: all, needs: isServed, words: { tracking_events: vastEvents } },
  daast: { in: all, needs: isServed, words: { tracking_events: daastEvents } },
  url: { in: all, needs: (asset, to) => (to === '2.5' ? hasAddress(asset) : hasTemplate(asset)) },
  webhook: {
    in: all,
    needs: (asset) =>
      hasAddress(asset) && isStated(asset, 'response_type') && isJsonObject(member(asset, 'security')),
  },
  // 3.x uses briefs and catalogs instead.
  promoted_offerings: { in: ['2.5'], needs: (asset) => member(asset, 'brand_manifest') !== undefined },
  brief: { in: modern, needs: (asset) => isStated(asset, 'name') },
  catalog: { in: modern, needs: (asset) => isStated(asset, 'type') },
  zip: { in: newest, needs: hasAddress },
  published_post: {
    in: newest,
    needs: (asset) => isStated(asset, 'post_url') || isStated(asset, 'platform_post_id'),
  },
  card: { in: newest, needs: (asset, to) => fitsIn(objectAt(asset, 'media') ?? {}, to) },
  pixel_tracker: { in: newest, needs: (asset) => isStated(asset, 'event') && hasTemplate(asset) },
  vast_tracker: { in: newest, needs: isTracker('vast_event') },
  daast_tracker: { in: newest, needs: isTracker('daast_event') },
};

/** Whether a release has this kind of asset, and the asset has what the release requires of the kind. */
export function fitsIn(asset: JsonObject, to: Release): boolean {
  const kind = kindOf(asset);
  return kind?.in.includes(to) === true && kind.needs(asset, to);
}

function kindOf(asset: JsonObject): Kind | undefined {
  const name = textAt(asset, 'asset_type') ?? '';
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Whether a release has this kind of asset. */
export function hasKind(name: string, to: Release): boolean {
  return Object.hasOwn(kinds, name) && kinds[name]?.in.includes(to) === true;
}

/** The asset without values that the release does not define. */
export function inWordsOf(asset: JsonObject, to: Release): JsonObject {
  const fitted: JsonObject = { ...asset };
  for (const [name, words] of Object.entries(kindOf(asset)?.words ?? {})) {
    const reported = listAt(asset, name);
    if (reported !== undefined) fitted[name] = reported.filter((word) => isAmong(words[to], word));
  }
  return textAt(asset, 'asset_type') === 'catalog' && to === '3.0' ? catalog30(fitted) : fitted;
}

function isAmong(words: ReadonlySet<string>, word: JsonValue): boolean {
  return typeof word === 'string' && words.has(word);
}

/** A catalog for 3.0, which defines fewer feed formats and fewer conversion events. */
function catalog30(asset: JsonObject): JsonObject {
  const events = listAt(asset, 'conversion_events');
  const known = events?.filter((event) => !isAmong(newestEvents, event));
  const isKnownFeed = feedFormats['3.0'].has(textAt(asset, 'feed_format') ?? 'custom');
  const rest = without(asset, [
    ...(isKnownFeed ? [] : ['feed_format']),
    ...(known?.length === 0 ? ['conversion_events'] : []),
  ]);
  return known === undefined || known.length === 0 ? rest : { ...rest, conversion_events: known };
}
