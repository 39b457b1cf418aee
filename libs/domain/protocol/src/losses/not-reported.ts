import type { Product } from '../entities/product/product.js';
import type { Signal } from '../entities/signal/signal.js';
import type { Form } from '../versions/wire-profile.js';
import { member, objectAt } from '../message/pick.js';

/*
 * Members that a form requires of an item but its seller did not report. Switchyard fills them to make the message
 * valid, and tells the buyer that they mean nothing (docs/protocol/requests-and-versions.md#losses).
 */

const ofProduct: Readonly<Record<Form, readonly string[]>> = {
  service: [],
  '2.5': ['publisher_properties', 'delivery_type', 'delivery_measurement'],
  '3.0': ['publisher_properties', 'delivery_type', 'reporting_capabilities'],
  '3.1': ['publisher_properties', 'delivery_type', 'reporting_capabilities'],
};

/** Names as in the message of this form. */
export function notReportedOfProduct(product: Product, to: Form): readonly string[] {
  const { value } = product.original;
  return ofProduct[to].filter((name) => {
    if (name === 'publisher_properties') return product.publisherProperties.length === 0;
    // Measurement terms name who measures for the bill, and so the measurement of delivery (2.5).
    if (name === 'delivery_measurement')
      return member(value, name) === undefined && objectAt(value, 'measurement_terms') === undefined;
    return member(value, name) === undefined;
  });
}

/** Names as in the message of this form. */
export function notReportedOfSignal(signal: Signal, to: Form): readonly string[] {
  if (to === 'service') return [];
  const { value } = signal.original;
  const isKindReported = ['signal_type', 'catalog_type'].some((name) => member(value, name) !== undefined);
  const isNamed = ['signal_id', 'signal_ref'].some((name) => member(value, name) !== undefined);
  // The buyer's own signals have no price, reported or not.
  const isPriced =
    signal.pricing !== undefined ||
    signal.catalogType === 'owned' ||
    (to !== '2.5' && member(value, 'pricing_options') !== undefined);
  const demandsFigures = to !== '3.1';
  return [
    ...(isKindReported ? [] : ['signal_type']),
    ...(isNamed || to === '2.5' ? [] : ['signal_id']),
    ...(demandsFigures && signal.dataProvider === '' ? ['data_provider'] : []),
    ...(demandsFigures && signal.coveragePercentage === undefined ? ['coverage_percentage'] : []),
    ...(demandsFigures && !isPriced ? [to === '2.5' ? 'pricing' : 'pricing_options'] : []),
  ];
}
