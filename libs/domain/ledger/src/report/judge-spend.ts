import type { QuarantineReason } from './observation.js';
import { numbered } from './post-report.js';
import type { BuyReport } from './read-report.js';
import type { ReportRepository } from './report-repository.js';

/** Maximum spend of a buy before a report is quarantined, in thousandths of its budget. */
export interface SpendLimit {
  readonly permille: bigint;
}

export const usualSpendLimit: SpendLimit = { permille: 1_500n };

/**
 * Whether a report would raise the spend of its whole buy, over all periods and packages, above the limit. A
 * report that lowers or keeps the spend is never quarantined, so that errors can be corrected.
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
