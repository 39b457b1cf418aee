import type { Approval, InternalApproval, RequestPlace, ReviewRow } from '@switchyard/buys';
import { microsToDecimal } from '@switchyard/money';
import { latestForm, projectError } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { instant, jsonObject } from '../fields.js';

/**
 * One row of the inbox. `internal`: a request exceeds a limit and waits until another person decides. `seller`: a
 * seller waits for an answer. The other kinds say what the row waits for: a person at the seller, or somebody who finds
 * out the result of a request.
 */
export const approval = z.strictObject({
  approval_id: z.string().exactOptional(),
  kind: z.enum(['internal', 'seller', 'in_review', 'creative_review', 'needs_look']),
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
  task: z.string(),
  operation_id: z.string(),
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

export function questionView(one: Approval, canAnswer: boolean) {
  return {
    approval_id: one.id,
    kind: 'seller' as const,
    state: one.state,
    seller: one.seller,
    sellers: [one.seller],
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.requestedAt),
    round: one.round,
    errors: one.errors.map((error) => projectError(error, 'ads', latestForm)),
    question: one.question,
    can_answer: canAnswer && one.state === 'open',
    ...(one.answer === undefined ? {} : { answer: one.answer }),
    ...(one.answeredBy === undefined ? {} : { answered_by: one.answeredBy }),
    ...(one.answeredAt === undefined ? {} : { answered_at: isoOf(one.answeredAt) }),
    ...(one.closedAt === undefined ? {} : { closed_at: isoOf(one.closedAt) }),
    ...(one.outcome === undefined ? {} : { outcome: one.outcome }),
  };
}

export function reviewView(one: ReviewRow) {
  return {
    kind: one.kind,
    state: one.kind,
    seller: one.seller,
    sellers: [one.seller],
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.since),
    can_answer: false,
    ...(one.creativeId === undefined ? {} : { creative_id: one.creativeId }),
  };
}

export function internalView(one: InternalApproval) {
  return {
    approval_id: one.id,
    kind: 'internal' as const,
    state: one.state,
    sellers: one.sellers,
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.requestedAt),
    expires_at: isoOf(one.expiresAt),
    on_approval: `The request is sent to ${one.sellers.join(', ')}, if no price has risen.`,
    can_answer: false,
    ...placeView(one),
    ...(one.mediaBuyId === undefined ? {} : { media_buy_id: one.mediaBuyId }),
    ...(one.decidedBy === undefined ? {} : { decided_by: one.decidedBy }),
    ...(one.decidedByName === undefined ? {} : { decided_by_name: one.decidedByName }),
    ...(one.decidedAt === undefined ? {} : { decided_at: isoOf(one.decidedAt) }),
    ...(one.decisionReason === undefined ? {} : { decision_reason: one.decisionReason }),
    ...(one.holdersOfBoth.length === 0 ? {} : { holders_of_both: [...one.holdersOfBoth] }),
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
