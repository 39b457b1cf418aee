import type { Approval, ControlRequest, InternalApproval, RequestPlace, ReviewRow } from '@switchyard/buys';
import { microsToDecimal } from '@switchyard/money';
import { latestForm, projectError } from '@switchyard/protocol';
import { defined, isoOf } from '@switchyard/values';
import { z } from 'zod';
import { instant, jsonObject } from '../platform/routes/fields.js';

/**
 * One row of the inbox. `internal`: a request exceeds a limit and waits until another person decides. `control`: a limit,
 * a rate, a role, a rule or the place of a buy would be changed, and waits in the same way. `seller`: a
 * seller waits for an answer. The other kinds say what the row waits for: a person at the seller, or somebody who finds
 * out the result of a request.
 */
export const approval = z.strictObject({
  approval_id: z.string().exactOptional(),
  kind: z.enum(['internal', 'control', 'seller', 'in_review', 'creative_review', 'needs_look']),
  state: z.string(),
  seller: z
    .string()
    .exactOptional()
    .describe('Of a question or a review; `sellers` names them for every kind.'),
  sellers: z.array(z.string()),
  asked_by: z.string().exactOptional().describe('Id of the principal whose request it is.'),
  asked_by_name: z.string().exactOptional(),
  client: z.string().exactOptional(),
  client_id: z.string().exactOptional(),
  brand: z.string().exactOptional(),
  campaign: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
  account: z.string().exactOptional().describe('The brand, and who operates for it.'),
  amount: z.string().exactOptional().describe('What the request commits; decimal text.'),
  currency: z.string().exactOptional(),
  expires_at: instant.exactOptional(),
  on_approval: z.string().exactOptional().describe('What happens on yes.'),
  media_buy_id: z.string().exactOptional(),
  decided_by: z.string().exactOptional().describe('Id of the principal that decided.'),
  decided_by_name: z.string().exactOptional(),
  decided_at: instant.exactOptional(),
  decision_reason: z.string().exactOptional(),
  holders_of_both: z
    .array(z.string())
    .exactOptional()
    .describe(
      'Principals that could act as both the requester and the decider: look whether two people decided.',
    ),
  task: z.string().describe('Of `control`: what would be done, such as set_limit.'),
  operation_id: z.string().exactOptional().describe('Absent of `control`.'),
  subject: z.string().exactOptional().describe('Of `control`: what would be changed.'),
  before: z.string().exactOptional(),
  after: z.string().exactOptional(),
  creative_id: z.string().exactOptional(),
  reason: z.string().describe("The seller's own words, or ours where it has none."),
  since: instant,
  round: z.int().exactOptional(),
  errors: z.array(jsonObject.describe('An error as the seller sent it.')).exactOptional(),
  question: jsonObject.exactOptional().describe("The seller's payload as it came."),
  can_answer: z.boolean(),
  answer: jsonObject.exactOptional().describe('What a person has answered to the seller.'),
  answered_by: z.string().exactOptional(),
  answered_at: instant.exactOptional(),
  closed_at: instant.exactOptional().describe('Of a question that needs nobody any more.'),
  outcome: z.string().exactOptional(),
});

export function questionView(stored: Approval, canAnswer: boolean) {
  return {
    approval_id: stored.id,
    kind: 'seller' as const,
    state: stored.state,
    seller: stored.seller,
    sellers: [stored.seller],
    task: stored.task,
    operation_id: stored.operationId,
    reason: stored.reason,
    since: isoOf(stored.requestedAt),
    round: stored.round,
    errors: stored.errors.map((error) => projectError(error, 'ads', latestForm)),
    question: stored.question,
    can_answer: canAnswer && stored.state === 'open',
    ...(stored.answer === undefined ? {} : { answer: stored.answer }),
    ...(stored.answeredBy === undefined ? {} : { answered_by: stored.answeredBy }),
    ...(stored.answeredAt === undefined ? {} : { answered_at: isoOf(stored.answeredAt) }),
    ...(stored.closedAt === undefined ? {} : { closed_at: isoOf(stored.closedAt) }),
    ...(stored.outcome === undefined ? {} : { outcome: stored.outcome }),
  };
}

