import { amount, dayAfter, idOf, random, type Answer, type Answers } from './answers.js';

type Pace = Answer<'GET /v1/pacing'>['pacing'][number];
type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Buy = Answer<'GET /v1/buys/{id}'>;

const today = '2026-11-26';
const through = '2026-11-25';

interface Known {
  readonly at: number;
  readonly name: string;
  readonly client: string;
  readonly brand: string;
  readonly from: string;
  readonly to: string;
  readonly budget: number;
  readonly delivered: number;
  readonly booked: number;
  readonly forecast: number;
  readonly currency?: string;
  readonly through?: string;
  readonly alert?: readonly [code: string, message: string];
  readonly seed: number;
}

const known: readonly Known[] = [
  {
    at: 1,
    name: 'Nova autumn launch',
    client: 'Nova Foods',
    brand: 'nova.example',
    from: '2026-09-01',
    to: '2026-11-30',
    budget: 60_000,
    delivered: 52_140,
    booked: 64_000,
    forecast: 66_900,
    alert: ['will_overspend', 'The forecast is 66,900 USD, 6,900 above the budget.'],
    seed: 4,
  },
  {
    at: 3,
    name: 'Winter sun',
    client: 'Kite Airways',
    brand: 'kite.example',
    from: '2026-10-01',
    to: '2026-11-30',
    budget: 42_000,
    delivered: 20_917,
    booked: 38_300,
    forecast: 20_917,
    currency: 'EUR',
    through: '2026-11-05',
    alert: ['no_report_for_days', 'Tortoise Outdoor has sent no figures since 6 November.'],
    seed: 9,
  },
  {
    at: 2,
    name: 'City bikes autumn',
    client: 'Lakeside Bikes',
    brand: 'pedal.example',
    from: '2026-08-01',
    to: '2026-11-30',
    budget: 50_000,
    delivered: 41_218,
    booked: 46_400,
    forecast: 43_300,
    alert: ['behind', 'It is 14% behind what was planned by 25 November.'],
    seed: 7,
  },
  ...[
    [
      'Nova winter launch',
      'Nova Foods',
      'nova.example',
      '2026-11-14',
      '2026-11-30',
      38_000,
      16_065,
      38_000,
      37_400,
    ],
    [
      'Harvest weekends',
      'Harvest Hotels',
      'harvest.example',
      '2026-10-05',
      '2026-11-30',
      24_000,
      21_902,
      24_000,
      23_980,
    ],
    [
      'Kite spring fares',
      'Kite Airways',
      'kite.example',
      '2026-11-01',
      '2027-01-31',
      90_000,
      24_110,
      88_000,
      89_300,
    ],
    [
      'Lakeside service weeks',
      'Lakeside Bikes',
      'pedal.example',
      '2026-11-02',
      '2026-12-13',
      18_000,
      10_350,
      17_900,
      17_950,
    ],
    [
      'Nova breakfast',
      'Nova Foods',
      'nova.example',
      '2026-10-15',
      '2026-12-15',
      52_000,
      34_980,
      51_000,
      51_600,
    ],
    [
      'Harvest advent',
      'Harvest Hotels',
      'harvest.example',
      '2026-11-15',
      '2026-12-24',
      30_000,
      8_120,
      29_400,
      29_900,
    ],
    [
      'Orchard juices',
      'Nova Foods',
      'orchard.example',
      '2026-09-20',
      '2026-12-20',
      66_000,
      48_210,
      65_200,
      65_900,
    ],
    [
      'Kite business',
      'Kite Airways',
      'kite.example',
      '2026-11-01',
      '2026-12-31',
      70_000,
      28_340,
      69_000,
      69_500,
    ],
    [
      'Lakeside kids',
      'Lakeside Bikes',
      'pedal.example',
      '2026-10-20',
      '2026-12-20',
      28_000,
      16_900,
      27_300,
      27_800,
    ],
    [
      'Harvest spa',
      'Harvest Hotels',
      'harvest.example',
      '2026-11-05',
      '2026-12-31',
      34_000,
      12_400,
      33_000,
      33_700,
    ],
    [
      'Orchard gifts',
      'Nova Foods',
      'orchard.example',
      '2026-11-10',
      '2026-12-24',
      46_000,
      15_900,
      45_000,
      45_600,
    ],
  ].map(([name, client, brand, from, to, budget, delivered, booked, forecast], at): Known => ({
    at: at + 4,
    ...({ name, client, brand, from, to, budget, delivered, booked, forecast } as Omit<Known, 'at' | 'seed'>),
    seed: at + 20,
  })),
];

