import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { LifecycleSeller, SellerSaid, StandIn } from '../../seller-lifecycle.js';
import { numberAt, objectAt, objectsAt, textAt, textsAt, without } from '../../../message/pick.js';
import { same } from '../compact/keep.js';
import { inOlderShape, olderProposal } from './older-answers.js';

const envelope = [
  'context_id',
  'context',
  'governance_context',
  'push_notification_config',
  'account',
  'brand',
];
const mostItems = 100;

export const digestKey = (proposalId: string): string => `digest ${proposalId}`;

/** `get_products`, by a list of products, a search for proposals, or their refinement. */
export const discovery: StandIn = {
  by: ['list_products', 'request_proposals'],
  carries: [
    ...[
      'buying_mode',
      'brief',
      'brand',
      'account',
      'filters',
      'property_list',
      'required_policies',
      'catalog',
    ],
    ...['targeting_overlay', 'required_overlay_support', 'pagination', 'refine', 'fields', 'idempotency_key'],
    ...['context', 'context_id', 'governance_context', 'push_notification_config', 'time_budget'],
  ],
  async ask(args, seller) {
    if (args['buying_mode'] === 'refine') return refined(args, seller);
    const isSearch = args['buying_mode'] !== 'wholesale' && textAt(args, 'brief') !== undefined;
    if (seller.offers('request_proposals') && (isSearch || !seller.offers('list_products')))
      return proposed(args, seller);
    const said = await seller.call('list_products', listRequest(args));
    return said.ok ? ok({ ...said.value, payload: inOlderShape(said.value.payload) }) : said;
  },
};

/** The members around a request. An account names its brand, and a request that names it twice is refused. */
export function envelopeOf(args: JsonObject): JsonObject {
  const around = same(args, envelope);
  return around['account'] === undefined ? around : without(around, ['brand']);
}

/** The arguments of a list of products, optionally of some alone. */
export function listRequest(args: JsonObject, productIds?: readonly string[]): JsonObject {
  const page = objectAt(args, 'pagination');
  const criteria = {
    ...criteriaOf(args),
    ...(productIds === undefined ? {} : { product_ids: [...productIds] }),
  };
  return defined({
    ...without(envelopeOf(args), ['push_notification_config']),
    criteria: Object.keys(criteria).length === 0 ? undefined : criteria,
    max_results: Math.min(numberAt(page, 'max_results') ?? mostItems, mostItems),
    cursor: textAt(page, 'cursor'),
  });
}

function criteriaOf(args: JsonObject): JsonObject {
  const filters = objectAt(args, 'filters') ?? {};
  const offer = { ...filters, ...same(args, ['property_list']) };
  const policies = textsAt(args, 'required_policies');
  return defined({
    offer_filters: Object.keys(offer).length === 0 ? undefined : offer,
    ...same(args, ['targeting_overlay', 'required_overlay_support', 'catalog']),
    policy_ids: policies.length === 0 ? undefined : [...policies],
  });
}

async function proposed<Failure>(
  args: JsonObject,
  seller: LifecycleSeller<Failure>,
): Promise<Result<SellerSaid, Failure>> {
  const criteria = criteriaOf(args);
  const said = await seller.call('request_proposals', {
    ...envelopeOf(args),
    idempotency_key: textAt(args, 'idempotency_key') ?? seller.uuid(),
    brief: textAt(args, 'brief') ?? 'Everything that is offered.',
    ...(Object.keys(criteria).length === 0 ? {} : { criteria }),
  });
  if (!said.ok) return said;
  keepDigests(said.value.payload, seller);
  return ok({ ...said.value, payload: inOlderShape(said.value.payload) });
}

/** What a purchase of a proposal names later: the digest of the terms that the seller showed last. */
function keepDigests<Failure>(payload: JsonObject, seller: LifecycleSeller<Failure>): void {
  for (const proposal of objectsAt(payload, 'proposals')) {
    const [id, digest] = [textAt(proposal, 'proposal_id'), textAt(proposal, 'terms_digest')];
    if (id !== undefined && digest !== undefined) seller.keep(digestKey(id), same(proposal, kept));
  }
}

