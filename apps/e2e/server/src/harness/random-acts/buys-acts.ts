import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '@switchyard/testing';
import { buyRequest, type Json } from '../buy-request.js';
import type { Actor, Bought, OrgModel } from './model.js';
import { brandOf, type Permission, type Place } from './rules.js';
import {
  anybody,
  NothingToDo,
  somebodyAt,
  somebodyWho,
  textIn,
  type Act,
  type ActKind,
  type Stage,
} from './stage.js';
import { sellers } from './world.js';

const freeBrands = ['free0.example', 'free1.example'];

/** Spellings of one domain: all mean the same brand. */
function spelled(domain: string, random: SeededRandom): string {
  const dice = random.next();
  if (dice < 0.75) return domain;
  return dice < 0.86 ? domain.toUpperCase() : dice < 0.98 ? `www.${domain}` : `${domain}.`;
}

const dayMs = 86_400_000;

const createBuy: ActKind = {
  name: 'create buy',
  weight: 22,
  draw: (stage, random, label) => {
    const actor = somebodyWho(stage, random, 'media_buys.write');
    const org = stage.orgOf(actor);
    const brands = [...new Set([...org.clientOfBrand.keys(), ...freeBrands])];
    const covered = brands.filter((domain) => org.mayBuyFor(actor.principalId, domain));
    const brand = random.pick(covered.length > 0 && random.next() < 0.8 ? covered : brands);
    const campaigns = org.campaignsOf(brand);
    const campaign = campaigns.length > 0 && random.next() < 0.6 ? org.labelIn(random.pick(campaigns)) : '';
    const many = random.pick([1, 1, 2, 3]);
    return {
      ...{ act: 'create buy', by: actor.label, as: label, brand: spelled(brand, random), campaign },
      sellers: many === 1 ? random.pick(sellers) : sellers.slice(0, many).join(' '),
      budget: random.pick([1, 2, 4, 8]) * 500,
      days: random.pick([0, 0, 3]),
      // Without creatives it does not begin, and its seller reports nothing, not even its end.
      creatives: random.next() < 0.75,
    };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const request = requestOf(stage, actor, org, act);
    const answer = await stage.task(actor, 'create_media_buy', request);
    if (!answer.isDone) return;
    const brand = textIn(act, 'brand');
    const campaignId = org.idIn(textIn(act, 'campaign')) || undefined;
    if (!org.mayBuyFor(actor.principalId, brand, campaignId))
      stage.violate('scope', `${actor.label} bought for ${brand}, which its scopes do not cover.`);
    if (actor.program?.areas.includes('buys') === false)
      stage.violate('program', `The program ${actor.label} bought without buys:write.`);
    const made = await madeBy(stage, org, actor, String(request['idempotency_key']));
    if (made !== undefined) {
      const label = textIn(act, 'as');
      const [at, begins] = [
        textIn(act, 'sellers').split(' '),
        act['creatives'] === true && act['days'] !== 0,
      ];
      org.buys.set(label, { ...made, label, by: actor, brand: brandOf(brand), sellers: at, begins });
    }
  },
};

function requestOf(stage: Stage, actor: Actor, org: OrgModel, act: Act): Json {
  const catalogue = stage.catalogueOf(actor);
  const packages = textIn(act, 'sellers')
    .split(' ')
    .map((seller) => {
      const offered = catalogue.packageOf(seller, { budget: act['budget'] });
      const { creatives, ...bare } = offered;
      if (act['creatives'] === false) return bare;
      const [creative] = creatives as readonly Json[];
      return { ...bare, creatives: [{ ...creative, creative_id: `cr_${randomUUID()}` }] };
    });
  const campaign = org.idIn(textIn(act, 'campaign'));
  const ours = campaign === '' ? {} : { switchyard: { campaign_id: campaign } };
  const past = Number(act['days']);
  const first = new Date(Date.now() - past * dayMs).toISOString().slice(0, 10);
  const practice = past === 0 ? {} : { practice: { first_day: first, days: past + 10 } };
  const brand = textIn(act, 'brand');
  return buyRequest(packages, {
    account: { brand: { domain: brand }, operator: org.domain },
    brand: { domain: brand },
    ext: { ...ours, ...practice },
  });
}

/** The buy of a request, by its key: the answer of a buy that waits has no id of it. */
async function madeBy(
  stage: Stage,
  org: OrgModel,
  actor: Actor,
  key: string,
): Promise<Pick<Bought, 'id'> | undefined> {
  const [row] = await stage.of.view.rows<{ readonly id: string }>(
    `select m.id from media_buy m join operation o on o.id = m.operation_id
     where m.organization_id = $1 and o.principal_id = $2 and right(o.idempotency_key, 36) = $3`,
    [org.id, actor.principalId, key],
  );
  return row;
}

