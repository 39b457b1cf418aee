import {
  taskError,
  wholeTerms,
  type CreateMediaBuyRequest,
  type Finding,
  type ProposalPurchase,
  type TaskError,
  type WholeTerms,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, isJsonObject, ok, type Instant, type Result } from '@switchyard/values';
import { checkFlight, packageTerms } from './package-terms.js';
import { checkPackage } from './check-package.js';
import type { MarketKnowledge, PlannedPackage } from './planned-package.js';

export interface PlannedLeg {
  readonly connection: Connection;
  readonly packages: readonly PlannedPackage[];
  /** The seller's own proposal, where it is sent instead of its packages. */
  readonly proposal?: ProposalPurchase;
}

export interface BuyPlan {
  readonly currency: string;
  /** In the order in which the request first names each seller. */
  readonly legs: readonly PlannedLeg[];
  readonly findings: readonly Finding[];
}

/**
 * Splits one request into legs by seller and checks every leg before any seller is called.
 *
 * Returns all errors, so that a buyer corrects a request once. A buy has one currency, because budgets and
 * reports in two currencies have no sum.
 */
export function planBuy(
  request: CreateMediaBuyRequest,
  market: MarketKnowledge,
  now: Instant,
): Result<BuyPlan, readonly TaskError[]> {
  const errors: TaskError[] = [...checkFlight(request, now)];
  const findings: Finding[] = [];
  const legs = new Map<string, { connection: Connection; packages: PlannedPackage[] }>();

  if (request.packages.length === 0) {
    errors.push(
      taskError('INVALID_REQUEST', 'A media buy needs at least one package.', { field: 'packages' }),
    );
  }
  request.packages.forEach((wanted, position) => {
    const checked = checkPackage(wanted, position, market);
    if (!checked.ok) {
      errors.push(...checked.error);
      return;
    }
    const { connection, planned } = checked.value;
    errors.push(...packageTerms(planned, `packages[${position}]`, request, now));
    findings.push(...checked.value.findings);
    const leg = legs.get(connection.slug) ?? { connection, packages: [] };
    leg.packages.push(planned);
    legs.set(connection.slug, leg);
  });
  const currency = oneCurrency([...legs.values()].flatMap((leg) => leg.packages));
  if (!currency.ok) errors.push(...currency.error);
  else if (legs.size > 0) errors.push(...totalFaults(request, currency.value));
  errors.push(...sharedFaults(wholeTerms('create_media_buy', request), legs.size));
  if (errors.length > 0 || !currency.ok) return err(errors);
  return ok({ currency: currency.value, legs: [...legs.values()], findings });
}

/**
 * A total beside packages must be in their currency (docs/protocol/media-buys.md#money). The reader has
 * already checked its amount.
 */
function totalFaults({ original }: CreateMediaBuyRequest, currency: string): readonly TaskError[] {
  const total = original.value['total_budget'];
  const reported = isJsonObject(total) ? total['currency'] : undefined;
  if (typeof reported !== 'string' || reported === currency) return [];
  return [
    taskError('INVALID_REQUEST', `The packages are in ${currency}, and the total budget is not.`, {
      field: 'total_budget.currency',
      suggestion: `Send the total in ${currency}, or leave total_budget out.`,
    }),
  ];
}

function oneCurrency(packages: readonly PlannedPackage[]): Result<string, readonly TaskError[]> {
  const [first] = packages;
  const currency = first?.price.currency ?? 'USD';
  const other = packages.find((item) => item.price.currency !== currency);
  if (other === undefined) return ok(currency);
  return err([
    taskError(
      'INVALID_REQUEST',
      `A media buy has one currency, and this request mixes ${currency} and ${other.price.currency}.`,
      {
        field: `packages[${other.position}].pricing_option_id`,
        suggestion: 'Create one media buy per currency.',
      },
    ),
  ]);
}

/** The errors of limits on the whole for several sellers: none of them knows what the others have spent. */
export function sharedFaults({ shared }: WholeTerms, sellers: number): readonly TaskError[] {
  if (sellers < 2) return [];
  return shared.map((field) =>
    taskError('UNSUPPORTED_FEATURE', 'Several sellers cannot keep one limit together.', {
      field,
      suggestion: 'Set it for each package, or buy from one seller.',
    }),
  );
}
