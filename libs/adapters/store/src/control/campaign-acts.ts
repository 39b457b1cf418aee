import { loosenedIn, rulesText, type Campaign } from '@switchyard/buys';
import { loosensRules, type CampaignRules } from '@switchyard/tenancy';
import { campaignsIn, saveCampaign } from '../campaigns/campaign-rows.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { freely, refused, type ActRules } from './control-act.js';
import { lockRow } from '../core/lock-row.js';
import { rowReader } from '../core/row-mapper.js';

/**
 * Weaker rules are asked for; a budget or flight that takes more, or to open it again, once something is committed or pending in the campaign.
 * Before that it is like a first limit.
 */
export const campaignSet: ActRules<'set_campaign'> = {
  judge: async (client, { campaign }, { requester }) => {
    const [before] = await campaignsIn(client, { kind: 'everything' }, { id: campaign.id, limit: 1 });
    if (before === undefined) return refused('NOT_FOUND', 'The campaign is gone.');
    const { id: campaignId, clientId, brandDomain, name } = before;
    const usual = await usualRules(client);
    const [held, next] = [before, campaign].map(({ rules }) => ({ ...usual, ...rules })) as [
      CampaignRules,
      CampaignRules,
    ];
    const isWeaker = loosensRules(held, next);
    const loosened = loosenedIn(before, campaign);
    const all = [...loosened, ...(isWeaker ? [`rules from ${rulesText(held)} to ${rulesText(next)}`] : [])];
    const { budgetMicros, currency } = campaign;
    // Who asked may be its owner, whose role reaches nothing else of the client.
    const owner = requester !== undefined && before.ownerId !== undefined && { principalId: before.ownerId };
    return {
      ...freely(`campaign ${name}`, { clientId, brandDomain, campaignId, ...owner }),
      asks: isWeaker || (loosened.length > 0 && (await isUsed(client, campaignId))),
      basedOn: [JSON.stringify(storedCampaign(before)), rulesText(held)],
      reason: `Lets the campaign ${name} take more: ${all.join('; ')}.`,
      ...(budgetMicros !== undefined && { amount: budgetMicros, currency }),
    };
  },
  apply: async (client, { campaign }, { at }) => {
    await saveCampaign(client, { ...campaign, updatedAt: at });
    return true;
  },
};

/** The rules of all campaigns that have none of their own. */
export const campaignRulesSet: ActRules<'set_campaign_rules'> = {
  judge: async (client, { rules }) => {
    const before = await usualRules(client);
    const [was, is] = [rulesText(before), rulesText(rules)];
    return {
      ...freely('rules of campaigns'),
      asks: loosensRules(before, rules),
      basedOn: was,
      reason: `Sets the rules of campaigns from ${was} to ${is}.`,
      before: was,
      after: is,
    };
  },
  apply: async ({ models, organizationId: id }, { rules }) => {
    const data = { above_budget: rules.aboveBudget, outside_flight: rules.outsideFlight };
    await models.organization.updateMany({ where: { id }, data });
    return true;
  },
};

async function usualRules(client: TenantClient): Promise<CampaignRules> {
  const columns = ['above_budget', 'outside_flight'] as const;
  const row = await lockRow(client, 'organization', { id: client.organizationId }, columns);
  if (row === undefined) throw new Error('The organization of a tenant is gone.');
  return rulesOf(row);
}

const rulesOf = rowReader<CampaignRules>()('above_budget, outside_flight');

type CampaignSet = Omit<Campaign, 'client' | 'owner'>;

/** A campaign in JSON, which has no numbers of the size of micros. */
export type StoredCampaign = Omit<CampaignSet, 'budgetMicros' | 'plan'> & {
  readonly budget?: string;
  readonly plan: Readonly<Record<string, string>>;
};

export const storedCampaign = ({ budgetMicros, plan, ...rest }: CampaignSet): StoredCampaign => ({
  ...rest,
  ...(budgetMicros !== undefined && { budget: budgetMicros.toString() }),
  plan: Object.fromEntries(Object.entries(plan).map(([month, micros]) => [month, micros.toString()])),
});

export const campaignOfStored = ({ budget, plan, ...rest }: StoredCampaign): CampaignSet => ({
  ...rest,
  ...(budget !== undefined && { budgetMicros: BigInt(budget) }),
  plan: Object.fromEntries(Object.entries(plan).map(([month, micros]) => [month, BigInt(micros)])),
});

/** Whether anything of its buys is committed or pending. */
async function isUsed({ models, organizationId }: TenantSession, campaignId: string): Promise<boolean> {
  const whole = { organization_id: organizationId, kind: 'campaign', key: campaignId, month: '' };
  const some = [{ pending_micros: { gt: 0 } }, { committed_micros: { gt: 0 } }];
  return (await models.spend_total.count({ where: { ...whole, OR: some } })) > 0;
}
