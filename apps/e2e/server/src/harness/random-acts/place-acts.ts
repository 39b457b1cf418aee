import { boughtAs, drawBuy, placeOfBuy } from './buys-acts.js';
import { NothingToDo, somebodyAt, somebodyWho, textIn, type ActKind } from './stage.js';

/** Moves a buy into a campaign, or out of the one it is in. */
const moveBuy: ActKind = {
  name: 'move buy',
  weight: 9,
  draw: (stage, random) => {
    const drawn = drawBuy(stage, random, ({ brand }, { clientOfBrand }) => clientOfBrand.has(brand));
    if (drawn === undefined) return undefined;
    const { org, buy } = drawn;
    const fitting = org.campaignsOf(buy.brand);
    const all = fitting.length > 0 && random.next() < 0.85 ? fitting : [...org.campaigns.keys()];
    const campaignId = random.pick(all);
    const target = { ...org.campaigns.get(campaignId), campaignId };
    const needed = [['media_buys.write', org.placeOf(buy)] as const, ['clients.write', target] as const];
    const [by, to] = [somebodyAt(stage, random, org, ...needed).label, org.labelIn(campaignId)];
    return { act: 'move buy', by, buy: buy.label, to, out: random.next() < 0.15 };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const { org, buy } = boughtAs(stage, textIn(act, 'buy'));
    const place = await placeOfBuy(stage, buy);
    const to = stage.orgOf(actor).idIn(textIn(act, 'to'));
    stage.isApprovedByOther = org.needsNobody(actor.principalId, 'media_buys.approve', place);
    const verb = act['out'] === true ? 'unassign' : 'assign';
    const answer = await stage.request(actor, 'POST', `/v1/campaigns/${to}/${verb}`, {
      media_buy_id: buy.id,
    });
    if (!answer.isDone) return;
    if (org !== stage.orgOf(actor)) return stage.violate('scope', `${actor.label} moved a buy of others.`);
    stage.mustHave(actor, 'media_buys.write', place, act.act);
    const campaign = org.campaigns.get(to);
    stage.mustHave(actor, 'clients.write', { ...campaign, campaignId: to }, act.act);
    if (answer.status === 202)
      org.waiting.set(String(answer.body['approval_id']), {
        by: actor.principalId,
        decides: 'media_buys.approve',
        apply: () => undefined,
      });
  },
};

/** Enters a brand into a client: its buys follow. */
const enterBrand: ActKind = {
  name: 'enter brand',
  weight: 3,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'clients.write');
    const org = stage.orgOf(actor);
    const clients = [...new Set(org.clientOfBrand.values())];
    const domain = random.pick(['free0.example', 'free1.example', 'www.free1.example']);
    return { act: 'enter brand', by: actor.label, domain, client: org.labelIn(random.pick(clients)) };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const [domain, clientId] = [textIn(act, 'domain'), org.idIn(textIn(act, 'client'))];
    if (![...org.clientOfBrand.values()].includes(clientId)) throw new NothingToDo();
    stage.isApprovedByOther = org.needsNobody(actor.principalId, 'media_buys.approve', { clientId });
    const answer = await stage.request(actor, 'POST', '/v1/brands', { domain, client_id: clientId });
    if (!answer.isDone) return;
    const brand = domain.replace(/^www\./, '');
    const apply = (): void => void org.clientOfBrand.set(brand, clientId);
    const isNew = org.clientOfBrand.get(brand) === undefined;
    if (isNew) stage.mustHave(actor, 'clients.write', { brand }, act.act);
    if (answer.status === 202)
      org.waiting.set(String(answer.body['approval_id']), {
        by: actor.principalId,
        decides: 'media_buys.approve',
        apply,
      });
    else apply();
  },
};

export const placeActs: readonly ActKind[] = [moveBuy, enterBrand];
