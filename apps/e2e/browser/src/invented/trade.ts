import { campaignId } from './campaigns.js';
import { amount, dayAfter, idOf, random, type Answer, type Answers } from './answers.js';

type Plan = Answer<'GET /v1/plans/{id}'>;
type PlanLine = Plan['content']['lines'][number];

const planLine = (
  seller: string,
  name: string,
  price: string,
  month: string,
  formats: readonly string[],
  isAuction = false,
): PlanLine => ({
  product_id: `${seller}:${name.toLowerCase().replaceAll(/\W+/g, '_')}`,
  pricing_option_id: 'cpm',
  name,
  seller,
  price,
  model: 'cpm',
  currency: 'USD',
  minimum: '1000',
  formats,
  budget: amount(Number(month) * 2),
  bid: isAuction ? price : '',
  months: { '2026-12': month, '2027-01': month },
  is_auction: isAuction,
});

const plan: Plan = {
  plan_id: idOf(4, 6),
  name: 'City bikes, winter push',
  state: 'draft',
  brand: 'pedal.example',
  campaign_id: campaignId(2),
  campaign: 'City bikes autumn',
  client: 'Lakeside Bikes',
  totals: { USD: '38000' },
  sellers: ['harbor', 'meridian', 'fieldnotes', 'corvus'],
  lines: 4,
  shared: false,
  version: 3,
  refused_in: null,
  media_buy_id: null,
  made_by: 'Tina Ferrara',
  made_by_id: idOf(1, 1),
  changed_by: 'Tina Ferrara',
  created_at: '2026-11-26T08:40:00Z',
  updated_at: '2026-11-26T09:12:00Z',
  content: {
    start: '2026-12-01',
    end: '2027-01-31',
    by_month: true,
    lines: [
      planLine('harbor', 'Riders, online video', '18.55', '6000', ['video_15s', 'video_30s']),
      planLine('meridian', 'Connected TV, active', '24.20', '7000', ['video_15s']),
      planLine('fieldnotes', 'Outdoor living, video', '14.10', '4500', ['video_15s', 'video_30s']),
      planLine('corvus', 'Motoring, display', '2.50', '1500', ['display_300x250'], true),
    ],
  },
};

const { content: _content, ...planRow } = plan;

const check: Answer<'POST /v1/buys/dry-run'> = {
  outcome: 'refused',
  currency: 'USD',
  total: '38000',
  client: 'Lakeside Bikes',
  client_id: null,
  brand: 'pedal.example',
  brand_name: 'Pedal',
  campaign: 'City bikes autumn',
  campaign_id: campaignId(2),
  approval_reason: null,
  sellers: [
    ...['harbor', 'meridian', 'fieldnotes'].map((seller) => ({
      seller,
      total: '12000',
      ok: true,
      problems: [],
      findings: [],
    })),
    {
      seller: 'corvus',
      total: '3000',
      ok: false,
      problems: [{ code: 'CREATIVE_REQUIRED', message: 'It needs a creative of 300×250 or 728×90.' }],
      findings: [],
    },
  ],
  problems: [],
  findings: [],
  limits: [
    {
      for: `campaign_budget:${campaignId(2)}`,
      currency: 'USD',
      per: null,
      above: 'refuse',
      exceeded: true,
      limit: '50000',
      left: '3600',
      requested: '38000',
      left_after: '-34400',
    },
    {
      for: `campaign_flight:${campaignId(2)}`,
      currency: 'USD',
      per: null,
      above: 'refuse',
      exceeded: true,
      limit: null,
      left: null,
      requested: null,
      left_after: null,
    },
    {
      for: 'client:Lakeside Bikes',
      currency: 'USD',
      per: 'month',
      above: 'ask',
      exceeded: false,
      limit: '20000',
      left: '20000',
      requested: '19000',
      left_after: '1000',
    },
  ],
};

interface Offered {
  readonly seller: string;
  readonly name: string;
  readonly channel: string;
  readonly price: number;
  readonly isAuction?: boolean;
  readonly reason: string;
  readonly formats: string;
  /** ISO 3166-1; the United States if absent. */
  readonly country?: string;
}

const first: readonly Offered[] = [
  [
    'harbor',
    'Riders and commuters, online video',
    'olv',
    18.55,
    false,
    'Cycling and commuting pages',
    '15s, 30s',
  ],
  ['meridian', 'Connected TV, active households', 'ctv', 24.2, false, 'Sports and outdoors apps', '15s, 30s'],
  ['fieldnotes', 'Outdoor living, video', 'olv', 14.1, true, 'Outdoor section only', '15s'],
  [
    'citybeat',
    'City Beat Radio, morning drive',
    'streaming_audio',
    9.8,
    false,
    'Commuters; you asked for video',
    '30s',
  ],
  ['lumen', 'Motoring, in-stream', 'olv', 12.4, true, 'Car readers, partly your audience', '15s'],
].map(([seller, name, channel, price, isAuction, reason, formats]) => ({
  ...({ seller, name, channel, price, isAuction, reason, formats } as Offered),
}));

