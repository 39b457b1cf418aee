import { onRequest } from './on-request.js';
import { defined, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Product, PublisherProperty } from './product.js';
import type { Form } from '../../versions/wire-profile.js';
import { domainOfUrl } from '../brand/brand.js';
import { is3x, markSeller } from '../../message/form.js';
import { projectFormatId } from '../format/format-id.js';
import { booleanAt, completed, member, patched, without } from '../../message/pick.js';
import { projectPricingOption, withoutFigures } from './pricing.js';
import { hasPlaceIn } from '../package/price-place.js';
import { membersPerRelease, productMembersFor } from './product-members.js';
import { reportingFor } from './reporting-capabilities.js';

/** A domain that can never exist (RFC 2606), for a product without a publisher. */
const nobodysDomain = 'unknown.invalid';
/** Members whose shape changed between 3.0 and 3.1: display only, left out rather than wrong. */
const changedIn31 = ['product_card', 'product_card_detailed'];
/** Members that give or reveal the price of a product, or of its cancellation. */
const pricedMembers = [
  'forecast',
  'price_guidance',
  'cpm',
  'min_spend',
  'cancellation_policy',
  'signal_targeting_options',
  ...changedIn31,
];

/** Required members of a product in each form. */
const required: Readonly<Record<Form, readonly string[]>> = {
  service: [],
  '2.5': ['description', 'publisher_properties', 'format_ids', 'delivery_type', 'delivery_measurement'],
  '3.0': ['description', 'publisher_properties', 'format_ids', 'delivery_type'],
  '3.1': ['description', 'publisher_properties', 'delivery_type'],
};

/** A product in a form's own members. If the form is the original's, the original is patched and completed. */
export function projectProduct(product: Product, to: Form): JsonObject {
  const { form, value } = product.original;
  const pricing = pricingFor(product, to);
  if (form === to) {
    const copy = patched(value, {
      product_id: product.productId,
      pricing_options: pricing,
      reporting_capabilities: is3x(to) ? reportingFor(product, to) : undefined,
    });
    return markSeller(
      completed(copy, () => builtProduct(product, to, pricing), required[to]),
      product.seller,
      to,
    );
  }
  return markSeller(builtProduct(product, to, pricing), product.seller, to);
}

function builtProduct(product: Product, to: Form, pricing: JsonValue[]): JsonObject {
  const { form, value } = product.original;
  const common = {
    product_id: product.productId,
    name: product.name,
    description: product.description,
    format_ids: member(value, 'format_ids') ?? product.formatIds.map(projectFormatId),
    pricing_options: pricing,
  };
  if (to === 'service') return serviceProduct(product, common);
  const base = is3x(form) && is3x(to) ? without(value, [...changedIn31, ...membersPerRelease]) : {};
  return defined({
    ...base,
    ...productMembersFor(value, to),
    ...common,
    delivery_type: product.deliveryType,
    publisher_properties: propertiesFor(product),
    channels: is3x(to) && product.channels.length > 0 ? [...product.channels] : undefined,
    reporting_capabilities: reportingFor(product, to),
    is_custom: customIn(product),
  });
}

/** The seller's own value: every form except `service` has this member. */
function customIn({ isCustom, original }: Product): boolean | undefined {
  return booleanAt(original.value, 'is_custom') ?? (isCustom ? true : undefined);
}

/**
 * The same product for callers without credentials: no member reveals a price
 * (docs/protocol/requests-and-versions.md#callers-without-credentials).
 */
export function publicProduct(product: Product): Product {
  const { original } = product;
  return {
    ...product,
    pricingOptions: product.pricingOptions.map(withoutFigures),
    original: { form: original.form, value: without(original.value, pricedMembers) },
  };
}

function serviceProduct(product: Product, common: JsonObject): JsonObject {
  const extra = defined({
    delivery_type: product.deliveryType,
    channels: product.channels.length === 0 ? undefined : [...product.channels],
    publisher_properties: product.publisherProperties.length === 0 ? undefined : propertiesFor(product),
    reporting_capabilities: reportingFor(product, 'service'),
    is_custom: customIn(product),
  });
  return { ...productMembersFor(product.original.value, 'service'), ...common, ...extra };
}

/** Forms other than `service` require at least one pricing option. */
function pricingFor(product: Product, to: Form): JsonValue[] {
  const options = product.pricingOptions
    .filter((option) => hasPlaceIn(option, to))
    .map((option) => projectPricingOption(option, to));
  if (options.length > 0 || to === 'service') return options;
  return [to === '2.5' ? { ...onRequest, is_fixed: false, price_guidance: { floor: 0 } } : onRequest];
}

function propertiesFor(product: Product): JsonValue[] {
  if (product.publisherProperties.length > 0) return product.publisherProperties.map(projectProperty);
  return [{ publisher_domain: domainOfUrl(product.agentUrl) ?? nobodysDomain, selection_type: 'all' }];
}

function projectProperty(property: PublisherProperty): JsonObject {
  const { publisherDomain, selectionType, values } = property;
  const base = { publisher_domain: publisherDomain, selection_type: selectionType };
  if (selectionType === 'by_id') return { ...base, property_ids: [...values] };
  return selectionType === 'by_tag' ? { ...base, property_tags: [...values] } : base;
}
