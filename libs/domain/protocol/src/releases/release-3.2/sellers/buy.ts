import { defined, err, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { objectsAt, textAt, without } from '../../../message/pick.js';
import type { LifecycleSeller, SellerSaid, StandIn } from '../../seller-lifecycle.js';
import { same } from '../compact/keep.js';
import { digestOf, listRequest } from './discover.js';
import { inOlderShape } from './older-answers.js';

const shared = [
  ...['idempotency_key', 'account', 'governance_context', 'push_notification_config', 'reporting_webhook'],
  ...['context', 'ext', 'total_budget', 'daily_budget_cap', 'budget_cap_timezone', 'opportunity'],
];
const ofBuy = [
  ...['advertiser_industry', 'budget_allocation', 'start_time', 'end_time', 'pacing', 'bidding'],
  ...['paused', 'agency_estimate_number', 'invoice_recipient'],
];
const ofPackage = [
  ...['product_id', 'pricing_option_id', 'format_option_refs', 'budget', 'daily_budget_cap', 'impressions'],
  ...[
    'min_spend_target',
    'start_time',
    'end_time',
    'pacing',
    'bidding',
    'targeting_overlay',
    'context',
    'ext',
  ],
  ...['optimization_goals', 'audience_evidence_requirements', 'audience_evidence_pins', 'measurement_terms'],
  ...['agency_estimate_number', 'performance_standards'],
];

/** `create_media_buy`, by a purchase at listed prices or the acceptance of a proposal. */
export const purchase: StandIn = {
  by: ['buy_products', 'accept_proposal'],
  carries: [
    ...shared,
    ...ofBuy,
    'brand',
    'packages',
    'proposal_id',
    'io_acceptance',
    'po_number',
    'context_id',
  ],
  async ask(args, seller) {
    const proposalId = textAt(args, 'proposal_id');
    const isWhole = proposalId !== undefined;
    const tool = isWhole ? 'accept_proposal' : 'buy_products';
    if (!seller.offers(tool)) return ok(refusal('UNSUPPORTED_FEATURE', `This seller has no ${tool}.`));
    const key = `${tool} ${textAt(args, 'idempotency_key') ?? ''}`;
    const before = seller.recall(key);
    const made =
      before === undefined
        ? await (isWhole ? acceptance(args, proposalId, seller) : listed(args, seller))
        : ok({ args: before });
    if (!made.ok) return made;
    if ('said' in made.value) return ok(made.value.said);
    seller.keep(key, made.value.args);
    return answered(
      await seller.call(tool, made.value.args),
      { args, ...(before === undefined ? { made: key } : {}) },
      seller,
    );
  },
};

type Made = { readonly args: JsonObject } | { readonly said: SellerSaid };

async function acceptance<Failure>(
  args: JsonObject,
  proposalId: string,
  seller: LifecycleSeller<Failure>,
): Promise<Result<Made, Failure>> {
  const digest = await digestOf(proposalId, args, seller);
  if (!digest.ok) return digest;
  if (digest.value === undefined)
    return ok({
      said: refusal('CONFLICT', 'The seller does not commit to the terms of this proposal.', 'proposal_id'),
    });
  return ok({
    args: {
      ...same(args, [...shared, 'io_acceptance']),
      proposal_id: proposalId,
      proposal_terms_digest: digest.value,
      ...orderOf(args),
    },
  });
}

/** Prices are named by the version of a list, so the list is read first. */
async function listed<Failure>(
  args: JsonObject,
  seller: LifecycleSeller<Failure>,
): Promise<Result<Made, Failure>> {
  const packages = objectsAt(args, 'packages');
  const ids = [...new Set(packages.flatMap((one) => textAt(one, 'product_id') ?? []))];
  const list = await seller.call(
    'list_products',
    listRequest(same(args, ['account', 'brand', 'context']), ids),
  );
  if (!list.ok) return list;
  const { payload } = list.value;
  const version = textAt(payload, 'feed_version');
  if (list.value.isError || version === undefined) return ok({ said: list.value });
  const faults = packages.flatMap((one, place) => unlisted(one, place, objectsAt(payload, 'products')));
  if (faults.length > 0)
    return ok({ said: { payload: { status: 'failed', errors: faults }, isError: true } });
  return ok({
    args: defined({
      ...same(args, [...shared, ...ofBuy]),
      ...(args['account'] === undefined ? same(args, ['brand']) : {}),
      feed_version: version,
      pricing_version: textAt(payload, 'pricing_version'),
      purchases: packages.map((one) => ({ ...same(one, ofPackage), ...bidOf(one) })),
      ...orderOf(args),
    }),
  });
}

function orderOf(args: JsonObject): JsonObject {
  return defined({ purchase_order_ref: textAt(args, 'po_number') });
}

function bidOf({ bid_price: bid }: JsonObject): JsonObject {
  return typeof bid === 'number' ? { bidding: { bid_amount: bid } } : {};
}

function unlisted(part: JsonObject, place: number, products: readonly JsonObject[]): JsonObject[] {
  const product = products.find((one) => one['product_id'] === part['product_id']);
  const options = objectsAt(product, 'pricing_options');
  const fault = (code: string, name: string, message: string): JsonObject[] => [
    { code, message, field: `packages[${place}].${name}` },
  ];
  if (product === undefined)
    return fault('PRODUCT_NOT_FOUND', 'product_id', 'The seller no longer lists this product.');
  if (options.some((option) => option['pricing_option_id'] === part['pricing_option_id'])) return [];
  return fault('INVALID_REQUEST', 'pricing_option_id', 'The seller no longer lists this price.');
}

/**
 * The answer in the shape of the older task. A conflict on arguments that were made anew may mean that the first try was
 * taken: nobody knows, so the caller has to read before it decides.
 */
function answered<Failure>(
  said: Result<SellerSaid, Failure>,
  { args, made }: { readonly args: JsonObject; readonly made?: string },
  seller: LifecycleSeller<Failure>,
): Result<SellerSaid, Failure> {
  if (!said.ok) return said;
  const { payload } = said.value;
  const isConflict = objectsAt(payload, 'errors').some(({ code }) => code === 'IDEMPOTENCY_CONFLICT');
  if (made !== undefined && isConflict) {
    seller.forget(made);
    return err(seller.uncertain());
  }
  const older = inOlderShape(payload);
  if (payload['purchase_bindings'] === undefined) return ok({ ...said.value, payload: older });
  const lost = objectsAt(args, 'packages').flatMap((part, place) =>
    Object.keys(without(part, [...ofPackage, 'bid_price', 'buyer_ref'])).map((name) => notSent(name, place)),
  );
  const warnings: JsonValue[] = [...objectsAt(older, 'warnings'), ...lost];
  return ok({ ...said.value, payload: { ...older, ...(warnings.length === 0 ? {} : { warnings }) } });
}

function notSent(name: string, place: number): JsonObject {
  return {
    code: 'UNSUPPORTED_FEATURE',
    message: 'A purchase of this seller has no place for it, so it was not sent.',
    field: `packages[${place}].${name}`,
    suggestion: name.startsWith('creative') ? 'Send it with sync_creatives.' : 'Change it with the buy.',
  };
}

export function refusal(code: string, message: string, field?: string): SellerSaid {
  return {
    payload: { status: 'failed', errors: [defined({ code, message, field })] },
    isError: true,
  };
}
