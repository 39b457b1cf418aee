import { partsOf } from './exposure.js';
import type { ModelCampaign, OrgModel } from './model.js';
import { isWeaker, microsOf, reactions, type Permission, type Place, type Reaction } from './rules.js';
import {
  NothingToDo,
  somebodyWho,
  textIn,
  type Act,
  type ActKind,
  type Answered,
  type Stage,
} from './stage.js';

const days = ['2030-01-01', '2098-01-01', '2099-01-01'];

/** A campaign is made to take more or less: by its budget, its last day, or its own rule above budget. */
const changeCampaign: ActKind = {
  name: 'change campaign',
  weight: 4,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'clients.write');
    const org = stage.orgOf(actor);
    const drawn = random.pick([
      { budget: random.pick(['6000', '20000', '1000000']) },
      { to: random.pick(days) },
      { above_budget: random.pick(['', ...reactions]) },
    ]);
    const campaign = org.labelIn(random.pick([...org.campaigns.keys()]));
    return { act: 'change campaign', by: actor.label, campaign, ...drawn };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const id = org.idIn(textIn(act, 'campaign'));
    const before = org.campaigns.get(id);
    if (before === undefined) throw new NothingToDo();
    const { budget, to, above_budget: above } = act;
    const after: ModelCampaign = {
      ...before,
      ...(budget !== undefined && { budget: microsOf(String(budget)) }),
      ...(to !== undefined && { to: String(to) }),
    };
    const rule = above === '' ? null : above;
    const answer = await stage.request(actor, 'POST', `/v1/campaigns/${id}`, {
      ...(budget !== undefined && { budget }),
      ...(to !== undefined && { to }),
      ...(above !== undefined && { above_budget: rule }),
    });
    const wanted = above === undefined ? after : withRule(after, rule as Reaction | null);
    const takesMore = wanted.budget > before.budget || wanted.to > before.to;
    const place = { brand: before.brand, clientId: before.clientId, campaignId: id };
    const isLooser =
      isWeaker(wanted.above ?? org.above, before.above ?? org.above) ||
      (takesMore && (await isUsed(stage, org, id)));
    judgeLoosening(stage, act, answer, {
      ...{ needs: 'clients.write', place, isLooser },
      apply: () => void org.campaigns.set(id, wanted),
    });
  },
};

const withRule = ({ above: _above, ...rest }: ModelCampaign, rule: Reaction | null): ModelCampaign =>
  rule === null ? rest : { ...rest, above: rule };

/** The rule of campaigns that have none of their own. */
const setCampaignRules: ActKind = {
  name: 'set campaign rules',
  weight: 2,
  draw: (stage, random) => ({
    ...{ act: 'set campaign rules', by: somebodyWho(stage, random, 'principals.write').label },
    above: random.pick(reactions),
  }),
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const wanted = textIn(act, 'above') as Reaction;
    const answer = await stage.request(actor, 'POST', '/v1/organizations/own', { above_budget: wanted });
    judgeLoosening(stage, act, answer, {
      ...{ needs: 'principals.write', place: {}, isLooser: isWeaker(wanted, org.above) },
      apply: () => void (org.above = wanted),
    });
  },
};

/** What lets campaigns take more counts only when another person has approved it, or where there is no other. */
function judgeLoosening(
  stage: Stage,
  act: Act,
  answer: Answered,
  {
    needs,
    place,
    isLooser,
    apply,
  }: {
    readonly needs: Permission;
    readonly place: Place;
    readonly isLooser: boolean;
    readonly apply: () => void;
  },
): void {
  if (!answer.isDone) return;
  const actor = stage.actor(act.by);
  const org = stage.orgOf(actor);
  stage.mustBeNoProgram(actor, act.act);
  stage.mustHave(actor, needs, place, act.act);
  if (answer.status === 202) {
    const by = actor.principalId;
    org.waiting.set(String(answer.body['approval_id']), { by, decides: 'ledger.approve', apply });
    return;
  }
  if (!isLooser || org.needsNobody(actor.principalId, 'ledger.approve', place)) apply();
  else
    stage.violate('campaign loosened alone', `${actor.label} did ${act.act} alone: ${JSON.stringify(act)}`);
}

/** Whether anything of its buys may still be spent, or is. */
async function isUsed(stage: Stage, org: OrgModel, campaignId: string): Promise<boolean> {
  const parts = await partsOf(stage.of.view, org.id, new Map());
  return [...parts.values()].some((part) => part.campaignId === campaignId && part.agreed + part.booked > 0n);
}

export const campaignActs: readonly ActKind[] = [changeCampaign, setCampaignRules];
