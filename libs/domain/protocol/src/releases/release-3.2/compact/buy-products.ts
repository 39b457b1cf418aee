import { servedBy } from '../served-by.js';
import { canonicalJson, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../../errors/task-error.js';
import type { TaskError } from '../../../errors/task-fault.js';
import { notExpressible } from '../../../losses/finding.js';
import { notCarried } from '../../../losses/lost-members.js';
import { keyFaults, missing, required } from '../../../message/require.js';
import { listAt, numberAt, objectAt, objectsAt, textAt, without } from '../../../message/pick.js';
import { anyObject, idText, reportingShape } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { isExactBid, withBid } from './bid.js';
import { commitmentOf } from './commitment.js';
import { same } from './keep.js';
import { listingKey } from './list-products.js';
import { brandOf, envelopeOf, noted, readArgs, inputOf } from './request.js';

const amount = z.number().min(0);
const total = z.strictObject({ amount, currency: idText });

const shape = {
  feed_version: idText.optional(),
  pricing_version: idText.optional(),
  purchases: z
    .array(
      z.strictObject({
        product_id: idText,
        pricing_option_id: idText,
        pricing: anyObject.optional(),
        format_option_refs: z.array(anyObject).max(500).optional(),
        catalog_ids: z.array(idText).max(500).optional(),
        budget: amount.optional(),
        daily_budget_cap: amount.optional(),
        min_spend_target: amount.optional(),
        impressions: amount.optional(),
        start_time: idText.optional(),
        end_time: idText.optional(),
        pacing: idText.optional(),
        bidding: anyObject.optional(),
        targeting_overlay: anyObject.optional(),
        optimization_goals: z.array(anyObject).max(100).optional(),
        audience_evidence_requirements: anyObject.optional(),
        audience_evidence_pins: z.array(anyObject).max(500).optional(),
        agency_estimate_number: idText.optional(),
        context: anyObject.optional(),
        ext: anyObject.optional(),
        measurement_terms: anyObject.optional(),
        performance_standards: z.array(anyObject).max(100).optional(),
      }),
    )
    .min(1)
    .max(500)
    .optional(),
  total_budget: total.optional(),
  daily_budget_cap: amount.optional(),
  budget_cap_timezone: idText.optional(),
  budget_allocation: anyObject.optional(),
  start_time: idText.optional(),
  end_time: idText.optional(),
  pacing: idText.optional(),
  bidding: anyObject.optional(),
  paused: z.boolean().optional(),
  purchase_order_ref: idText.optional(),
  agency_estimate_number: idText.optional(),
  invoice_recipient: anyObject.optional(),
  reporting_webhook: reportingShape.optional(),
  advertiser_industry: idText.optional(),
  opportunity: anyObject.optional(),
};

const sameNames = [
  ...[
    'daily_budget_cap',
    'budget_cap_timezone',
    'budget_allocation',
    'pacing',
    'paused',
    'start_time',
    'end_time',
  ],
  ...[
    'agency_estimate_number',
    'invoice_recipient',
    'reporting_webhook',
    'advertiser_industry',
    'total_budget',
  ],
  'bidding',
];
const termNames = [
  ...['advertiser_industry', 'total_budget', 'daily_budget_cap', 'budget_cap_timezone', 'budget_allocation'],
  ...['pacing', 'bidding', 'purchase_order_ref', 'agency_estimate_number', 'end_time'],
];

const needed = ['account', 'feed_version', 'purchases', 'start_time', 'end_time'];

export const buyProducts: LifecycleTask = {
  name: 'buy_products',
  servedBy: servedBy.buy_products,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
  renamed: { purchases: 'packages' },
  recalls: (args) => [listingKey(textAt(args, 'feed_version') ?? '')],

  serve(args, recalled) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const faults = [...keyFaults(args, '3.1'), ...missing(args, needed)];
    if (faults.length > 0) return err(faults);
    const listed = objectAt(recalled.get(listingKey(textAt(args, 'feed_version') ?? '')), 'products');
    const priced = pricedIn(args, listed);
    if (!priced.ok) return priced;
    const packages = objectsAt(args, 'purchases').map((purchase) =>
      withBid({ ...bidOf(purchase, args), ...budgetOf(purchase, args), ...without(purchase, ['pricing']) }),
    );
    const order = textAt(args, 'purchase_order_ref');
    const terms = {
      source_feed_version: args['feed_version'] ?? '',
      ...same(args, ['pricing_version']),
      ...brandOf(args),
      purchases: priced.value,
      start_time: args['start_time'] ?? '',
      ...same(args, termNames),
    };
    const lost = args['opportunity'] === undefined ? [] : [notCarried('opportunity')];
    return ok({
      args: {
        ...same(
          args,
          isExactBid(args['bidding']) ? sameNames.filter((name) => name !== 'bidding') : sameNames,
        ),
        ...envelopeOf(args),
        ...brandOf(args),
        packages,
        ...(order === undefined ? {} : { po_number: order }),
        ...noted('buy_products', { terms }, lost),
      },
    });
  },

  answer(body, asked, { at }) {
    const accepted = (acceptedAt: string) => ({
      terms: resolved(objectAt(asked, 'terms') ?? {}, acceptedAt),
      name: 'Products bought from the list',
    });
    return { body: commitmentOf(body, asked, at, accepted) };
  },
};