/** 31 offers of eight sellers, the first five as the design names them. */
function offers(): readonly object[] {
  const next = random(11);
  const places = ['bluebird', 'kestrel', 'corvus', 'harbor', 'meridian', 'lumen', 'fieldnotes', 'harbor'];
  const topics = [
    ['Weekend news', 'olv'],
    ['Travel guides', 'olv'],
    ['Morning podcasts', 'streaming_audio'],
    ['City maps', 'display'],
    ['Fitness', 'ctv'],
    ['Family evenings', 'ctv'],
    ['Weather', 'display'],
    ['Cooking', 'olv'],
  ] as const;
  const others = Array.from({ length: 26 }, (_, at): Offered => ({
    seller: places[at % places.length]!,
    name: `${topics[at % topics.length]![0]}, ${at + 1}`,
    channel: topics[at % topics.length]![1],
    price: Math.round((11 + next() * 19) * 100) / 100,
    isAuction: at % 3 === 0,
    reason: 'Readers in Canada',
    formats: '15s',
    country: 'CA',
  }));
  return [...first, ...others].map((one, at) => ({
    product_id: `${one.seller}:p${at}`,
    name: one.name,
    description: one.reason,
    brief_relevance: one.reason,
    channels: [one.channel],
    countries: [one.country ?? 'US'],
    delivery_type: one.isAuction === true ? 'non_guaranteed' : 'guaranteed',
    format_ids: one.formats.split(', ').map((id) => ({ id })),
    pricing_options: [
      {
        pricing_option_id: 'cpm',
        pricing_model: 'cpm',
        currency: 'USD',
        ...(one.isAuction === true ? { floor_price: one.price } : { fixed_price: one.price }),
        min_spend_per_package: 1_000,
      },
    ],
    ext: { switchyard: { seller: one.seller } },
  }));
}

const asked = ['harbor', 'meridian', 'fieldnotes', 'citybeat', 'lumen', 'bluebird', 'kestrel', 'corvus'];

/** The stream of an answer while one seller is awaited: a line and the offers of each that has answered. */
function offerStream(): string {
  const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const rows = [
    ...asked.map((seller, at) => ({
      seller,
      status: 'answered',
      reason: 'It has answered.',
      elapsed_ms: 600 + at * 210,
      total: 10,
    })),
    {
      seller: 'signalhouse',
      status: 'failed',
      reason: 'Its answer breaks the protocol',
      elapsed_ms: 380,
      total: 10,
    },
  ];
  return [
    event('asked', { sellers: [...asked, 'tortoise', 'signalhouse'] }),
    event('products', { products: offers() }),
    ...rows.map((row) => event('seller', row)),
  ].join('');
}

const creative = (at: number, name: string, sellers: readonly string[]): object => ({
  creative_id: `cr_${at}`,
  name,
  status: 'approved',
  format_id: { id: name.includes('30s') ? '30s' : '15s' },
  assets: { video: { asset_type: 'image', url: `{origin}/creative-files/${at}.svg` } },
  ext: { switchyard: { sellers: sellers.map((seller) => ({ seller, status: 'approved' })) } },
});

/** What was delivered on each day of a buy at two sellers. */
const delivery = (): object => {
  const next = random(5);
  const weights = Array.from({ length: 12 }, (_, at) => 0.8 + next() * 0.3 + at / 40);
  const sum = weights.reduce((a, b) => a + b, 0);
  return {
    status: 'completed',
    delivery: { spend: 16_065 },
    timeseries: weights.map((weight, at) => ({
      start: `${dayAfter('2026-11-14', at)}T00:00:00Z`,
      spend: Number(((16_065 * weight) / sum).toFixed(2)),
    })),
  };
};

export const tradeAnswers: Answers = {
  'GET /v1/plans': () => ({
    plans: [planRow, { ...planRow, plan_id: idOf(4, 7), name: 'Nova winter, radio', lines: 2 }],
  }),
  'GET /v1/plans/{id}': () => plan,
  'POST /v1/plans/{id}': () => plan,
  'POST /v1/buys/dry-run': () => check,
  'POST /v1/tasks/get_products': () => offerStream() as never,
  'POST /v1/tasks/list_creatives': () => ({
    status: 'completed',
    creatives: [
      creative(1, 'Commute 15s', ['harbor', 'meridian', 'fieldnotes']),
      creative(2, 'Commute 30s', ['meridian']),
      creative(3, 'Bridge 15s', []),
    ],
  }),
  'POST /v1/tasks/get_media_buy_delivery': () => delivery(),
  'GET /v1/search': () => ({
    results: [
      {
        kind: 'campaign',
        id: campaignId(2),
        name: 'City bikes autumn',
        matched: 'name',
        client: { client_id: '', name: 'Lakeside Bikes' },
      },
      { kind: 'seller', id: 'citybeat', name: 'City Beat Radio', matched: 'name' },
      { kind: 'invoice', id: idOf(4, 42), name: 'HM-2026-1188', matched: 'City bikes' },
    ],
  }),
};