export const clientId = (client: string): string => idOf(5, client.length);
export const campaignId = (at: number): string => idOf(6, at);
const count = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/** The plan and the delivery of each day. What was delivered by its last day with figures adds up to the whole cent. */
function daysOf(one: Known): NonNullable<Pace['days']> {
  const next = random(one.seed);
  const all = count(one.from, one.to);
  const last = one.through ?? through;
  const done = Math.max(1, Math.min(all, count(one.from, last)));
  const slows = one.at === 2 ? 0.78 : 1;
  const weights = Array.from(
    { length: done },
    (_, at) =>
      (0.94 + next() * 0.12) *
      (1 + 0.12 * Math.sin((at + one.seed) / 9)) *
      (one.at === 1 ? 0.8 + (0.5 * at) / done : 1) *
      (at / done > 0.75 ? slows : 1),
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  const plan = one.budget / all;
  return Array.from({ length: all }, (_, at) => ({
    day: dayAfter(one.from, at),
    planned: amount(plan),
    delivered: at < done ? amount((one.delivered * weights[at]!) / sum) : '0',
  }));
}

export const paceOf = (one: Known): Pace => {
  const last = one.through ?? through;
  const all = count(one.from, one.to);
  const planned = (one.budget * count(one.from, last)) / all;
  const isNear = one.alert === undefined;
  return {
    campaign_id: campaignId(one.at),
    campaign: one.name,
    client: one.client,
    brand: one.brand,
    currency: one.currency ?? 'USD',
    starts_on: one.from,
    ends_on: one.to,
    through: last,
    planned: amount(one.budget),
    committed: amount(one.booked),
    pending: '0',
    delivered: amount(one.delivered),
    forecast: amount(one.forecast),
    alerts: one.alert === undefined ? [] : [{ code: one.alert[0], message: one.alert[1] }],
    planned_through: amount(isNear ? one.delivered * 1.01 : planned),
    delivered_through: amount(one.delivered),
    difference_percent:
      one.at === 2 ? '-14' : isNear ? '-1' : ((100 * (one.delivered - planned)) / planned).toFixed(1),
    days: daysOf(one),
  };
};

const campaignOf = (one: Known): Campaign => ({
  campaign_id: campaignId(one.at),
  name: one.name,
  client: one.client,
  client_id: clientId(one.client),
  brand: one.brand,
  wire_brand_id: null,
  status: 'active',
  budget: amount(one.budget),
  currency: one.currency ?? 'USD',
  plan: {},
  from: one.from,
  to: one.to,
  reference: null,
  po_number: one.at === 2 ? 'LB-2291' : null,
  insertion_order: null,
  estimate: null,
  above_budget: null,
  outside_flight: null,
  owner: 'Tina Ferrara',
  owner_id: idOf(1, 1),
  created_at: `${one.from}T08:00:00Z`,
  updated_at: `${one.from}T08:00:00Z`,
});

interface BuyLine {
  readonly seller: string;
  readonly product: string;
  readonly ordered: number;
  readonly delivered: number;
  readonly impressions: number;
  readonly status: string;
  readonly reason?: string;
}

interface KnownBuy {
  readonly id: string;
  readonly name: string;
  readonly campaign: number;
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly lines: readonly BuyLine[];
}

const line = (
  seller: string,
  product: string,
  ordered: number,
  delivered: number,
  impressions: number,
  status = 'active',
  reason?: string,
): BuyLine => ({
  seller,
  product,
  ordered,
  delivered,
  impressions,
  status,
  ...(reason !== undefined && { reason }),
});

const buys: readonly KnownBuy[] = [
  {
    id: 'SY-2026-0412',
    name: 'Online video, November',
    campaign: 4,
    from: '2026-11-14',
    to: '2026-11-30',
    status: 'active',
    lines: [
      line('harbor', 'Online video, riders', 12_000, 7_410, 399_440),
      line('meridian', 'Connected TV, active', 14_000, 8_655, 357_640),
      line('fieldnotes', 'Outdoor living, video', 9_000, 0, 0, 'pending_creatives'),
      line('corvus', 'Motoring, display', 3_000, 0, 0, 'failed', 'a package needs a creative'),
    ],
  },
  ...(
    [
      ['SY-2026-0388', 'Online video, riders', 'harbor', 9_000, 7_820, 421_560],
      ['SY-2026-0389', 'Online video, cities', 'harbor', 9_000, 7_000, 377_360],
      ['SY-2026-0371', 'Connected TV, autumn', 'meridian', 14_000, 13_960, 576_860],
      ['SY-2026-0391', 'Outdoor living, video', 'fieldnotes', 11_400, 9_840, 697_870],
      ['SY-2026-0402', 'Motoring, display', 'corvus', 3_000, 2_598, 536_780],
    ] as const
  ).map(([id, name, seller, ordered, delivered, impressions]): KnownBuy => ({
    id,
    name,
    campaign: 2,
    from: '2026-08-01',
    to: '2026-11-30',
    status: seller === 'corvus' ? 'pending_creatives' : 'active',
    lines: [
      line(
        seller,
        name,
        ordered,
        delivered,
        impressions,
        seller === 'corvus' ? 'pending_creatives' : 'active',
      ),
    ],
  })),
];

const campaignAt = (at: number): Known => known.find((one) => one.at === at)!;

function buyOf(buy: KnownBuy): Buy {
  const campaign = campaignAt(buy.campaign);
  const total = buy.lines.reduce((sum, { ordered }) => sum + ordered, 0);
  const refused = buy.lines.filter(({ status }) => status === 'failed');
  const operation = idOf(7, Number(buy.id.slice(-4)));
  const ordered = `${buy.from}T09:31:00Z`;
  return {
    media_buy_id: buy.id,
    operation_id: operation,
    buyer_ref: buy.name,
    status: buy.status,
    currency: 'USD',
    total_budget: amount(total),
    current_total_budget: amount(total),
    not_placed: amount(refused.reduce((sum, one) => sum + one.ordered, 0)),
    start_time: `${buy.from}T00:00:00Z`,
    end_time: `${dayAfter(buy.to, 1)}T00:00:00Z`,
    created_at: ordered,
    client: campaign.client,
    client_id: clientId(campaign.client),
    brand: campaign.brand,
    brand_name: campaign.client.split(' ')[0] ?? null,
    campaign: campaign.name,
    campaign_id: campaignId(campaign.at),
    account: 'northlight',
    created_by: 'Tina Ferrara',
    created_by_id: idOf(1, 1),
    sellers: buy.lines.map(({ seller, status }) => ({
      seller,
      status: status === 'failed' ? 'rejected' : status,
      account: 'Northlight / house',
      has_taken_it: status !== 'failed',
    })),
    impairments: [],
    revision: 2,
    changes:
      buy.lines.length < 2
        ? []
        : [
            {
              revision: 2,
              at: '2026-11-18T10:14:00Z',
              seller: 'meridian',
              actor: idOf(1, 1),
              by: 'Tina Ferrara',
              action: 'update_packages',
              package_id: 'line-2',
              detail: { budget: '14000' },
              operation_id: operation,
            },
          ],
    task_id: operation,
    task_status: 'completed',
    legs: buy.lines.map(({ seller, status, reason }, at) => ({
      leg_id: idOf(8, Number(buy.id.slice(-4)) * 10 + at),
      seller,
      task: 'create_media_buy',
      operation_id: operation,
      requested_at: ordered,
      task_status: status === 'failed' ? 'failed' : 'completed',
      ...(status !== 'failed' && {
        status,
        seller_media_buy_id: `${seller.slice(0, 2)}-${buy.id.slice(-4)}`,
      }),
      ...(reason !== undefined && { reason, code: 'CREATIVE_REQUIRED' }),
      elapsed_ms: 400,
    })),
    packages: buy.lines.map((one, at) => ({
      package_id: `line-${at + 1}`,
      seller: one.seller,
      buyer_ref: one.product,
      product_id: `${one.seller}:${one.product.toLowerCase().replaceAll(/\W+/g, '_')}`,
      pricing_option_id: 'cpm',
      budget: amount(one.ordered),
      current_budget: amount(one.ordered),
      quoted_terms: null,
      cancellation_cost: null,
      terms: {},
      spend: amount(one.delivered),
      impressions: one.impressions,
    })),
  };
}

const listed = (buy: KnownBuy): Answer<'GET /v1/buys'>['media_buys'][number] => {
  const {
    revision: _r,
    changes: _c,
    task_id: _t,
    task_status: _s,
    legs: _l,
    packages: _p,
    ...row
  } = buyOf(buy);
  return row;
};

const buyPace = (buy: KnownBuy): Pace => {
  const sum = (pick: (one: BuyLine) => number): number => buy.lines.reduce((all, one) => all + pick(one), 0);
  const campaign = campaignAt(buy.campaign);
  const own: Known = {
    ...campaign,
    from: buy.from,
    to: buy.to,
    budget: sum(({ ordered }) => ordered),
    booked: sum(({ ordered }) => ordered),
    delivered: sum(({ delivered }) => delivered),
    forecast: buy.lines.length > 1 ? 22_700 : sum(({ delivered }) => delivered) * 1.05,
    seed: Number(buy.id.slice(-4)),
  };
  const { campaign_id: _id, campaign: _name, ...row } = paceOf(own);
  return {
    ...row,
    media_buy_id: buy.id,
    alerts: [],
    impressions: sum(({ impressions }) => impressions),
  };
};

/** What one seller would not spend goes to one that would spend more. */
const move: NonNullable<Answer<'GET /v1/campaigns/{id}/advice'>['advice']> = {
  advice_id: 'move-1700',
  kind: 'move',
  currency: 'USD',
  amount: '1700',
  left: '0',
  changes: [
    {
      media_buy_id: 'SY-2026-0389',
      package_id: 'harbor:p1',
      product_id: 'harbor:online-video-cities',
      seller: 'harbor',
      budget: '9000',
      new_budget: '7300',
      why: 'unspent',
      fact: '1742.5',
    },
    {
      media_buy_id: 'SY-2026-0371',
      package_id: 'meridian:p1',
      product_id: 'meridian:connected-tv',
      seller: 'meridian',
      budget: '14000',
      new_budget: '15700',
      why: 'room',
      fact: '5200',
    },
  ],
};

export const campaignAnswers: Answers = {
  'GET /v1/pacing': ({ query }) => {
    const wanted = query.get('campaign_id');
    if (query.get('by') === 'buy')
      return {
        date: today,
        pacing: buys
          .filter(({ campaign }) => wanted === null || campaignId(campaign) === wanted)
          .filter(({ id }) => (query.get('media_buy_id') ?? id) === id)
          .map(buyPace),
      };
    return {
      date: today,
      pacing: known
        .filter(({ at }) => wanted === null || campaignId(at) === wanted)
        .map((one) => {
          const own = buys.filter(({ campaign }) => campaign === one.at).flatMap(({ lines }) => lines);
          const impressions = own.reduce((sum, line) => sum + line.impressions, 0);
          return { ...paceOf(one), ...(wanted !== null && { impressions }) };
        }),
    };
  },
  'GET /v1/campaigns': () => ({ campaigns: known.map(campaignOf) }),
  'GET /v1/campaigns/{id}': ({ of }) =>
    campaignOf(known.find(({ at }) => campaignId(at) === of) ?? known[0]!),
  'GET /v1/campaigns/{id}/pause': ({ of }) => ({
    running: buys
      .filter((buy) => campaignId(buy.campaign) === of)
      .map((buy) => {
        const { media_buy_id, sellers, currency, current_total_budget: budget } = buyOf(buy);
        const delivered = buy.lines.reduce((sum, one) => sum + one.delivered, 0);
        return {
          media_buy_id,
          sellers: sellers.map(({ seller }) => seller),
          currency,
          left: amount(Number(budget) - delivered),
          buyer_ref: buy.name,
        };
      }),
    paused: [],
  }),
  'GET /v1/campaigns/{id}/advice': ({ of }) => ({
    advice: of === campaignId(2) ? move : null,
  }),
  'GET /v1/notes': ({ query }) => ({
    notes: [
      [
        'Tina Ferrara',
        'The client moves the last week to January. Ask for the new PO first.',
        '2026-11-25T15:20:00Z',
      ],
      ['Omar Haddad', 'Corvus wants a 300×250; the studio sends one on Monday.', '2026-11-24T10:02:00Z'],
      ['Tina Ferrara', 'Harbor slows down since 29 October. They look at it.', '2026-11-03T09:41:00Z'],
    ].map(([author = '', text = '', at = ''], number) => ({
      note_id: idOf(8, number + 1),
      campaign_id: query.get('campaign_id') ?? '',
      campaign: 'City bikes autumn',
      text,
      written_by: author,
      written_by_id: idOf(1, author === 'Tina Ferrara' ? 1 : 5),
      created_at: at,
      changed_at: null,
    })),
  }),
  'GET /v1/practice/clock': () => ({ clock: null }),
  'GET /v1/campaigns/{id}/rules': () => ({ rules: [] }),
  'GET /v1/clients': () => ({
    clients: ['Lakeside Bikes', 'Nova Foods', 'Kite Airways', 'Harvest Hotels'].map((name) => ({
      client_id: clientId(name),
      name,
      status: 'active',
      codes: {},
      sellers: null,
      created_at: '2026-08-03T08:00:00Z',
      updated_at: '2026-08-03T08:00:00Z',
    })),
  }),
  'GET /v1/brands': () => ({
    brands: [...new Set(known.map(({ brand }) => brand))].map((domain, at) => {
      const { client } = known.find(({ brand }) => brand === domain)!;
      return {
        brand_id: idOf(9, at),
        client_id: clientId(client),
        client,
        domain,
        wire_brand_id: null,
        name: domain.slice(0, 1).toUpperCase() + domain.slice(1).replace('.example', ''),
        created_at: '2026-08-03T08:00:00Z',
        updated_at: '2026-08-03T08:00:00Z',
      };
    }),
  }),
  'GET /v1/buys': ({ query }) => {
    const wanted = query.get('campaign');
    return {
      media_buys: buys
        .filter(({ campaign }) => wanted === null || campaignId(campaign) === wanted)
        .map(listed),
    };
  },
  'GET /v1/buys/{id}': ({ of }) => buyOf(buys.find(({ id }) => id === of) ?? buys[0]!),
  'GET /v1/events': ({ query }) => eventsOf(query),
  'GET /v1/approvals': () => ({ approvals: [] }),
  'GET /v1/orders': ({ query }) => ordersOf(query.get('media_buy_id')),
};

/** The insertion orders of a buy: one for its first seller, changed once. */
function ordersOf(id: string | null): Answer<'GET /v1/orders'> {
  const known = buys.find((one) => one.id === id);
  if (known === undefined) return { orders: [] };
  const { media_buy_id, campaign, client, currency, sellers, total_budget: total } = buyOf(known);
  const own = {
    ...{
      number: 'IO-00012',
      media_buy_id,
      seller: sellers[0]?.seller ?? '',
      currency,
      total,
      made_by: 'Tina Berger',
    },
    ...{
      ...(campaign !== null && { campaign }),
      ...(client !== null && { client }),
      digest: 'b94d27b9'.repeat(8),
    },
  };
  return {
    orders: [
      {
        ...{ ...own, insertion_order_id: idOf(7, 2), version: 2, made_at: '2026-11-18T10:12:00.000Z' },
        changes: ['Home page: budget 1700, before 1480.'],
      },
      {
        ...own,
        insertion_order_id: idOf(7, 1),
        version: 1,
        made_at: '2026-11-02T09:00:00.000Z',
        changes: [],
      },
    ],
  };
}

type Event = Answer<'GET /v1/events'>['events'][number];

/** What sellers sent about a buy: a report of each day and line. */
function eventsOf(query: URLSearchParams): Answer<'GET /v1/events'> {
  const of = query.get('media_buy_id');
  const events: Event[] = [];
  if (of !== null)
    for (let hour = 0; hour < 96; hour += 1) {
      const seller = hour % 2 === 0 ? 'harbor' : 'meridian';
      const at = new Date(Date.parse('2026-11-26T09:00:00Z') - hour * 3_600_000).toISOString();
      events.push({
        event_id: idOf(2, 500 + hour),
        seller,
        kind: 'delivery_report',
        state: 'applied',
        sender: `https://agent.${seller}.example/mcp`,
        received_at: at,
        applied_at: at,
        copies: 0,
        client: 'Nova Foods',
        client_id: clientId('Nova Foods'),
        brand: 'nova.example',
        brand_name: 'Nova',
        campaign: 'Nova winter launch',
        campaign_id: campaignId(4),
      });
    }
  if (query.get('state') === 'quarantined') events.push(...heldReports);
  return { received: 0, applied: events.length, quarantined: 2, counted_newest: events.length, events };
}

export const heldReports: readonly Event[] = [30, 31].map((day, at) => ({
  event_id: idOf(2, 1 + at),
  seller: 'meridian',
  kind: 'delivery_report',
  state: 'quarantined',
  reason: 'late_report',
  explanation: 'It changes a month whose final figures were sent.',
  sender: 'https://agent.meridian.example/mcp',
  operation_id: idOf(7, 371),
  received_at: '2026-11-26T06:02:00Z',
  copies: 0,
  client: 'Nova Foods',
  client_id: clientId('Nova Foods'),
  brand: 'nova.example',
  brand_name: 'Nova',
  campaign: `Nova autumn launch`,
  campaign_id: campaignId(1),
  account: `${day} October`,
}));
