import type { QuarantineReason } from './observation.js';
import { numbered } from './post-report.js';
import type { BuyReport } from './read-report.js';
import type { ReportRepository } from './report-repository.js';

/** How far the spend of a buy may go beyond its budget before a person is asked, in thousandths of the budget. */
export interface SpendLimit {
  readonly permille: bigint;
}

export const usualSpendLimit: SpendLimit = { permille: 1_500n };

/**
 * Whether a report would take the spend of its whole buy, all periods and packages together, beyond the limit. What
 * lowers the spend, or leaves it as it is, is never held back: the way down has to be open.
 */
export function judgeSpend(
  report: BuyReport,
  repository: ReportRepository,
  { permille }: SpendLimit,
): QuarantineReason | undefined {
  const { buy, versions } = report;
  const [first] = versions;
  if (first === undefined) return undefined;
  const budget = buy.packages.reduce((sum, { budgetMicros }) => sum + budgetMicros, 0n);
  const isBeyond = (spent: bigint): boolean => spent * 1_000n > budget * permille;
  const spends = versions.map(({ version }) => version.spendMicros);
  if (!isBeyond(repository.mostSpentWith(buy, spends))) return undefined;
  const spent = repository.spentOnBuyWith(buy, numbered(report, repository, ''));
  if (!isBeyond(spent) || spent <= repository.spentOnBuy(buy)) return undefined;
  const times = (Number(permille) / 1_000).toString();
  return {
    code: 'beyond_budget',
    message: `The spend would be more than ${times} times the budget of the whole buy.`,
    field: first.field,
  };
}
