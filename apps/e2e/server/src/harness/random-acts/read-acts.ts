import { list } from '../buy-request.js';
import { boughtAs, drawBuy, placeOfBuy } from './buys-acts.js';
import type { Permission, Place } from './rules.js';
import { anybody, textIn, type ActKind, type Answered, type Stage } from './stage.js';

/** Reads of one buy: path or task, and the permission that it needs. */
const readsOfBuy: Readonly<
  Record<string, readonly [Permission, (stage: Stage, by: string, id: string) => Promise<Answered>]>
> = {
  'the buy': ['media_buys.read', (stage, by, id) => stage.request(stage.actor(by), 'GET', `/v1/buys/${id}`)],
  'its entries': [
    'ledger.read',
    (stage, by, id) => stage.request(stage.actor(by), 'GET', `/v1/ledger/entries/${id}`),
  ],
  'its state': [
    'media_buys.read',
    (stage, by, id) =>
      stage.task(stage.actor(by), 'get_media_buys', { adcp_version: '3.1', media_buy_ids: [id] }),
  ],
  'its delivery': [
    'reports.read',
    (stage, by, id) =>
      stage.task(stage.actor(by), 'get_media_buy_delivery', { adcp_version: '3.1', media_buy_ids: [id] }),
  ],
};

const readBuy: ActKind = {
  name: 'read buy',
  weight: 9,
  draw: (stage, random) => {
    const drawn = drawBuy(stage, random);
    const what = random.pick(Object.keys(readsOfBuy));
    return drawn && { act: 'read buy', by: anybody(stage, random).label, buy: drawn.buy.label, what };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const { org, buy } = boughtAs(stage, textIn(act, 'buy'));
    const [permission, read] = readsOfBuy[textIn(act, 'what')] ?? [];
    if (permission === undefined || read === undefined) return;
    const place = await placeOfBuy(stage, buy);
    const answer = await read(stage, act.by, buy.id);
    const shows = list(answer.body['media_buys']).length + list(answer.body['media_buy_deliveries']).length;
    const isTask = textIn(act, 'what') === 'its state' || textIn(act, 'what') === 'its delivery';
    if (!answer.isDone || (isTask && shows === 0)) return;
    if (org !== stage.orgOf(actor) || !org.may(actor.principalId, permission, place))
      stage.violate(
        'scope',
        `${act.by} read ${textIn(act, 'what')} of ${textIn(act, 'buy')} out of its scope.`,
      );
  },
};

/** Lists, the member with their rows, and where each row says that it stands. */
const lists: Readonly<Record<string, readonly [Permission, string, string]>> = {
  buys: ['media_buys.read', '/v1/buys', 'buys'],
  campaigns: ['clients.read', '/v1/campaigns', 'campaigns'],
  clients: ['clients.read', '/v1/clients', 'clients'],
  brands: ['clients.read', '/v1/brands', 'brands'],
  limits: ['ledger.read', '/v1/limits', 'limits'],
};

const readList: ActKind = {
  name: 'read list',
  weight: 5,
  draw: (stage, random) => ({
    ...{ act: 'read list', by: anybody(stage, random).label, of: random.pick(Object.keys(lists)) },
  }),
  play: async (stage, act) => {
    const [permission, path, member] = lists[textIn(act, 'of')] ?? [];
    if (permission === undefined || path === undefined || member === undefined) return;
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const answer = await stage.request(actor, 'GET', path);
    if (!answer.isDone) return;
    for (const row of list(answer.body[member])) {
      const place = placeOfRow(textIn(act, 'of'), row);
      if (place !== undefined && !org.may(actor.principalId, permission, place))
        stage.violate(
          'scope',
          `${act.by} saw in ${path}, out of its scope: ${JSON.stringify(row).slice(0, 400)}`,
        );
    }
    const others = [...stage.of.world.orgs.values()].filter((other) => other !== org);
    for (const name of others.flatMap((other) => [
      ...other.campaigns.keys(),
      ...other.clientOfBrand.values(),
    ]))
      if (answer.text.includes(name))
        stage.violate('scope', `${act.by} saw ${name} of another organization in ${path}.`);
  },
};

type Row = Readonly<Record<string, unknown>>;

/** Where a row stands; undefined where the rule of its list has more to it than one place. */
function placeOfRow(of: string, row: Row): Place | undefined {
  const text = (member: string): string | null => (typeof row[member] === 'string' ? row[member] : null);
  const place = { clientId: text('client_id'), brand: text('brand'), campaignId: text('campaign_id') };
  switch (of) {
    case 'buys':
      return { ...place, ownerId: text('created_by_id') };
    case 'campaigns':
      return { ...place, ownerId: text('owner_id') };
    default:
      return undefined;
  }
}

export const readActs: readonly ActKind[] = [readBuy, readList];
