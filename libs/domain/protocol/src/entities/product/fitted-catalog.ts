import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { newestEvents } from '../package/price-place.js';
import { listAt, textAt, textsAt, without } from '../../message/pick.js';

/** Feed formats that 3.1 added. */
const newestFeeds: ReadonlySet<string> = new Set(['tiktok_shop', 'pinterest_catalog', 'openai_product_feed']);

/**
 * A catalog for a release of 3.x, and the lost paths within it; an empty path is the whole catalog. 3.0 would misread a
 * feed format that it does not have.
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
