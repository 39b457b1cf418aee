import { servedBy } from '../served-by.js';
import { defined, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import { z } from 'zod';
import { objectAt, objectsAt, textAt } from '../../../message/pick.js';
import { idText } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { criteriaRenamed, criteriaShape, discoveryOf } from './criteria.js';
import { same } from './keep.js';
import { around, findingsOf, isFailed } from './ours.js';
import { compactProducts } from './product.js';
import { brandOf, searchEnvelopeOf, noted, notedFindings, readArgs, inputOf } from './request.js';

const shape = {
  criteria: criteriaShape.optional(),
  fields: z.array(idText).max(200).optional(),
  cursor: z.string().max(20_000).optional(),
  max_results: z.int().min(1).max(100).optional(),
  if_feed_version: idText.optional(),
  if_pricing_version: idText.optional(),
};

/** Products per page, where the request names no number. */
const usualPage = 25;
/** How long products can be bought by the version of their list, in milliseconds. */
export const listedForMs = 24 * 60 * 60_000;
export const listingKey = (feedVersion: string): string => `listing ${feedVersion}`;

export const listProducts: LifecycleTask = {
  name: 'list_products',
  servedBy: servedBy.list_products,
  inputSchema: inputOf(shape, []),
  renamed: criteriaRenamed,
  recalls: (args) =>
    [textAt(args, 'if_feed_version')].flatMap((version) =>
      version === undefined ? [] : [listingKey(version)],
    ),

  serve(args, recalled) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const { members, productIds, findings } = discoveryOf(objectAt(args, 'criteria'));
    const version = textAt(args, 'if_feed_version');
    const before = version === undefined ? undefined : recalled.get(listingKey(version));
    const notes = {
      product_ids: productIds === undefined ? undefined : [...productIds],
      if_feed_version: version,
      before: before?.['products'],
    };
    return ok({
      args: {
        ...searchEnvelopeOf(args),
        ...brandOf(args),
        ...members,
        ...same(args, ['fields']),
        buying_mode: 'wholesale',
        pagination: defined({
          max_results: args['max_results'] ?? usualPage,
          cursor: textAt(args, 'cursor'),
        }),
        ...noted('list_products', notes, findings),
      },
    });
  },

  answer(body, asked, { at, operationId }) {
    if (isFailed(body)) return { body };
    const lost = new Set<string>();
    const wanted = asked['product_ids'];
    const products = compactProducts(body, lost).filter(
      (product) => !Array.isArray(wanted) || wanted.includes(product['product_id'] ?? null),
    );
    const page = objectAt(body, 'pagination');
    const listed = Object.fromEntries(
      products.map((product) => [textAt(product, 'product_id') ?? '', objectsAt(product, 'pricing_options')]),
    ) as JsonObject;
    const version = textAt(asked, 'if_feed_version');
    const isSame = version !== undefined && page?.['has_more'] !== true && isEqual(asked['before'], listed);
    const feedVersion = isSame ? version : (operationId ?? 'unversioned');
    const shared = {
      feed_version: feedVersion,
      cache_scope: body['cache_scope'] === 'public' ? 'public' : 'account',
      ...around(body, [...notedFindings(asked), ...findingsOf(lost)]),
    };
    if (isSame) return { body: { outcome: 'unchanged', ...shared } };
    const cursor = textAt(page, 'cursor');
    return {
      body: {
        outcome: 'listed',
        products,
        ...(cursor === undefined ? {} : { next_cursor: cursor }),
        ...incompleteOf(body),
        ...shared,
      },
      kept: [
        {
          key: listingKey(feedVersion),
          value: { products: listed },
          adds: 'products',
          until: at + listedForMs,
        },
      ],
    };
  },
};

function isEqual(before: JsonValue | undefined, now: JsonObject): boolean {
  return isJsonObject(before) && JSON.stringify(before) === JSON.stringify(now);
}

/** What sellers could not answer in time, where the shape has the scope. */
export function incompleteOf(
  body: JsonObject,
  scopes = ['products', 'pricing', 'forecast', 'wholesale_feed'],
): JsonObject {
  const items = objectsAt(body, 'incomplete')
    .filter(({ scope }) => typeof scope === 'string' && scopes.includes(scope))
    .map((item) => same(item, ['scope', 'description', 'estimated_wait']));
  return items.length === 0 ? {} : { incomplete: items };
}