const kept = ['terms_digest', 'proposal_status'];

async function refined<Failure>(
  args: JsonObject,
  seller: LifecycleSeller<Failure>,
): Promise<Result<SellerSaid, Failure>> {
  const changes = objectsAt(args, 'refine');
  const sent = changes.map(refinementOf);
  const refinements = sent.filter((one) => one !== undefined);
  if (refinements.length === 0) return ok(unable(changes));
  const said = await seller.call('refine_proposals', {
    ...same(args, ['context_id', 'context', 'governance_context', 'push_notification_config']),
    idempotency_key: textAt(args, 'idempotency_key') ?? seller.uuid(),
    refinements,
  });
  if (!said.ok || said.value.isError) return said;
  const { payload } = said.value;
  if (payload['results'] === undefined) return said;
  const results = objectsAt(payload, 'results');
  const proposals = results.flatMap((result) => [
    ...objectsAt(result, 'proposals'),
    ...[objectAt(result, 'proposal')].filter((one) => one !== undefined),
  ]);
  keepDigests({ proposals }, seller);
  return ok({
    ...said.value,
    payload: {
      ...same(payload, ['context', 'ext', 'replayed']),
      status: 'completed',
      products: [...objectsAt(payload, 'products')],
      proposals: proposals.map(olderProposal),
      refinement_applied: changes.map((change, place) =>
        sent[place] === undefined ? notAsked(change) : appliedOf(change, results),
      ),
    },
  });
}

/** `undefined` for a wish that has no place: refinements are of proposals alone. */
function refinementOf(change: JsonObject): JsonObject | undefined {
  const id = textAt(change, 'proposal_id');
  if (change['scope'] !== 'proposal' || id === undefined || change['action'] === 'omit') return undefined;
  if (change['action'] === 'finalize') return { proposal_id: id, action: 'finalize' };
  return defined({ proposal_id: id, action: 'revise', ask: textAt(change, 'ask') });
}

const outcomes: Readonly<Record<string, string>> = {
  revised: 'applied',
  finalized: 'applied',
  partial: 'partial',
  unable: 'unable',
};

function appliedOf(change: JsonObject, results: readonly JsonObject[]): JsonObject {
  const result = results.find((one) => one['source_proposal_id'] === change['proposal_id']);
  const reason = textAt(result, 'reason');
  return {
    ...same(change, ['scope', 'proposal_id']),
    status: outcomes[textAt(result, 'outcome') ?? ''] ?? 'unable',
    ...(reason === undefined ? {} : { notes: reason }),
  };
}

function notAsked(change: JsonObject): JsonObject {
  return {
    ...same(change, ['scope', 'proposal_id', 'product_id']),
    status: 'unable',
    notes: 'This seller takes wishes about proposals alone.',
  };
}

function unable(changes: readonly JsonObject[]): SellerSaid {
  return {
    payload: { status: 'completed', products: [], proposals: [], refinement_applied: changes.map(notAsked) },
    isError: false,
  };
}

/** The digest of a proposal's terms: as it was last shown, or by asking for the same commitment again. */
export async function digestOf<Failure>(
  proposalId: string,
  args: JsonObject,
  seller: LifecycleSeller<Failure>,
): Promise<Result<string | undefined, Failure>> {
  const known = textAt(seller.recall(digestKey(proposalId)), 'terms_digest');
  if (known !== undefined) return ok(known);
  const said = await refined(
    {
      ...same(args, ['context']),
      refine: [{ scope: 'proposal', proposal_id: proposalId, action: 'finalize' }],
    },
    seller,
  );
  return said.ok ? ok(textAt(seller.recall(digestKey(proposalId)), 'terms_digest')) : err(said.error);
}
