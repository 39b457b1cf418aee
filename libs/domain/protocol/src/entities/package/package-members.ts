import { z } from 'zod';
import { lists, objects, texts } from '../../message/plain-types.js';
import { anyObject, countryCode, idText } from '../../message/shapes.js';

const countries = z
  .array(z.string().regex(countryCode, 'No two capital letters (ISO 3166-1)'))
  .max(1_000)
  .optional();

/** Targeting of a package: members whose values all releases that have them agree on. */
const targetingShape = z.looseObject({
  geo_countries: countries,
  geo_countries_exclude: countries,
  geo_country_any_of: countries,
  ...lists(
    'geo_regions',
    'geo_regions_exclude',
    'geo_region_any_of',
    'geo_metros',
    'geo_metros_exclude',
    'geo_metro_any_of',
    'geo_postal_areas',
    'geo_postal_areas_exclude',
    'geo_postal_code_any_of',
    'geo_proximity',
    'store_catchments',
    'daypart_targets',
    'audience_include',
    'audience_exclude',
    'signal_targeting',
    'device_platform',
    'device_type',
    'device_type_exclude',
    'language',
    'keyword_targets',
    'negative_keywords',
  ),
  ...texts('axe_include_segment', 'axe_exclude_segment'),
  ...objects(
    'frequency_cap',
    'property_list',
    'collection_list',
    'collection_list_exclude',
    'age_restriction',
  ),
});

/** How a budget may be spent over a flight, in every release. */
export const pacings = ['even', 'asap', 'front_loaded'] as const;

/** Members of a package in a buy and in an update. */
export const packageMembers = {
  bid_price: z.number().optional(),
  pacing: z.enum(pacings).optional(),
  impressions: z.number().min(0).optional(),
  paused: z.boolean().optional(),
  start_time: z.string().max(64).optional(),
  end_time: z.string().max(64).optional(),
  targeting_overlay: targetingShape.optional(),
  creative_ids: z.array(idText).max(500).optional(),
  creative_assignments: z
    .array(z.looseObject({ creative_id: idText, weight: z.number().min(0).max(100).optional() }))
    .max(500)
    .optional(),
  creatives: z.array(anyObject).max(100).optional(),
  context: anyObject.optional(),
  ext: anyObject.optional(),
};
