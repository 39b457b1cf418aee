import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { newestEvents } from '../delivery/newest-events.js';
import { listAt, textAt, textsAt, without } from '../../message/pick.js';

/** Names of feeds that came with 3.1. */
const newestFeeds: ReadonlySet<string> = new Set(['tiktok_shop', 'pinterest_catalog', 'openai_product_feed']);

/**
 * A catalog as a release of 3.x takes it, and what within it is lost; an empty path is the catalog as a whole. A feed that
 * 3.0 has no name for would be read there as something that it is not.
 */
export function fittedCatalog(
  reported: JsonObject,
  to: Form,
): { readonly catalog?: JsonObject; readonly lost: readonly string[] } {
  if (to !== '3.0') return { catalog: reported, lost: [] };
  if (newestFeeds.has(textAt(reported, 'feed_format') ?? '')) return { lost: [''] };
  if (listAt(reported, 'conversion_events') === undefined) return { catalog: reported, lost: [] };
  const events = textsAt(reported, 'conversion_events');
  const known = events.filter((event) => !newestEvents.has(event));
  if (known.length === events.length) return { catalog: reported, lost: [] };
  const rest = without(reported, ['conversion_events']);
  const catalog = known.length === 0 ? rest : { ...rest, conversion_events: known };
  return { catalog, lost: ['conversion_events'] };
}
