import { isCurrency } from '@switchyard/money';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { amountFaults, amountAt, numberOf } from '../../message/amount.js';
import { is3x } from '../../message/form.js';
import { objectAt, textAt } from '../../message/pick.js';
import { required } from '../../message/require.js';

/**
 * A seller's proposal bought as a whole: its allocations share the total, and packages in the request override them.
 */
export interface ProposalPurchase {
  readonly proposalId: string;
  readonly totalBudget: {
    /** Decimal text in major units. */
    readonly amount: string;
    /** ISO 4217. */
    readonly currency: string;
  };
  /** Acceptance of the proposal's insertion order: `io_id`, `accepted_at`, `signatory` and others. */
  readonly ioAcceptance?: JsonObject;
}

/** Members of a request that buy a proposal: they are sent only to the seller that made it. */
export const proposalMembers = ['proposal_id', 'total_budget', 'io_acceptance'] as const;

/**
 * Reads the proposal of a buy request and the members that 3.x requires with it (docs/protocol/products.md#proposals);
 * `undefined` where there is none.
 */
export function readProposalPurchase(
  args: JsonObject,
  form: Form,
  exact: ExactNumbers,
): Result<ProposalPurchase | undefined, readonly TaskError[]> {
  const proposalId = textAt(args, 'proposal_id');
  if (proposalId === undefined) return ok(undefined);
  if (!is3x(form)) return err([notInThisForm]);
  const total = objectAt(args, 'total_budget');
  const amount = amountAt(total, 'amount', '/total_budget', exact);
  const currency = textAt(total, 'currency');
  const ioAcceptance = objectAt(args, 'io_acceptance');
  const errors = [
    ...(total === undefined ? [required('total_budget', wantsBudget)] : budgetFaults(amount, currency)),
    ...(ioAcceptance === undefined ? [] : acceptanceFaults(ioAcceptance)),
  ];
  if (errors.length > 0 || amount === undefined || currency === undefined) return err(errors);
  const purchase = { proposalId, totalBudget: { amount, currency } };
  return ok(ioAcceptance === undefined ? purchase : { ...purchase, ioAcceptance });
}

/** The same members for a seller; the older forms do not have them. */
export function projectProposalPurchase(purchase: ProposalPurchase | undefined, to: Form): JsonObject {
  if (purchase === undefined || !is3x(to)) return {};
  const { amount, currency } = purchase.totalBudget;
  return {
    proposal_id: purchase.proposalId,
    total_budget: { amount: numberOf(amount), currency },
    ...(purchase.ioAcceptance === undefined ? {} : { io_acceptance: structuredClone(purchase.ioAcceptance) }),
  };
}

const notInThisForm = taskError('UNSUPPORTED_FEATURE', 'This protocol version has no proposals.', {
  field: 'proposal_id',
  suggestion: 'Send the request in release 3.0 or later, or buy the products of its allocations as packages.',
});

const wantsBudget = 'Add total_budget with amount and currency: the allocations of the proposal share it.';

function budgetFaults(amount: string | undefined, currency: string | undefined): readonly TaskError[] {
  return [
    ...(amount === undefined
      ? [required('total_budget.amount')]
      : amountFaults(amount, 'total_budget.amount', 'The total budget')),
    ...(currency === undefined ? [required('total_budget.currency')] : []),
    ...(currency === undefined || isCurrency(currency) ? [] : [noCurrency]),
  ];
}

const noCurrency = taskError('INVALID_REQUEST', 'The currency of the total budget is none of ISO 4217.', {
  field: 'total_budget.currency',
  suggestion: 'Send three capital letters, such as USD.',
});

function acceptanceFaults(acceptance: JsonObject): readonly TaskError[] {
  const at = textAt(acceptance, 'accepted_at');
  return [
    ...['io_id', 'accepted_at', 'signatory']
      .filter((name) => textAt(acceptance, name) === undefined)
      .map((name) => required(`io_acceptance.${name}`)),
    ...(at === undefined || !Number.isNaN(Date.parse(at)) ? [] : [noTime]),
  ];
}

const noTime = taskError('INVALID_REQUEST', 'The time of the acceptance cannot be read.', {
  field: 'io_acceptance.accepted_at',
  suggestion: 'Send a date and time as RFC 3339 writes it.',
});
