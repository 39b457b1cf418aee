import { checkBudget, microsToDecimal, sumMicros } from '@switchyard/money';
import {
  taskError,
  type CreateMediaBuyRequest,
  type Finding,
  type ProposalPurchase,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { budgetFault, checkPackage } from '../plan/check-package.js';
import { checkFlight, packageTerms } from '../plan/package-terms.js';
import type { Offer } from '../model/offer.js';
import type { BuyPlan } from '../plan/plan-buy.js';
import type { PlannedPackage } from '../plan/planned-package.js';
import { allot, type Allotted } from './allot.js';
import { guidanceFindings, partsFaults, proposalFaults } from './proposal-faults.js';
import { type Proposal, takesProposals } from '../model/proposal.js';

/** What a purchase of a proposal is checked against. */
interface ProposalKnowledge {
  readonly connection: Connection;
  readonly proposal: Proposal;
  /** By prefixed product id. */
  readonly offers: ReadonlyMap<string, Offer>;
}

/**
 * Plans the purchase of a proposal: one leg at the seller that made it, checked before that seller is called.
 *
 * A seller that takes proposals is sent its own id and the total, with the buyer's overrides; any other is
 * sent the packages that result from the allocations. In both cases every package is known here with its
 * share, so that the buy is counted, reported and undone like any other.
 */
export function planProposal(
  request: CreateMediaBuyRequest,
  purchase: ProposalPurchase,
  known: ProposalKnowledge,
  now: Instant,
): Result<BuyPlan, readonly TaskError[]> {
  const { connection, proposal, offers } = known;
  const { amount, currency } = purchase.totalBudget;
  const isWhole = takesProposals(connection);
  const faults = [...proposalFaults(proposal, purchase, now), ...checkFlight(request, now)];
  if (!isWhole) faults.push(...partsFaults(proposal, connection));
  if (connection.state !== 'live') faults.push(notLive(connection.slug));
  if (faults.length > 0) return err(faults);
  const total = checkBudget(amount, currency);
  if (!total.ok) return err(budgetFault(amount, currency, 'total_budget.amount'));
  const allotted = allot(proposal, request, { micros: total.value, currency }, offers);
  if (!allotted.ok) return allotted;

  const errors: TaskError[] = [];
  const findings: Finding[] = [...guidanceFindings(proposal, purchase)];
  const packages: PlannedPackage[] = [];
  for (const part of allotted.value) {
    const checked = checkPart(part, known, { request, isWhole, currency, now });
    if (!checked.ok) errors.push(...checked.error);
    else {
      packages.push(checked.value.planned);
      findings.push(...checked.value.findings);
    }
  }
  if (errors.length > 0) return err(errors);
  const sum = sumMicros(packages.map(({ budgetMicros }) => budgetMicros));
  if (sum !== total.value) return err([anotherSum(microsToDecimal(sum), amount, currency)]);
  const proposalAt = { ...purchase, proposalId: proposal.proposalId };
  return ok({
    currency,
    legs: [{ connection, packages, ...(isWhole ? { proposal: proposalAt } : {}) }],
    findings: isWhole ? findings : [...findings, ...inDeps(connection.slug, purchase)],
  });
}

interface Terms {
  readonly request: CreateMediaBuyRequest;
  readonly isWhole: boolean;
  readonly currency: string;
  readonly now: Instant;
}

function checkPart(
  { position, request: wanted, isDerived }: Allotted,
  { connection, offers }: ProposalKnowledge,
  { request, isWhole, currency, now }: Terms,
): Result<{ readonly planned: PlannedPackage; readonly findings: readonly Finding[] }, readonly TaskError[]> {
  const market = { connections: new Map([[connection.slug, connection]]), offers };
  const checked = checkPackage(wanted, position, market, isWhole ? 'by_plan' : 'by_bid');
  const place = (error: TaskError): TaskError => (isDerived ? atTheProposal(error) : error);
  if (!checked.ok) return err(checked.error.map(place));
  const { planned, findings } = checked.value;
  if (planned.price.currency !== currency) return err([anotherCurrency(currency, planned.price.currency)]);
  // A seller checks the packages of its own proposal; packages that are sent as ours are checked against all terms.
  const terms =
    isWhole && isDerived ? [] : packageTerms(planned, `packages[${position}]`, request, now).map(place);
  if (terms.length > 0) return err(terms);
  return ok({ planned: isDerived ? { ...planned, isDerived } : planned, findings });
}

/** Moves an error on a package that the buyer did not write to the total or the proposal. */
function atTheProposal(error: TaskError): TaskError {
  const member = error.field?.replace(/^packages\[\d+\]\./, '');
  if (member === 'budget') return { ...error, field: 'total_budget.amount' };
  if (member === 'bid_price') return { ...error, field: 'packages' };
  return { ...error, field: 'proposal_id' };
}

function anotherCurrency(total: string, price: string): TaskError {
  const message = `One buy has one currency: the total is in ${total}, and a product of the proposal in ${price}.`;
  return taskError('INVALID_REQUEST', message, {
    field: 'total_budget.currency',
    suggestion: `Send the total in ${price}.`,
  });
}

function anotherSum(sum: string, total: string, currency: string): TaskError {
  const message = `With these overrides the packages come to ${sum} ${currency}, and the total is ${total}.`;
  return taskError('INVALID_REQUEST', message, {
    field: 'packages',
    suggestion: 'Change the budgets of the overrides, or the total, so that both are the same.',
  });
}

function notLive(seller: string): TaskError {
  return taskError('PRODUCT_UNAVAILABLE', `The seller ${seller} is not live.`, {
    field: 'proposal_id',
    suggestion: 'Call get_products again, and use a proposal that is offered now.',
  });
}

function inDeps(seller: string, { ioAcceptance }: ProposalPurchase): readonly Finding[] {
  const message = `The seller ${seller} does not accept proposals: the packages of this one were sent instead.`;
  const left = { code: 'NOT_CARRIED', message: 'This has no place beside packages.', field: 'io_acceptance' };
  return [
    { code: 'PROPOSAL_AS_PACKAGES', message, field: 'proposal_id' },
    ...(ioAcceptance === undefined ? [] : [left]),
  ];
}
