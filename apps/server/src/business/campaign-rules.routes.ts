import type { CampaignRule } from '@switchyard/buys';
import { err, isoOf, isUuid, ok } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { CampaignsDeps } from './campaigns.routes.js';
import { noCampaign } from './campaign-in.js';
import { campaignIn } from './campaign-in.js';
import { reading, writing } from './clients.routes.js';
import { brandName, instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

const view = z.strictObject({
  rule_id: z.string(),
  campaign_id: z.string(),
  brand: z.string().nullable(),
  reference_start: z.string().nullable(),
  created_at: instant,
});

const route = routesOn<CampaignsDeps>();

/** Rules that assign buys to a campaign when the request names none. */
export const campaignRuleRoutes = [
  route({
    method: 'get',
    path: '/v1/campaigns/{id}/rules',
    id: 'list_campaign_rules',
    summary: 'The rules of a campaign, a thousand at most',
    needs: 'clients.read',
    answer: z.strictObject({ rules: z.array(view) }),
    handle: async (deps, { caller, params }) => {
      const campaign = await campaignIn(deps, caller, reading(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      const rules = await deps.clients.rules(caller, campaign.id);
      return ok({ rules: rules.map(viewOf) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/rules',
    id: 'add_campaign_rule',
    summary: 'Assign buys to a campaign by brand, or by the beginning of their reference',
    needs: 'clients.write',
    byPerson: true,
    body: z
      .strictObject({
        brand: brandName.exactOptional(),
        reference_start: z.string().min(1).max(200).exactOptional(),
      })
      .refine((rule) => rule.brand !== undefined || rule.reference_start !== undefined, {
        error: 'needs a brand, a reference_start, or both',
        path: ['brand'],
      }),
    answer: view,
    status: 201,
    handle: async (deps, { caller, params, body }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      if (body.brand !== undefined && body.brand !== campaign.brandDomain)
        return err({ code: 'CONFLICT', message: 'The campaign is for another brand.', field: 'brand' });
      const rule: CampaignRule = {
        id: deps.newId(),
        campaignId: campaign.id,
        createdAt: deps.clock.now(),
        ...(body.brand === undefined ? {} : { brandDomain: body.brand }),
        ...(body.reference_start === undefined ? {} : { referenceStart: body.reference_start }),
      };
      const stored = await deps.clients.addRule({ organizationId: caller.organizationId }, rule);
      return stored === 'stored' ? ok(viewOf(rule)) : err(taken);
    },
  }),
  route({
    method: 'delete',
    path: '/v1/campaigns/{id}/rules/{rule}',
    id: 'remove_campaign_rule',
    summary: 'Remove a rule; buys that it assigned stay in the campaign',
    needs: 'clients.write',
    byPerson: true,
    answer: z.strictObject({ rule_id: z.string() }),
    handle: async (deps, { caller, params }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      const scope = { organizationId: caller.organizationId };
      const removed = isUuid(params.rule) && (await deps.clients.removeRule(scope, campaign.id, params.rule));
      return removed ? ok({ rule_id: params.rule }) : err(noRule);
    },
  }),
];

function viewOf({ id, campaignId, brandDomain: brand, referenceStart, createdAt }: CampaignRule) {
  return {
    rule_id: id,
    campaign_id: campaignId,
    brand: brand ?? null,
    reference_start: referenceStart ?? null,
    created_at: isoOf(createdAt),
  };
}

const taken: AdminFailure = {
  code: 'CONFLICT',
  message: 'A rule for this brand and reference already exists.',
  suggestion: 'Remove that rule first, or give a longer reference.',
};
const noRule: AdminFailure = { code: 'NOT_FOUND', message: 'The campaign has no such rule.', field: 'rule' };
