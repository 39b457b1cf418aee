import { parseDecimal } from '@switchyard/money';
import {
  type Finding,
  hasFeature,
  type ProposalPurchase,
  taskError,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { Proposal } from '../model/proposal.js';

/** Tolerance of the sum of shares, in millionths of a percent: thirds are rounded when written as decimals. */
const slack = 100_000n;

/** The same error for an unknown proposal and for one made to another organization. */
export const proposalNotFound: TaskError = taskError(
  'PROPOSAL_NOT_FOUND',
  'You have no proposal with this id.',
  {
    field: 'proposal_id',
    suggestion:
      'Ask get_products again, and use the proposal_id as it returns it, with the prefix of its seller. What was read through the sealed relay is bought through it.',
  },
);

/**
 * Why a proposal cannot be bought now (docs/protocol/products.md#proposals): it is expired, a draft, its
 * order is not accepted, or its shares have no valid sum.
 */
export function proposalFaults(
  proposal: Proposal,
  { ioAcceptance }: ProposalPurchase,
  now: Instant,
): readonly TaskError[] {
  if (proposal.expiresAt !== undefined && proposal.expiresAt <= now) return [expired];
  if (proposal.isDraft) return [draft];
  const { insertionOrder } = proposal;
  const isSigned = ioAcceptance !== undefined;
  if (insertionOrder?.requiresSignature === true && !isSigned) return [unsigned(insertionOrder.ioId)];
  if (isSigned && insertionOrder !== undefined && ioAcceptance['io_id'] !== insertionOrder.ioId)
    return [anotherOrder];
  return isCountable(proposal) ? [] : [uncountable];
}

/** Why a proposal cannot be bought as packages, at a seller that takes no proposals by id. */
export function partsFaults(proposal: Proposal, { form, slug }: Connection): readonly TaskError[] {
  if (proposal.insertionOrder?.requiresSignature === true)
    return [notInDeps(slug, 'its insertion order must be accepted with the proposal as a whole')];
  const isTimed = proposal.allocations.some(
    ({ startTime, endTime, daypartTargets }) => (startTime ?? endTime ?? daypartTargets) !== undefined,
  );
  if (isTimed && !hasFeature(form, 'packageTimes'))
    return [
      notInDeps(
        slug,
        'its parts have their own flights, which the protocol version of this seller does not have',
      ),
    ];
  return [];
}

/** The finding for a total outside the seller's guidance, which is advice and not a limit. */
export function guidanceFindings(
  { guidance }: Proposal,
  { totalBudget }: ProposalPurchase,
): readonly Finding[] {
  const total = parseDecimal(totalBudget.amount);
  const isOfCurrency = guidance?.currency === undefined || guidance.currency === totalBudget.currency;
  if (guidance === undefined || !total.ok || !isOfCurrency) return [];
  const [min, max] = [parseDecimal(guidance.min ?? ''), parseDecimal(guidance.max ?? '')];
  const isLow = min.ok && total.value < min.value;
  const isHigh = max.ok && total.value > max.value;
  if (!isLow && !isHigh) return [];
  const bound = isLow ? `at least ${guidance.min ?? ''}` : `at most ${guidance.max ?? ''}`;
  const message = `The seller advises ${bound} ${totalBudget.currency} for this proposal.`;
  return [{ code: 'OUTSIDE_BUDGET_GUIDANCE', message, field: 'total_budget.amount' }];
}

function isCountable({ allocations }: Proposal): boolean {
  const shares = allocations.map(({ percentage }) => parseDecimal(percentage));
  const sum = shares.reduce((all, share) => (share.ok ? all + share.value : all), 0n);
  return sum >= 100_000_000n - slack && sum <= 100_000_000n + slack;
}

const expired = taskError('PROPOSAL_EXPIRED', 'The proposal has expired.', {
  field: 'proposal_id',
  suggestion: 'Ask get_products again for a fresh one.',
});

const draft = taskError('PROPOSAL_NOT_COMMITTED', 'The proposal is a draft: its prices are indicative.', {
  field: 'proposal_id',
  suggestion:
    'Call get_products with buying_mode refine, scope proposal and action finalize; then buy what it returns.',
});

function unsigned(ioId: string): TaskError {
  return taskError('IO_REQUIRED', 'The insertion order of the proposal must be accepted first.', {
    field: 'io_acceptance',
    suggestion: 'Have it accepted, and send io_acceptance with io_id, accepted_at and signatory.',
    details: { io_id: ioId },
  });
}

const anotherOrder = taskError('INVALID_REQUEST', 'The acceptance is for another insertion order.', {
  field: 'io_acceptance.io_id',
  suggestion: 'Use the io_id of the insertion_order of this proposal.',
});

const uncountable = taskError(
  'UNSUPPORTED_FEATURE',
  'The allocations of this proposal do not add up, so the budget of each product is unknown.',
  { field: 'proposal_id', suggestion: 'Ask the seller to refine it, or buy its products as packages.' },
);

function notInDeps(seller: string, why: string): TaskError {
  const message = `The seller ${seller} does not accept proposals, and this one cannot be bought as packages: ${why}.`;
  return taskError('UNSUPPORTED_FEATURE', message, {
    field: 'proposal_id',
    suggestion: 'Buy the products of its allocations as packages of your own.',
    details: { seller },
  });
}
