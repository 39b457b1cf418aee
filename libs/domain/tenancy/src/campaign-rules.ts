/** What happens to a buy that its campaign does not take: it is told, asked about, or refused. */
export const campaignReactions = ['warn', 'ask', 'refuse'] as const;
export type CampaignReaction = (typeof campaignReactions)[number];

/** The rules of an organization for its campaigns, or of one campaign (docs/protocol/media-buys.md#campaigns). */
export interface CampaignRules {
  /** For money above the budget of the campaign. */
  readonly aboveBudget: CampaignReaction;
  /** For days outside the flight of the campaign, and after its end. */
  readonly outsideFlight: CampaignReaction;
}

export const usualCampaignRules: CampaignRules = { aboveBudget: 'ask', outsideFlight: 'ask' };

/** Whether one of the rules becomes weaker: `refuse` to `ask` or `warn`, or `ask` to `warn`. */
export function loosensRules(before: CampaignRules, after: CampaignRules): boolean {
  const isWeaker = (rule: keyof CampaignRules): boolean =>
    campaignReactions.indexOf(after[rule]) < campaignReactions.indexOf(before[rule]);
  return isWeaker('aboveBudget') || isWeaker('outsideFlight');
}
