import type { Campaign } from '@switchyard/buys';
import {
  campaignReactions,
  isInReach,
  loosensRules,
  reachOf,
  usualCampaignRules,
  type CampaignRules,
  type Organization,
} from '@switchyard/tenancy';
import type { Organizations } from '@switchyard/store';
import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

const reaction = z.enum(campaignReactions);

/** The rules of an organization as members of a request or an answer. */
export const ruleMembers = {
  above_budget: reaction.describe(
    'What a buy above the budget of its campaign does. warn: it is told and made. ask: another person approves it ' +
      'first. refuse: it is refused. Another person approves a weaker rule.',
  ),
  outside_flight: reaction.describe(
    'The same for a buy outside the flight of its campaign, or after its end.',
  ),
};

/** The rules of one campaign: null is the rule of the organization. */
export const ownRuleMembers = {
  above_budget: ruleMembers.above_budget.nullable().describe('As of the organization; null: its own rule.'),
  outside_flight: ruleMembers.outside_flight
    .nullable()
    .describe('As of the organization; null: its own rule.'),
};

interface RulesAsked {
  readonly above_budget?: CampaignRules['aboveBudget'] | null | undefined;
  readonly outside_flight?: CampaignRules['outsideFlight'] | null | undefined;
}

/** The rules of an organization after a request; undefined where it names none. */
export function rulesAfter(known: Organization, asked: RulesAsked): CampaignRules | undefined {
  const change = ownRules(asked);
  return Object.keys(change).length === 0 ? undefined : { ...rulesOf(known), ...change };
}

export const rulesOf = ({ campaignRules }: Organization): CampaignRules =>
  campaignRules ?? usualCampaignRules;

/** The rules of a campaign alone after a request. */
export const rulesOfCampaign = (
  { rules }: Pick<Campaign, 'rules'>,
  { above_budget: above, outside_flight: outside }: RulesAsked,
): Campaign['rules'] =>
  defined({
    aboveBudget: above === undefined ? rules.aboveBudget : (above ?? undefined),
    outsideFlight: outside === undefined ? rules.outsideFlight : (outside ?? undefined),
  });

/**
 * Whether a caller may give a new campaign these rules: weaker ones than those of the organization need `ledger.approve`
 * where the campaign is, so that whoever buys does not decide what stops a buy.
 */
export async function newCampaignRules(
  { organizations }: { readonly organizations: Pick<Organizations, 'byId'> },
  caller: PrincipalCaller,
  { id: campaignId, clientId, brandDomain, rules }: Campaign,
  asked: RulesAsked,
): Promise<Result<true, AdminFailure>> {
  const organization = await organizations.byId(caller.organizationId);
  const usual = organization === undefined ? usualCampaignRules : rulesOf(organization);
  if (!loosensRules(usual, { ...usual, ...rulesOfCampaign({ rules }, asked) })) return ok(true);
  const { ledger = [] } = caller.permissions;
  const place = { clientId, brandDomain, campaignId };
  const mayApprove = ledger.includes('approve') && isInReach(reachOf(caller, 'ledger', 'approve'), place);
  return mayApprove ? ok(true) : err(mayNot);
}

const ownRules = ({ above_budget: above, outside_flight: outside }: RulesAsked): Partial<CampaignRules> =>
  defined({ aboveBudget: above ?? undefined, outsideFlight: outside ?? undefined });

const mayNot: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'A new campaign with a weaker rule than its organization needs the permission ledger.approve.',
  field: 'above_budget',
  suggestion: 'Ask whoever approves spending, or set a stricter rule.',
};
