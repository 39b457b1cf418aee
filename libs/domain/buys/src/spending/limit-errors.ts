import { microsToDecimal } from '@switchyard/money';
import { taskError, type TaskError } from '@switchyard/protocol';
import { breachForBuyer, limitName, type Breach } from './limit.js';

/**
 * The error for a request over a limit. It contains amounts only for limits of the caller and for the limit
 * per buy, because amounts of others are confidential.
 */
export function overLimitError(breaches: readonly Breach[]): TaskError {
  const own = breaches.filter(({ limit }) => limit.kind === 'principal' || limit.kind === 'each_buy');
  return taskError('BUDGET_EXCEEDED', breachForBuyer(breaches), {
    suggestion: 'Ask for less, or have whoever looks after spending raise the limit.',
    details: {
      limits: breaches.map(({ limit: { kind } }) => kind),
      ...(own.length === 0
        ? {}
        : {
            left: own.map(({ limit, left }) => ({
              limit: limitName(limit),
              left: microsToDecimal(left),
              currency: limit.currency,
            })),
          }),
    },
  });
}

export function noRateError({ from, to }: { readonly from: string; readonly to: string }): TaskError {
  return taskError(
    'UNPRICEABLE_OUTPUT',
    `A spending limit is in ${to}, and no rate from ${from} was entered.`,
    {
      suggestion: `Have a rate entered: switchyard rates set ${from} ${to} RATE --date DATE --source SOURCE.`,
      details: { from, to },
    },
  );
}
