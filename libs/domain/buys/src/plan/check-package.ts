import { splitId, taskError, type Finding, type PackageRequest, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { checkMoney, type Priced } from './check-money.js';
import type { MarketKnowledge } from './planned-package.js';
import type { PlannedPackage } from './planned-package.js';

interface CheckedPackage {
  readonly connection: Connection;
  readonly planned: PlannedPackage;
  readonly findings: readonly Finding[];
}

/** Checks one package against its seller's quote. The check stops at the first error of the package. */
export function checkPackage(
  wanted: PackageRequest,
  position: number,
  market: MarketKnowledge,
  priced: Priced = 'by_bid',
): Result<CheckedPackage, readonly TaskError[]> {
  const field = (name: string): string => `packages[${position}].${name}`;
  const id = splitId(wanted.productId);
  const connection = id.ok ? market.connections.get(id.value.slug) : undefined;
  if (!id.ok || connection === undefined) {
    return err([
      taskError('PRODUCT_NOT_FOUND', 'None of your sellers offers this product.', {
        field: field('product_id'),
        suggestion: 'Use the product_id as get_products returned it, with the prefix of its seller.',
      }),
    ]);
  }
  if (connection.state !== 'live') {
    return err([
      taskError('PRODUCT_UNAVAILABLE', `The seller ${connection.slug} is not live.`, {
        field: field('product_id'),
        suggestion: 'Call get_products again, and use a product that is offered now.',
      }),
    ]);
  }
  const offer = market.offers.get(wanted.productId);
  if (offer === undefined && market.silent?.has(connection.slug) === true) {
    const message = `The seller ${connection.slug} did not answer the query for this product.`;
    const suggestion = 'Repeat the request.';
    return err([
      taskError('SERVICE_UNAVAILABLE', message, { field: field('product_id'), suggestion, retryAfter: 1 }),
    ]);
  }
  if (offer === undefined) {
    return err([
      taskError('PRODUCT_NOT_FOUND', 'The seller does not offer this product.', {
        field: field('product_id'),
        suggestion: 'Call get_products again, and use a product that is offered now.',
      }),
    ]);
  }
  const price = offer.pricingOptions.find((option) => option.pricingOptionId === wanted.pricingOptionId);
  if (price === undefined) {
    return err([
      taskError('INVALID_REQUEST', 'The product has no pricing option with this id.', {
        field: field('pricing_option_id'),
        suggestion: `It has: ${offer.pricingOptions.map((option) => option.pricingOptionId).join(', ')}.`,
      }),
    ]);
  }
  const money = checkMoney(wanted, price, field, priced);
  if (!money.ok) return money;
  const { findings, ...amounts } = money.value;
  const request = { ...wanted, productId: id.value.id };
  return ok({ connection, planned: { position, request, offer, price, ...amounts }, findings });
}