/** Each purchase with the price that the list showed; else why it cannot be bought at it. */
function pricedIn(
  args: JsonObject,
  listed: JsonObject | undefined,
): Result<JsonObject[], readonly TaskError[]> {
  if (listed === undefined) return err([stale]);
  const faults: TaskError[] = [];
  const purchases = objectsAt(args, 'purchases').map((purchase, place) => {
    const at = (name: string): string => `purchases[${place}].${name}`;
    const options = listAt(listed, textAt(purchase, 'product_id') ?? '');
    const option = objectsAt({ options: [...(options ?? [])] }, 'options').find(
      ({ pricing_option_id: id }) => id === purchase['pricing_option_id'],
    );
    const given = objectAt(purchase, 'pricing');
    if (options === undefined) faults.push(notListed(at('product_id')));
    else if (option === undefined) faults.push(noOption(at('pricing_option_id')));
    else if (given !== undefined && canonicalJson(given) !== canonicalJson(option))
      faults.push(otherPrice(at('pricing')));
    if (purchase['catalog_ids'] !== undefined) faults.push(noCatalogs(at('catalog_ids')));
    if (purchase['budget'] === undefined && budgetOf(purchase, args)['budget'] === undefined)
      faults.push(shared(at('budget'), objectAt(args, 'total_budget') !== undefined));
    return { ...purchase, ...(option === undefined ? {} : { pricing: option }) };
  });
  return faults.length > 0 ? err(faults) : ok(purchases);
}

/** The whole total is the budget of an only purchase. */
function budgetOf(purchase: JsonObject, args: JsonObject): JsonObject {
  const whole = numberAt(objectAt(args, 'total_budget'), 'amount');
  const isOnly = objectsAt(args, 'purchases').length === 1;
  return purchase['budget'] === undefined && isOnly && whole !== undefined ? { budget: whole } : {};
}

/** An exact bid for the whole buy is the bid of each purchase that has none of its own. */
function bidOf(purchase: JsonObject, args: JsonObject): JsonObject {
  return purchase['bidding'] === undefined && isExactBid(args['bidding']) ? same(args, ['bidding']) : {};
}

/** Terms with the times of each part: those of the buy where it has none of its own. */
function resolved(terms: JsonObject, acceptedAt: string): JsonObject {
  const start = terms['start_time'] === 'asap' ? acceptedAt : (terms['start_time'] ?? acceptedAt);
  return {
    ...terms,
    purchases: objectsAt(terms, 'purchases').map((purchase) => ({
      ...purchase,
      start_time: purchase['start_time'] ?? start,
      end_time: purchase['end_time'] ?? terms['end_time'] ?? '',
    })),
  };
}

const stale = taskError('CONFLICT', 'This version of the list is unknown, or too old to buy from.', {
  field: 'feed_version',
  suggestion: 'List the products again, and buy with the feed_version of that answer.',
});

function notListed(field: string): TaskError {
  return taskError('PRODUCT_NOT_FOUND', 'This version of the list has no such product.', {
    field,
    suggestion: 'Use a product_id and the feed_version of one answer.',
  });
}

function noOption(field: string): TaskError {
  return taskError('INVALID_PRICING_OPTION', 'The product has no such price in this version of the list.', {
    field,
    suggestion: 'Use one of its pricing_options.',
  });
}

function otherPrice(field: string): TaskError {
  return taskError('INVALID_PRICING_OPTION', 'This is not the price that the list shows.', {
    field,
    suggestion: 'Copy the pricing option as it was listed, or leave it out.',
  });
}

function noCatalogs(field: string): TaskError {
  return notExpressible(
    field,
    'Catalogs cannot be named by id alone here.',
    'Buy without them, or by create_media_buy.',
  );
}

/** A budget that several purchases share is a corner that no older release can be told. */
function shared(field: string, hasTotal: boolean): TaskError {
  return hasTotal
    ? notExpressible(
        field,
        'A total that several purchases share cannot be told to their sellers.',
        'Give each its budget.',
      )
    : required(field);
}
