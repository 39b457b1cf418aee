import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { parseDecimal } from '@switchyard/money';
import type { CreateMediaBuyRequest } from './create-media-buy.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Form } from '../../versions/wire-profile.js';
import { extName, is3x } from '../../message/form.js';
import { packageShape, type PackageRequest } from '../package/package-request.js';
import { domainFaults, unusableDomain } from '../brand/brand.js';
import { member, objectAt, textAt } from '../../message/pick.js';
import { lists, numbers, objects, texts } from '../../message/plain-types.js';
import { keyFaults, missing, required } from '../../message/require.js';
import { brandShape, extras, idText, manifestShape, reportingShape } from '../../message/shapes.js';
import type { ExactNumbers } from '../../task-spec.js';
import { amountAt } from '../../message/amount.js';

/** A start time as the `service` form writes it. */
export const startObject = z.looseObject({
  type: z.enum(['asap', 'scheduled', 'date']),
  datetime: z.string().max(64).optional(),
  date: z.string().max(64).optional(),
});

/** Who pays the invoice. */
export const recipientShape = z.looseObject({
  ...texts('legal_name', 'vat_id', 'tax_id', 'registration_number'),
  ...objects('address', 'bank', 'ext'),
  ...lists('contacts'),
});

/** A request to buy: the union of what the forms send. */
export const buyShape = z.looseObject({
  ...extras,
  buyer_ref: idText.optional().describe('Your own reference of the campaign; it comes back unchanged.'),
  brand: brandShape.optional(),
  brand_manifest: manifestShape.optional(),
  packages: z
    .array(packageShape)
    .min(1)
    .max(500)
    .optional()
    .describe('What to buy; beside a proposal_id only what differs from its allocations.'),
  start_time: z.union([z.string().max(64), startObject]),
  end_time: z.string().max(64).describe('RFC 3339, later than start_time.'),
  po_number: z.string().max(1_000).optional(),
  reporting_webhook: reportingShape.optional(),
  paused: z.boolean().optional(),
  plan_id: idText.optional(),
  proposal_id: idText.optional().describe('A proposal to buy as a whole, for its total_budget.'),
  total_budget: z.looseObject({ ...numbers('amount'), ...texts('currency') }).optional(),
  advertiser_industry: idText.optional(),
  invoice_recipient: recipientShape.optional(),
  io_acceptance: z.looseObject(texts('io_id', 'accepted_at', 'signatory', 'signature_id')).optional(),
  agency_estimate_number: z.string().max(1_000).optional(),
  artifact_webhook: z
    .looseObject({
      ...texts('url', 'token', 'delivery_mode', 'batch_frequency'),
      ...numbers('sampling_rate'),
      ...objects('authentication'),
    })
    .optional(),
  all_or_nothing: z.boolean().optional(),
  // An extension with a wrong type or name is refused: it would be ignored, and the buy made without it.
  ext: z
    .looseObject({
      [extName]: z
        .strictObject({
          all_or_nothing: z.boolean().optional(),
          campaign_id: idText
            .optional()
            .describe('The campaign that the buy is for: its id, its reference or its PO number.'),
        })
        .optional(),
    })
    .optional(),
});

/** Errors for members that one form requires, and for missing packages where no proposal is bought. */
export function formFaults(args: JsonObject, form: Form): readonly TaskError[] {
  const references = is3x(form) ? [] : missing(args, ['buyer_ref']);
  const packages = member(args, 'proposal_id') === undefined ? missing(args, ['packages']) : [];
  return [...references, ...packages, ...keyFaults(args, form)];
}

export function brandFaults(
  brand: CreateMediaBuyRequest['brand'] | undefined,
  args: JsonObject,
  form: Form,
): readonly TaskError[] {
  const faults = domainFaults(args);
  if (faults.length > 0) return faults;
  if (brand === undefined && !is3x(form))
    return [required('brand_manifest', 'Send the brand manifest, or an object with its url.')];
  if (brand === undefined && member(objectAt(args, 'brand') ?? {}, 'domain') === undefined) {
    const isThere = objectAt(args, 'brand') !== undefined;
    return [required(isThere ? 'brand.domain' : 'brand', 'Name the advertiser by its domain.')];
  }
  return is3x(form) && brand?.domain === undefined ? [unusableDomain] : [];
}

/**
 * Errors for packages of one list that have the same `buyer_ref`. In `service` and 2.5 it identifies the package in
 * answers and updates, so duplicates are ambiguous. 3.x does not have the member; there it is an extra of the caller.
 */
export function sameReferences(
  packages: readonly JsonObject[],
  list: string,
  form: Form,
): readonly TaskError[] {
  if (is3x(form)) return [];
  const seen = new Map<string, number>();
  return packages.flatMap((item, at) => {
    const reference = textAt(item, 'buyer_ref');
    const first = reference === undefined ? undefined : seen.get(reference);
    if (reference !== undefined && first === undefined) seen.set(reference, at);
    if (first === undefined) return [];
    return [
      taskError('INVALID_REQUEST', `${list}[${first}] has this buyer_ref as well.`, {
        field: `${list}[${at}].buyer_ref`,
        suggestion: 'Give each package a reference of its own.',
      }),
    ];
  });
}

/**
 * Errors of a total beside packages: the budget of a buy is exactly the sum of its packages
 * (docs/protocol/media-buys.md#money). The total of a proposal is not checked here.
 */
export function totalFaults(
  args: JsonObject,
  packages: readonly Pick<PackageRequest, 'budget'>[],
  exact: ExactNumbers,
): readonly TaskError[] {
  const total = objectAt(args, 'total_budget');
  if (total === undefined || textAt(args, 'proposal_id') !== undefined) return [];
  const amount = microsOf(amountAt(total, 'amount', '/total_budget', exact));
  const sum = packages.reduce((all, { budget }) => all + (microsOf(budget) ?? 0n), 0n);
  return amount === sum ? [] : [otherTotal];
}

function microsOf(amount: string | undefined): bigint | undefined {
  const read = amount === undefined ? undefined : parseDecimal(amount);
  return read?.ok === true ? read.value : undefined;
}

const otherTotal = taskError('INVALID_REQUEST', 'The total budget is not what the packages come to.', {
  field: 'total_budget.amount',
  suggestion: 'Send the sum of the budgets of all packages, or leave total_budget out.',
});
