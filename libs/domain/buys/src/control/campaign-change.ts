import { microsToDecimal } from '@switchyard/money';
import type { CampaignRules } from '@switchyard/tenancy';
import type { Campaign } from '../campaigns/client.js';

/** What of a campaign holds buys back. */
export type CampaignHold = Pick<Campaign, 'budgetMicros' | 'currency' | 'startsOn' | 'endsOn' | 'status'>;

/**
 * What of a change lets a campaign take more, in words; empty if it is surely stricter
 * (docs/security/model.md#changes-of-controls). The rules are compared by `loosensRules`.
 */
export function loosenedIn(before: CampaignHold, after: CampaignHold): readonly string[] {
  return [
    ...(isMoreBudget(before, after) ? [`budget from ${budgetText(before)} to ${budgetText(after)}`] : []),
    ...(after.startsOn < before.startsOn || after.endsOn > before.endsOn
      ? [`flight from ${flightText(before)} to ${flightText(after)}`]
      : []),
    // A closed campaign takes no buys.
    ...(before.status === 'closed' && after.status !== 'closed'
      ? [`status from closed to ${after.status}`]
      : []),
  ];
}

/** The rules for buys that a campaign does not take, in words. */
export const rulesText = ({ aboveBudget, outsideFlight }: CampaignRules): string =>
  `${aboveBudget} above the budget and ${outsideFlight} outside the flight`;

function isMoreBudget(before: CampaignHold, after: CampaignHold): boolean {
  if (before.budgetMicros === undefined) return false;
  if (after.budgetMicros === undefined || after.currency !== before.currency) return true;
  return after.budgetMicros > before.budgetMicros;
}

const budgetText = ({ budgetMicros, currency }: CampaignHold): string =>
  budgetMicros === undefined ? 'none' : `${microsToDecimal(budgetMicros)} ${currency}`;

const flightText = ({ startsOn, endsOn }: CampaignHold): string => `${startsOn}..${endsOn}`;
