import { defined, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf, priceAt } from '../../message/amount.js';
import { channelsFor } from './channels.js';
import { fittedFilters, type FittedFilters } from './fitted-filters.js';
import { is3x } from '../../message/form.js';
import { projectFormatId, readFormatIds, type FormatId } from '../format/format-id.js';
import { booleanAt, listAt, objectAt, textAt, textsAt } from '../../message/pick.js';
import { lists, objects, texts } from '../../message/plain-types.js';
import { formatIdShape, idText } from '../../message/shapes.js';
import type { Original } from '../../message/original.js';

const range = z.looseObject({
  min: z.number().optional(),
  max: z.number().optional(),
  currency: idText.optional(),
});

/** Same name and shape in every published release. */
const sameInSchemas = ['is_fixed_price', 'standard_formats_only', 'min_exposures', 'start_date', 'end_date'];
/** Product filters. `budget` and `format_types` exist in `service` only, the rest in the schemas. */
export const filtersShape = z.looseObject({
  channels: z.array(idText).max(100).optional(),
  delivery_type: z.enum(['guaranteed', 'non_guaranteed']).optional(),
  is_fixed_price: z.boolean().optional(),
  pricing_currencies: z.array(idText).max(200).optional(),
  format_types: z.array(idText).max(100).optional(),
  format_ids: z.array(formatIdShape).max(500).optional(),
  standard_formats_only: z.boolean().optional(),
  min_exposures: z.number().min(1).optional(),
  start_date: z.string().max(64).optional(),
  end_date: z.string().max(64).optional(),
  budget: z.union([z.number(), range]).optional(),
  budget_range: range.optional(),
  countries: z.array(idText).max(300).optional(),
  ...texts('exclusivity'),
  ...objects('required_features', 'trusted_match', 'ext'),
  ...lists('regions', 'metros', 'postal_areas', 'geo_proximity', 'keywords', 'signal_targeting'),
  ...lists('required_geo_targeting', 'required_axe_integrations', 'required_performance_standards'),
  ...lists('required_metrics', 'required_vendor_metrics', 'video_placement_types'),
  ...lists('audio_distribution_types', 'sponsored_placement_types', 'social_placement_surfaces'),
});

export function readFilters(
  value: JsonObject | undefined,
  form: Form,
  exact: ExactNumbers,
): ProductFilters | undefined {
  if (value === undefined) return undefined;
  const deliveryType = textAt(value, 'delivery_type');
  const formats = readFormatIds(listAt(value, 'format_ids'));
  return defined({
    channels: someOf(textsAt(value, 'channels')),
    deliveryType:
      deliveryType === 'guaranteed' || deliveryType === 'non_guaranteed' ? deliveryType : undefined,
    isFixedPrice: booleanAt(value, 'is_fixed_price'),
    pricingCurrencies: someOf(textsAt(value, 'pricing_currencies')),
    formatTypes: someOf(textsAt(value, 'format_types')),
    formatIds: formats.length === 0 ? undefined : formats,
    countries: someOf(textsAt(value, 'countries')),
    budget: readBudget(value, exact),
    original: { form, value },
  });
}

export function projectFilters(filters: ProductFilters, to: Form): JsonObject {
  const { original, budget } = filters;
  const fitted = fittedTo(filters, to);
  if (fitted !== undefined) return fitted.filters;
  if (original?.form === to) return structuredClone(withoutEmptyLists(original.value));
  const range =
    budget === undefined
      ? undefined
      : defined({
          min: budget.min === undefined ? undefined : numberOf(budget.min),
          max: budget.max === undefined ? undefined : numberOf(budget.max),
          currency: budget.currency,
        });
  const common =
    original === undefined || original.form === 'service' || to === 'service' ? {} : original.value;
  return defined({
    ...structuredClone(
      Object.fromEntries(Object.entries(common).filter(([name]) => sameInSchemas.includes(name))),
    ),
    channels: channelsFor(filters.channels, to),
    delivery_type: filters.deliveryType,
    // 3.x filters by format id only.
    format_types: is3x(to) ? undefined : listOf(filters.formatTypes),
    format_ids: filters.formatIds?.map(projectFormatId),
    countries: listOf(filters.countries),
    budget: to === 'service' ? range : undefined,
    budget_range: to === 'service' ? undefined : range,
  });
}

/**
 * Paths of the filters that a release of 3.x does not take from the other, beside members that it does not have at all.
 */
export function lostInFilters(filters: ProductFilters | undefined, to: Form): readonly string[] {
  return filters === undefined ? [] : (fittedTo(filters, to)?.lost ?? []);
}

function fittedTo({ original }: ProductFilters, to: Form): FittedFilters | undefined {
  const isOther = original !== undefined && original.form !== to && is3x(original.form) && is3x(to);
  return isOther ? fittedFilters(original.value, to) : undefined;
}

/** A bare number is the buyer's maximum. */
function readBudget(value: JsonObject, exact: ExactNumbers): ProductFilters['budget'] | undefined {
  const most = priceAt(value, 'budget', '/filters', exact);
  if (most !== undefined) return { max: most, currency: 'USD' };
  const name = objectAt(value, 'budget_range') === undefined ? 'budget' : 'budget_range';
  const range = objectAt(value, name);
  if (range === undefined) return undefined;
  const limits = defined({
    min: priceAt(range, 'min', `/filters/${name}`, exact),
    max: priceAt(range, 'max', `/filters/${name}`, exact),
  });
  return { ...limits, currency: textAt(range, 'currency') ?? 'USD' };
}

function someOf(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

/** An empty list is no filter: it is removed, so that a seller of the same form does not match nothing. */
function withoutEmptyLists(filters: JsonObject): JsonObject {
  const stored = Object.entries(filters).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return Object.fromEntries(stored);
}

function listOf(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined ? undefined : [...values];
}

export interface ProductFilters {
  readonly channels?: readonly string[];
  readonly deliveryType?: 'guaranteed' | 'non_guaranteed';
  readonly isFixedPrice?: boolean;
  /** Format types such as `video` or `display`. */
  readonly formatTypes?: readonly string[];
  readonly formatIds?: readonly FormatId[];
  readonly countries?: readonly string[];
  /** ISO 4217 codes; 3.1 only. */
  readonly pricingCurrencies?: readonly string[];
  readonly budget?: { readonly min?: string; readonly max?: string; readonly currency: string };
  readonly original?: Original;
}
