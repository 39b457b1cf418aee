import { daysOfSeller } from './admin.js';
import { idOf, type Answer, type Answers } from './answers.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];
type Figures = NonNullable<Seller['figures']>;

interface Known {
  readonly slug: string;
  readonly name: string;
  readonly sells: string;
  readonly median?: number;
  readonly slowest: number;
  readonly calls?: number;
  readonly failed?: number;
  readonly reason?: string;
  readonly state?: string;
  readonly breaker?: 'open';
  readonly afterHours?: number;
}

const known: readonly Known[] = [
  {
    slug: 'tortoise',
    name: 'Tortoise Outdoor',
    sells: 'sales',
    slowest: 9_900,
    calls: 1_210,
    failed: 749,
    breaker: 'open',
    reason: 'It has sent nothing since 6 November.',
    afterHours: 480,
  },
  {
    slug: 'signalhouse',
    name: 'Signal House',
    sells: 'signals',
    slowest: 380,
    calls: 840,
    failed: 59,
    state: 'failed',
    reason: 'Its answers break the protocol since 24 November.',
  },
  {
    slug: 'corvus',
    name: 'Corvus Exchange',
    sells: 'sales',
    slowest: 3_100,
    calls: 2_914,
    failed: 111,
    breaker: 'open',
    reason: 'It answers slowly since 20 November.',
    afterHours: 9,
  },
  {
    slug: 'harbor',
    name: 'Harbor Media',
    sells: 'sales',
    median: 95,
    slowest: 206,
    calls: 4_216,
    failed: 4,
    afterHours: 2,
  },
  {
    slug: 'meridian',
    name: 'Meridian Video',
    sells: 'sales',
    slowest: 340,
    calls: 3_890,
    failed: 16,
    afterHours: 1,
  },
  { slug: 'lumen', name: 'Lumen Streaming', sells: 'sales', slowest: 180, calls: 3_410, afterHours: 3 },
  {
    slug: 'fieldnotes',
    name: 'Fieldnotes Publishing',
    sells: 'sales',
    slowest: 260,
    calls: 2_204,
    failed: 4,
    afterHours: 5,
  },
  {
    slug: 'kestrel',
    name: 'Kestrel News',
    sells: 'sales',
    slowest: 190,
    calls: 1_930,
    failed: 2,
    afterHours: 4,
  },
  {
    slug: 'bluebird',
    name: 'Bluebird Audio',
    sells: 'sales',
    slowest: 220,
    calls: 1_240,
    failed: 7,
    afterHours: 6,
  },
  {
    slug: 'citybeat',
    name: 'City Beat Radio',
    sells: 'sales',
    slowest: 240,
    calls: 990,
    failed: 1,
    afterHours: 2,
  },
  ...[
    'Alder Audience',
    'Beacon Display',
    'Cobalt Video',
    'Delta Outdoor',
    'Ember Audio',
    'Foundry News',
    'Granite Sports',
    'Hollow Pictures',
    'Ivory Lifestyle',
    'Juniper Data',
    'Kiln Commerce',
    'Larch Travel',
    'Mosaic Mobile',
    'Nimbus Weather',
  ].map((name) => ({
    slug: name.toLowerCase().replace(' ', '-'),
    name,
    sells: /Audience|Data/.test(name) ? 'signals' : 'sales',
    slowest: 150 + name.length * 9,
    calls: 400 + name.length * 31,
    afterHours: 1 + (name.length % 6),
  })),
];

const since = '2026-10-27T00:00:00Z';

const figuresOf = ({ calls = 0, failed = 0, median, slowest, afterHours, slug }: Known): Figures => ({
  since,
  calls,
  failed,
  median_ms: median ?? Math.round(slowest * 0.45),
  slowest_ms: slowest,
  days: daysOfSeller(median ?? Math.round(slowest * 0.45), slowest, slug.length + 3, {
    slug,
    isFailing: failed * 4 > calls,
  }),
  events: { applied: Math.round(calls / 20) },
  ...(afterHours !== undefined && {
    last_event_at: new Date(Date.parse('2026-11-26T09:10:00Z') - afterHours * 3_600_000).toISOString(),
    reported_after: {
      median_minutes: Math.min(afterHours, 12) * 60,
      worst_minutes: Math.min(afterHours, 12) * 90,
    },
  }),
  restated: { days: slug === 'harbor' ? 2 : 0, net: [] },
  running: Math.round(calls / 300),
  delivered: calls === 0 ? [] : [{ currency: 'USD', amount: String(calls * 28) }],
});

const rowOf = (one: Known): Seller => ({
  slug: one.slug,
  name: one.name,
  agent_url: `https://agent.${one.slug}.example/mcp`,
  protocol: 'mcp',
  dialect: 'adcp',
  form: '3.1',
  kinds: [one.sells],
  state: one.state ?? 'live',
  ...(one.reason !== undefined && { reason: one.reason }),
  breaker: one.breaker ?? 'closed',
  report_webhooks: 'signed',
});

const isFailing = ({ breaker, state }: Known): boolean => breaker !== undefined || state !== undefined;

export const sellerAnswers: Answers = {
  'GET /v1/instance': () => ({
    version: '0.1.0',
    started_at: '2026-11-20T06:00:00Z',
    sellers_live: known.length - known.filter(isFailing).length - 1,
    sellers: known.length,
  }),
  'GET /v1/sellers': ({ query }) => ({
    sellers: known
      .filter((one) => !query.has('failing') || String(isFailing(one)) === query.get('failing'))
      .map((one) => ({ ...rowOf(one), ...(query.get('figures') === 'yes' && { figures: figuresOf(one) }) })),
  }),
  'GET /v1/sellers/{slug}': ({ of }) => {
    const one = known.find(({ slug }) => slug === of) ?? known[3]!;
    return {
      ...rowOf(one),
      drift: { asks: false, versions: [] },
      live_buys: { count: 6, media_buy_ids: [] },
      figures: figuresOf(one),
      credential: {
        credential_id: idOf(4, 1),
        version: 3,
        kind: 'oauth',
        scheme: 'bearer',
        seller: one.slug,
        kms_key_id: 'local',
        created_at: '2026-08-03T08:00:00Z',
        last_used_at: '2026-11-26T09:13:48Z',
        state: 'current',
        uses: 4_216,
        refusals: 0,
        says: 'The seller takes it.',
        can_rotate: true,
        seller_check: { ok: true },
      },
    };
  },
  'GET /v1/agreements': ({ query }) => ({
    agreements: [
      {
        ...{
          agreement_id: idOf(8, 1),
          seller: query.get('seller') ?? 'harbor',
          bills: 'net',
          commission: '15',
        },
        ...{ capped: true, fees: '5', first_month: '2026-01', reason: 'Frame contract 2026, page 3.' },
        ...{ set_by: 'Tina Berger', set_at: '2026-01-12T10:00:00.000Z' },
      },
    ],
  }),
  'GET /v1/contacts': ({ query }) => ({
    contacts: (['sales', 'billing'] as const).map((purpose, at) => ({
      contact_id: idOf(9, at + 1),
      seller: query.get('seller') ?? 'harbor',
      purpose,
      email: `${['ana', 'billing'][at]}@harbor.example`,
      set_by: 'Adam Lindqvist',
      created_at: '2026-08-03T08:00:00Z',
    })),
  }),
  'GET /v1/stops': () => ({ stops: [] }),
};
