import { microsToDecimal } from '@switchyard/money';
import { taskError, type Finding, type TaskError } from '@switchyard/protocol';
import {
  breachForBuyer,
  limitName,
  type Breach,
  type JudgedLimit,
  type LimitStandings,
} from '../model/limit.js';

/**
 * The error for a request over a limit. It contains amounts only for limits of the caller and for the limit
 * per buy, because amounts of others are confidential.
 */
export function overLimitError(breaches: readonly Breach[]): TaskError {
  const own = breaches.filter(({ limit: { kind } }) => ['principal', 'program', 'each_buy'].includes(kind));
  const isOfDays = breaches.every(({ limit }) => limit.kind === 'campaign_flight');
  return taskError(isOfDays ? 'POLICY_VIOLATION' : 'BUDGET_EXCEEDED', breachForBuyer(breaches), {
    ...(isOfDays && { field: 'end_time' }),
    suggestion: isOfDays
      ? 'Choose days within the flight of the campaign, or name another campaign.'
      : 'Ask for less, or have whoever looks after spending raise the limit.',
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

/** What a request should be told though it is taken: rules of its campaign that only warn, and converted amounts. */
export function spendFindings(found: LimitStandings): readonly Finding[] {
  if (found.kind !== 'known') return [];
  return found.standings.flatMap(({ limit, isExceeded, words, note }): readonly Finding[] => [
    ...(isExceeded && limit.above === 'warn' && words !== undefined
      ? [{ code: warnings[limit.kind] ?? limit.kind.toUpperCase(), message: words.toBuyer }]
      : []),
    ...(note === undefined ? [] : [{ code: 'CAMPAIGN_CURRENCY', message: note }]),
  ]);
}

const warnings: Readonly<Partial<Record<JudgedLimit['kind'], string>>> = {
  campaign_budget: 'OVER_CAMPAIGN_BUDGET',
  campaign_flight: 'OUTSIDE_CAMPAIGN_FLIGHT',
};
