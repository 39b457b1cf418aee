import { defined, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { Finding } from '../../../losses/finding.js';
import { notCarried } from '../../../losses/lost-members.js';
import { objectAt, textAt, textsAt, without } from '../../../message/pick.js';
import { anyObject, idText } from '../../../message/shapes.js';
import { same } from './keep.js';

const moment = z.iso.datetime({ offset: true });
const ids = z.array(idText).min(1).max(500);

/** Criteria of a search. A criterion of the wrong type is refused: without it the answer would be a wider one. */
export const criteriaShape = z.strictObject({
  product_ids: ids.optional(),
  offer_filters: z
    .looseObject({
      start_date: z.iso.date().optional(),
      end_date: z.iso.date().optional(),
      availability_horizon: z.strictObject({ start_time: moment, end_time: moment }).optional(),
      property_list: anyObject.optional(),
    })
    .optional(),
  targeting_overlay: anyObject.optional(),
  required_overlay_support: anyObject
    .optional()
    .describe('Dimensions of targeting that the buyer must be able to choose for each package.'),
  outcome_target: anyObject.optional().describe('The result that the campaign is to reach.'),
  catalog: anyObject.optional().describe('The catalog of the buyer, and which items of it.'),
  policy_ids: ids.optional(),
  ext: anyObject.optional(),
});

/** Places of the filters in the older task. */
export const criteriaRenamed = { 'criteria.offer_filters': 'filters' };

/** Discovery criteria as the older task has them. */
interface Discovery {
  readonly members: JsonObject;
  /** Products that the answer is cut to; absent: all. */
  readonly productIds?: readonly string[];
  readonly findings: readonly Finding[];
}

/** A day of an instant, in UTC. */
const dayOf = (instant: string | undefined): string | undefined => instant?.slice(0, 10);

export function discoveryOf(criteria: JsonObject | undefined): Discovery {
  if (criteria === undefined) return { members: {}, findings: [] };
  const offer = objectAt(criteria, 'offer_filters') ?? {};
  const horizon = objectAt(offer, 'availability_horizon');
  const filters = {
    ...without(offer, ['availability_horizon', 'property_list']),
    ...defined({
      start_date: dayOf(textAt(horizon, 'start_time')) ?? textAt(offer, 'start_date'),
      end_date: dayOf(textAt(horizon, 'end_time')) ?? textAt(offer, 'end_date'),
    }),
  };
  const policies = textsAt(criteria, 'policy_ids');
  const productIds = textsAt(criteria, 'product_ids');
  const lost = ['outcome_target', 'ext'].filter((name) => criteria[name] !== undefined);
  return {
    members: {
      ...same(criteria, ['targeting_overlay', 'required_overlay_support', 'catalog']),
      ...defined({
        filters: Object.keys(filters).length === 0 ? undefined : filters,
        property_list: objectAt(offer, 'property_list'),
        required_policies: policies.length === 0 ? undefined : [...policies],
      }),
    },
    findings: lost.map((name) => notCarried(`criteria.${name}`)),
    ...(productIds.length === 0 ? {} : { productIds }),
  };
}

/** Flight that the criteria name to the second; days alone do not say when a flight begins. */
export function flightIn(criteria: JsonObject | undefined): JsonObject {
  const horizon = objectAt(objectAt(criteria, 'offer_filters'), 'availability_horizon');
  return defined({
    start_time: textAt(horizon, 'start_time'),
    end_time: textAt(horizon, 'end_time'),
  });
}
