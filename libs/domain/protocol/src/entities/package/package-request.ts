import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { amountFaults, amountAt } from '../../message/amount.js';
import { is3x } from '../../message/form.js';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '../../message/pick.js';
import { packageMembers } from './package-members.js';
import { momentFaults } from '../media-buy/schedule.js';
import { readTargeting } from '../targeting/targeting.js';
import { formatIdShape, idText } from '../../message/shapes.js';
import type { Creative } from '../creative/creative-messages.js';
import type { Original } from '../../message/original.js';

export interface PackageRequest {
  /** The buyer's own reference. In 3.x it is sent in `context.buyer_ref`. */
  readonly buyerRef?: string;
  readonly productId: string;
  readonly pricingOptionId: string;
  /** Decimal text in the currency of the pricing option, major units. */
  readonly budget: string;
  /** Decimal text. */
  readonly bidPrice?: string;
  readonly creativeIds?: readonly string[];
  readonly creatives?: readonly JsonObject[];
  /** Our extension: creatives of the library sent with the package, because its seller does not have them yet. */
  readonly fromLibrary?: readonly Creative[];
  readonly targetingOverlay?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}

export const packageShape = z.looseObject({
  buyer_ref: idText.optional(),
  product_id: idText,
  pricing_option_id: idText,
  budget: z.number().describe('Major units of the currency of the pricing option.'),
  format_ids: z.array(formatIdShape).max(500).optional(),
  ...packageMembers,
});

/** Reads the package at `place` of a request whose shape was validated. */
export function readPackage(
  value: JsonObject,
  place: { readonly field: string; readonly pointer: string },
  form: Form,
  exact: ExactNumbers,
): Result<PackageRequest, readonly TaskError[]> {
  const field = (name: string): string => `${place.field}.${name}`;
  const budget = amountAt(value, 'budget', place.pointer, exact) ?? '0';
  const bidPrice = amountAt(value, 'bid_price', place.pointer, exact);
  const assigned = objectsAt(value, 'creative_assignments').map(
    (assignment) => textAt(assignment, 'creative_id') ?? '',
  );
  const named = listAt(value, 'creative_ids') === undefined ? undefined : textsAt(value, 'creative_ids');
  const creatives = listAt(value, 'creatives') === undefined ? undefined : objectsAt(value, 'creatives');
  const errors = [
    ...amountFaults(budget, field('budget'), 'The budget'),
    ...(bidPrice === undefined ? [] : amountFaults(bidPrice, field('bid_price'), 'The bid')),
    ...['start_time', 'end_time'].flatMap((name) => momentFaults(value, name, field(name))),
    ...faultsOfForm(value, form, field),
  ];
  if (errors.length > 0) return err(errors);
  return ok({
    productId: textAt(value, 'product_id') ?? '',
    pricingOptionId: textAt(value, 'pricing_option_id') ?? '',
    budget,
    ...defined({
      buyerRef: textAt(value, 'buyer_ref'),
      bidPrice,
      creativeIds: named ?? (assigned.length === 0 ? undefined : assigned),
      creatives,
      targetingOverlay: targetingOf(value),
      context: objectAt(value, 'context'),
    }),
    original: { form, value },
  });
}

/** The targeting of a package, in the words of 3.x for every form. */
export function targetingOf(value: JsonObject): JsonObject | undefined {
  const overlay = objectAt(value, 'targeting_overlay');
  return overlay === undefined ? undefined : readTargeting(overlay);
}

/**
 * Errors for what one form requires of a package: references in the older ones, one kind of creatives in `service`
 * (docs/protocol/media-buys.md#packages).
 */
function faultsOfForm(value: JsonObject, form: Form, field: (name: string) => string): readonly TaskError[] {
  if (is3x(form)) return [];
  const errors: TaskError[] = [];
  if (textAt(value, 'buyer_ref') === undefined) {
    const suggestion = 'Add your own reference for the package; it comes back unchanged.';
    errors.push(
      taskError('VALIDATION_ERROR', 'The package has no buyer_ref.', {
        field: field('buyer_ref'),
        suggestion,
      }),
    );
  }
  if (form !== 'service') return errors;
  const hasIds = listAt(value, 'creative_ids') !== undefined;
  const hasCreatives = listAt(value, 'creatives') !== undefined;
  if (hasIds === hasCreatives) {
    const message = hasIds
      ? 'The package has both creative_ids and creatives.'
      : 'The package has neither creative_ids nor creatives.';
    const suggestion = 'Send exactly one of creative_ids and creatives.';
    errors.push(taskError('INVALID_REQUEST', message, { field: field('creative_ids'), suggestion }));
  }
  return errors;
}