export function reviewView(review: ReviewRow) {
  return {
    kind: review.kind,
    state: review.kind,
    seller: review.seller,
    sellers: [review.seller],
    task: review.task,
    operation_id: review.operationId,
    reason: review.reason,
    since: isoOf(review.since),
    can_answer: false,
    ...(review.creativeId === undefined ? {} : { creative_id: review.creativeId }),
  };
}

export function internalView(internalApproval: InternalApproval) {
  return {
    approval_id: internalApproval.id,
    kind: 'internal' as const,
    state: internalApproval.state,
    sellers: internalApproval.sellers,
    task: internalApproval.task,
    operation_id: internalApproval.operationId,
    reason: internalApproval.reason,
    since: isoOf(internalApproval.requestedAt),
    expires_at: isoOf(internalApproval.expiresAt),
    on_approval: `The request is sent to ${internalApproval.sellers.join(', ')}, if no price has risen.`,
    can_answer: false,
    ...placeView(internalApproval),
    ...(internalApproval.mediaBuyId === undefined ? {} : { media_buy_id: internalApproval.mediaBuyId }),
    ...(internalApproval.decidedBy === undefined ? {} : { decided_by: internalApproval.decidedBy }),
    ...(internalApproval.decidedByName === undefined
      ? {}
      : { decided_by_name: internalApproval.decidedByName }),
    ...(internalApproval.decidedAt === undefined ? {} : { decided_at: isoOf(internalApproval.decidedAt) }),
    ...(internalApproval.decisionReason === undefined
      ? {}
      : { decision_reason: internalApproval.decisionReason }),
    ...(internalApproval.holdersOfBoth.length === 0
      ? {}
      : { holders_of_both: [...internalApproval.holdersOfBoth] }),
  };
}

export function controlView(request: ControlRequest) {
  const { id, kind, state, subject, reason, before, after, requestedBy, requestedByName } = request;
  const { decidedBy, decidedByName, decidedAt, decisionReason, holdersOfBoth, amount } = request;
  return {
    approval_id: id,
    kind: 'control' as const,
    state,
    sellers: [],
    task: kind,
    subject,
    reason,
    since: isoOf(request.requestedAt),
    expires_at: isoOf(request.expiresAt),
    asked_by: requestedBy,
    on_approval: 'It is done at once, if what it was judged on has not changed.',
    can_answer: false,
    ...defined({
      before,
      after,
      asked_by_name: requestedByName,
      client: request.clientName,
      client_id: request.clientId,
      brand: request.brandDomain,
      campaign: request.campaignName,
      campaign_id: request.campaignId,
      amount: amount === undefined ? undefined : microsToDecimal(amount),
      currency: request.currency,
      decided_by: decidedBy,
      decided_by_name: decidedByName,
      decided_at: decidedAt === undefined ? undefined : isoOf(decidedAt),
      decision_reason: decisionReason,
      holders_of_both: holdersOfBoth.length === 0 ? undefined : [...holdersOfBoth],
    }),
  };
}

/** The principal, client, brand and campaign of a request, and the amount that it commits. */
export function placeView(place: RequestPlace | undefined) {
  if (place === undefined) return {};
  const { requestedByName, clientId, clientName, brandDomain, campaignId, campaignName } = place;
  const { account, amount, currency } = place;
  return {
    asked_by: place.requestedBy,
    ...(requestedByName === undefined ? {} : { asked_by_name: requestedByName }),
    ...(clientName === undefined ? {} : { client: clientName }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(brandDomain === undefined ? {} : { brand: brandDomain }),
    ...(campaignName === undefined ? {} : { campaign: campaignName }),
    ...(campaignId === undefined ? {} : { campaign_id: campaignId }),
    ...(account === undefined ? {} : { account }),
    ...(amount === undefined ? {} : { amount: microsToDecimal(amount) }),
    ...(currency === undefined ? {} : { currency }),
  };
}
