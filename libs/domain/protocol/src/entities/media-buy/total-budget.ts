import { parseDecimal } from '@switchyard/money';
import type { JsonObject } from '@switchyard/values';
import type { PackageRequest } from '../package/package-request.js';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { ExactNumbers } from '../../task-spec.js';
import { amountAt } from '../../message/amount.js';
import { objectAt, textAt } from '../../message/pick.js';

/**
 * Errors of a total beside packages: the budget of a buy is exactly the sum of its packages
 * (docs/protocol/media-buys.md#money). The total of a proposal is not checked here.
 */
export function totalFaults(
  args: JsonObject,
  packages: readonly Pick<PackageRequest, 'budget'>[],
  exact: ExactNumbers,
): readonly TaskError[] {
  const total = objectAt(args, 'total_budget');
  if (total === undefined || textAt(args, 'proposal_id') !== undefined) return [];
  const reported = microsOf(amountAt(total, 'amount', '/total_budget', exact));
  const sum = packages.reduce((all, { budget }) => all + (microsOf(budget) ?? 0n), 0n);
  return reported === sum ? [] : [otherTotal];
}

function microsOf(amount: string | undefined): bigint | undefined {
  const read = amount === undefined ? undefined : parseDecimal(amount);
  return read?.ok === true ? read.value : undefined;
}

const otherTotal = taskError('INVALID_REQUEST', 'The total budget is not what the packages come to.', {
  field: 'total_budget.amount',
  suggestion: 'Send the sum of the budgets of all packages, or leave total_budget out.',
});