/** Where a buy stands now. */
export async function placeOfBuy(stage: Stage, { id }: Bought): Promise<Place> {
  const [row] = await stage.of.view.rows<{
    readonly owner: string;
    readonly client: string | null;
    readonly brand: string | null;
    readonly campaign: string | null;
  }>(
    `select principal_id::text as owner, client_id::text as client, brand_domain as brand, campaign_id::text as campaign
     from media_buy where id = $1`,
    [id],
  );
  if (row === undefined) throw new NothingToDo();
  const brand = row.brand === null ? null : brandOf(row.brand);
  return { ownerId: row.owner, clientId: row.client, brand, campaignId: row.campaign };
}

export function boughtAs(stage: Stage, label: string): { readonly org: OrgModel; readonly buy: Bought } {
  for (const org of stage.of.world.orgs.values()) {
    const buy = org.buys.get(label);
    if (buy !== undefined) return { org, buy };
  }
  throw new NothingToDo();
}

/** A buy of one that fits, mostly a late one. */
export function drawBuy(
  stage: Stage,
  random: SeededRandom,
  fits: (buy: Bought, org: OrgModel) => boolean = () => true,
): { readonly org: OrgModel; readonly buy: Bought } | undefined {
  const org = random.pick([...stage.of.world.orgs.values()]);
  const all = [...org.buys.values()];
  const fitting = all.filter((buy) => fits(buy, org));
  const from = fitting.length > 0 && random.next() < 0.85 ? fitting : all;
  if (from.length === 0) return undefined;
  return { org, buy: random.pick(random.next() < 0.6 ? from.slice(-4) : from) };
}

/** A buy, and somebody who has the permission on it, mostly; sometimes somebody of elsewhere. */
export function drawBuyFor(
  stage: Stage,
  random: SeededRandom,
  permission: Permission,
  fits?: (buy: Bought, org: OrgModel) => boolean,
): { readonly by: string; readonly buy: string } | undefined {
  const drawn = drawBuy(stage, random, fits);
  if (drawn === undefined) return undefined;
  const { org, buy } = drawn;
  return { by: somebodyAt(stage, random, org, [permission, org.placeOf(buy)]).label, buy: buy.label };
}

const changeBuy = (
  name: string,
  weight: number,
  more: (random: SeededRandom) => Readonly<Record<string, string | number>>,
  members: (stage: Stage, act: Act, buy: Bought) => Promise<Json>,
  fits?: (buy: Bought) => boolean,
): ActKind => ({
  name,
  weight,
  draw: (stage, random) => {
    const drawn = drawBuyFor(stage, random, 'media_buys.write', fits);
    return drawn === undefined ? undefined : { act: name, ...drawn, ...more(random) };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const { org, buy } = boughtAs(stage, textIn(act, 'buy'));
    const place = await placeOfBuy(stage, buy);
    const answer = await stage.task(actor, 'update_media_buy', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: { brand: { domain: place.brand }, operator: org.domain },
      media_buy_id: buy.id,
      ...(await members(stage, act, buy)),
    });
    if (!answer.isDone) return;
    if (org !== stage.orgOf(actor))
      stage.violate('scope', `${actor.label} changed another organization’s buy.`);
    else stage.mustHave(actor, 'media_buys.write', place, name);
  },
});

const updateBuy = changeBuy(
  'update buy',
  9,
  (random) => ({ budget: random.pick([1, 2, 4, 8, 16]) * 500 }),
  async (stage, act, buy) => {
    const rows = await stage.of.view.rows<{ readonly id: string }>(
      `select seller || ':' || seller_package_id as id from buy_package
       where media_buy_id = $1 and seller_package_id is not null and canceled_at is null order by position limit 1`,
      [buy.id],
    );
    if (rows.length === 0) throw new NothingToDo();
    return { packages: rows.map(({ id }) => ({ package_id: id, budget: act['budget'] })) };
  },
);

const cancelBuy = changeBuy(
  'cancel buy',
  7,
  () => ({}),
  () => Promise.resolve({ canceled: true }),
  ({ begins }) => begins,
);

/** One request of a buy sent by two at the same moment: limits must take turns. */
const buyTwice: ActKind = {
  name: 'buy twice at once',
  weight: 3,
  draw: (stage, random, label) => {
    const one = createBuy.draw(stage, random, label);
    if (one === undefined) return undefined;
    const org = stage.orgOf(stage.actor(one.by));
    const other = anybody(stage, random);
    const second = stage.orgOf(other) === org ? other.label : one.by;
    return { ...one, act: 'buy twice at once', with: second };
  },
  play: async (stage, act) => {
    await Promise.all([
      createBuy.play(stage, act),
      createBuy.play(stage, { ...act, by: textIn(act, 'with'), as: `${textIn(act, 'as')}-too` }),
    ]);
  },
};

export const buyActs: readonly ActKind[] = [createBuy, updateBuy, cancelBuy, buyTwice];
