import { defined, err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import { type PricingOption, readPricingOption } from './pricing.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { readFormatIds, type FormatId } from '../format/format-id.js';
import { isModelOf } from '../package/price-place.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../../message/pick.js';
import { sellerOf } from '../../message/form.js';
import type { Original } from '../../message/original.js';

export interface Product {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  /** The seller's address, for forms that require a source where the seller gave none. */
  readonly agentUrl?: string;
  readonly productId: string;
  readonly name: string;
  readonly description: string;
  readonly deliveryType: 'guaranteed' | 'non_guaranteed';
  readonly channels: readonly string[];
  readonly formatIds: readonly FormatId[];
  readonly publisherProperties: readonly PublisherProperty[];
  readonly pricingOptions: readonly PricingOption[];
  /** `hourly`, `daily`, `monthly`: the seller's reporting frequencies. */
  readonly reportingFrequencies: readonly string[];
  /** Minutes after a period's end until most of its data is available. Absent where not declared. */
  readonly expectedDelayMinutes?: number;
  /** Granularities that a pull may request. Absent where not declared. */
  readonly windowedPullGranularities?: readonly string[];
  readonly isCustom: boolean;
  readonly original: Original;
}

export interface PublisherProperty {
  readonly publisherDomain: string;
  readonly selectionType: 'all' | 'by_id' | 'by_tag';
  readonly values: readonly string[];
}

interface ProductReading {
  readonly product: Product;
  /** Pricing options that were left out. */
  readonly setAside: readonly Finding[];
}

/**
 * Reads one product of a seller leniently: it needs an id, a name and a list of pricing options. Invalid options are
 * left out; a product with invalid options only is set aside.
 */
export function readProduct(
  value: unknown,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<ProductReading, Finding> {
  if (!isJsonObject(value)) return err(odd('a product is no object'));
  const productId = textAt(value, 'product_id');
  const name = textAt(value, 'name');
  if (productId === undefined) return err(odd('a product has no product_id'));
  if (name === undefined) return err(odd('a product has no name', productId));
  const listed = listAt(value, 'pricing_options');
  if (listed === undefined) return err(odd('a product has no list of pricing options', productId));
  const options = listed.map((option, index) =>
    isJsonObject(option)
      ? readPricingOption(option, form, `${pointer}/pricing_options/${index}`, exact)
      : err<Finding>({ code: 'PRICING_OPTION_SET_ASIDE', message: 'a pricing option is no object' }),
  );
  const pricingOptions = options.filter((option) => option.ok).map((option) => option.value);
  const setAside = options.filter((option) => !option.ok).map((option) => option.error);
  const odds = pricingOptions.flatMap((option) => modelFinding(option, form));
  if (pricingOptions.length === 0 && setAside.length > 0) {
    return err(odd('none of a product’s pricing options conforms', productId));
  }
  const product: Product = {
    productId,
    name,
    description: textAt(value, 'description') ?? '',
    deliveryType: deliveryTypeOf(value, pricingOptions),
    channels: textsAt(value, 'channels'),
    formatIds: readFormatIds(listAt(value, 'format_ids')),
    publisherProperties: objectsAt(value, 'publisher_properties').flatMap(readPublisherProperty),
    pricingOptions,
    reportingFrequencies: textsAt(
      objectAt(value, 'reporting_capabilities'),
      'available_reporting_frequencies',
    ),
    isCustom: booleanAt(value, 'is_custom') === true,
    ...defined({ seller: sellerOf(value) }),
    ...promisesOf(objectAt(value, 'reporting_capabilities')),
    original: { form, value },
  };
  return ok({
    product,
    setAside: [...setAside, ...odds].map((finding) => ({ ...finding, field: productId })),
  });
}

/** The declared reporting delay and granularities. An invalid or negative delay is ignored. */
function promisesOf(
  reporting: JsonObject | undefined,
): Pick<Product, 'expectedDelayMinutes' | 'windowedPullGranularities'> {
  const delay = reporting?.['expected_delay_minutes'];
  const isUsable = typeof delay === 'number' && delay >= 0 && delay <= longestDelayMinutes;
  const granularities = textsAt(reporting, 'windowed_pull_granularities');
  return {
    ...(isUsable ? { expectedDelayMinutes: delay } : {}),
    ...(granularities.length === 0 ? {} : { windowedPullGranularities: granularities }),
  };
}

/** Ninety days: a longer delay is not credible. */
const longestDelayMinutes = 90 * 24 * 60;

function readPublisherProperty(value: JsonObject): readonly PublisherProperty[] {
  const domains = [textAt(value, 'publisher_domain'), ...textsAt(value, 'publisher_domains')];
  const ids = textsAt(value, 'property_ids');
  const tags = textsAt(value, 'property_tags');
  const named = textAt(value, 'selection_type');
  const selectionType = named === 'by_id' || named === 'by_tag' ? named : 'all';
  const values = selectionType === 'by_id' ? ids : selectionType === 'by_tag' ? tags : [];
  return domains
    .filter((domain) => domain !== undefined)
    .map((publisherDomain) => ({ publisherDomain, selectionType, values }));
}

/** The `service` form has no such member: auctions and products that do not declare it are not guaranteed. */
function deliveryTypeOf(value: JsonObject, options: readonly PricingOption[]): Product['deliveryType'] {
  const named = textAt(value, 'delivery_type');
  if (named !== undefined) return named === 'guaranteed' ? 'guaranteed' : 'non_guaranteed';
  return options.some((option) => option.model === 'flat_rate') ? 'guaranteed' : 'non_guaranteed';
}

function odd(message: string, field?: string): Finding {
  return { code: 'PRODUCT_SET_ASIDE', message, ...(field === undefined ? {} : { field }) };
}

/** A finding for a model that the seller's release lacks: it is read by another name, or left out. */
function modelFinding({ pricingOptionId, model, original }: PricingOption, form: Form): readonly Finding[] {
  const named = textAt(original.value, 'pricing_model') ?? model;
  if (isModelOf(named, form)) return [];
  const what = isModelOf(model, form)
    ? `It is read as ${model}.`
    : 'It is left out where a release closes its list.';
  const message = `Release ${form} has no pricing model ${named.slice(0, 64)} (${pricingOptionId.slice(0, 64)}). ${what}`;
  return [{ code: 'PRICING_MODEL_UNKNOWN', message }];
}
