import { clientId, heldReports } from './campaigns.js';
import { dayAfter, idOf, random, type Answer, type Answers } from './answers.js';

type Principal = Answer<'GET /v1/principals'>['principals'][number];
type Act = Answer<'GET /v1/audit'>['events'][number];
type Call = Answer<'GET /v1/custody'>['records'][number];

const person = (
  at: number,
  name: string,
  roles: readonly string[],
  scopes: readonly string[],
  minutesAgo: number,
  signIn: NonNullable<Principal['sign_in']> = 'passkey',
): Principal => ({
  principal_id: idOf(1, at),
  name,
  email: `${name.split(' ')[0]!.toLowerCase()}@${name === 'Jo Park' ? 'lakeside' : 'northlight'}.example`,
  sign_in: signIn,
  kind: 'person',
  permissions: {},
  grants: roles.flatMap((role) => scopes.map((scope) => ({ role, scope }))),
  transitional: false,
  legacy: false,
  created_at: '2026-08-03T08:00:00Z',
  tokens: [
    {
      token_id: idOf(2, at),
      scheme: 'session',
      label: 'Browser',
      created_at: '2026-11-26T06:00:00Z',
      expires_at: '2026-11-26T18:00:00Z',
      last_used_at: new Date(Date.parse('2026-11-26T09:14:00Z') - minutesAgo * 60_000).toISOString(),
    },
  ],
  identities: [],
});

function service(...of: Parameters<typeof person>): Principal {
  const { email: _none, sign_in: _way, ...row } = person(...of);
  return { ...row, kind: 'service' };
}

const all = ['organization'];
const client = (name: string): string => `client:${clientId(name)}`;

const principals: readonly Principal[] = [
  person(1, 'Tina Ferrara', ['trader'], [client('Lakeside Bikes'), client('Nova Foods')], 0),
  person(5, 'Omar Haddad', ['trader'], [client('Kite Airways')], 40),
  person(2, 'Fred Okafor', ['finance'], all, 12),
  person(6, 'Ines Vogel', ['finance'], all, 1_000, 'code'),
  person(7, 'Maya Ortiz', ['admin', 'finance'], all, 120, 'provider'),
  person(3, 'Adam Lindqvist', ['admin'], all, 0),
  person(8, 'Jo Park', ['viewer'], [client('Lakeside Bikes')], 4_320, 'password'),
  service(9, 'Warehouse export', ['viewer'], all, 300),
];

const act = (at: string, actor: string, action: string, name: string): Act => ({
  event_id: idOf(2, Date.parse(at) % 1_000_000),
  kind: 'act',
  at,
  actor,
  action,
  object_kind: 'principal',
  object_name: name,
  outcome: 'ok',
});

const call = (at: string, task: string, code: string | null, outcome: string, tookMs = 240): Call => ({
  record_id: idOf(2, Date.parse(at) % 1_000_000),
  principal_id: idOf(1, 4),
  seller: 'harbor',
  way: 'relay',
  task,
  outcome,
  code,
  delegation_id: idOf(3, 1),
  operation_id: null,
  body_hash: null,
  arrived_at: at,
  ended_at: new Date(Date.parse(at) + tookMs).toISOString(),
  in_chain: code === null,
  client: 'Lakeside Bikes',
  client_id: clientId('Lakeside Bikes'),
  brand: 'pedal.example',
  brand_name: 'Pedal',
  campaign: null,
  campaign_id: null,
});

/** The answer times of 30 days, of which one was slow. */
export function daysOfSeller(
  median: number,
  slowest: number,
  seed: number,
  { slug, isFailing }: { readonly slug: string; readonly isFailing: boolean },
) {
  const next = random(seed);
  return Array.from({ length: 30 }, (_, at) => {
    const isHarbor = slug === 'harbor';
    const isSlow = isHarbor && at === 20 ? 1.85 : isHarbor && (at === 19 || at === 21) ? 1.3 : 1;
    // It was as fast as others until a week ago.
    const share = slug === 'corvus' && at < 23 ? 0.35 : slug === 'tortoise' && at < 10 ? 0.2 : 1;
    const calls = 120 + Math.round(next() * 40);
    return {
      day: dayAfter('2026-10-28', at),
      calls,
      failed:
        (isFailing && at > 9) || (slug === 'signalhouse' && at > 27)
          ? Math.round(calls * 0.7)
          : (slug === 'meridian' && at === 21) ||
              (slug === 'fieldnotes' && at === 8) ||
              (slug === 'bluebird' && at === 3)
            ? 8
            : 0,
      median_ms: Math.round(median * share * (0.95 + next() * 0.1) * (isSlow > 1 ? (isSlow + 1) / 2 : 1)),
      slowest_ms: Math.round(slowest * share * (0.95 + next() * 0.1) * isSlow),
    };
  });
}

const step = (name: string, seen: string) => ({ step: name, name, ok: true, seen });

export const adminAnswers: Answers = {
  'GET /v1/principals': ({ query }) => ({
    principals: principals.filter(({ name }) => (query.get('principal') ?? name) === name),
  }),
  'GET /v1/roles': () => ({
    roles: [
      {
        role: 'trader',
        built_in: true,
        permissions: {
          products: ['read'],
          media_buys: ['read', 'write', 'delete', 'approve'],
          creatives: ['read', 'write'],
          reports: ['read'],
          sellers: ['read'],
          clients: ['read', 'write'],
        },
      },
      {
        role: 'finance',
        built_in: true,
        permissions: {
          products: ['read'],
          media_buys: ['read', 'approve'],
          ledger: ['read', 'write', 'approve'],
          reports: ['read'],
          sellers: ['read'],
          clients: ['read'],
        },
      },
      {
        role: 'admin',
        built_in: true,
        permissions: {
          media_buys: ['read', 'approve'],
          sellers: ['read', 'write', 'delete', 'approve'],
          principals: ['read', 'write', 'delete', 'approve'],
          ledger: ['read', 'approve'],
          keys: ['read', 'write'],
          clients: ['read', 'write', 'delete'],
        },
      },
      {
        role: 'viewer',
        built_in: true,
        permissions: { products: ['read'], creatives: ['read'], clients: ['read'] },
      },
    ],
  }),
  'GET /v1/teams': () => ({ teams: [] }),
  'GET /v1/grants': () => ({ grants: [] }),
  'GET /v1/invitations': () => ({
    invitations: [
      {
        invitation_id: idOf(2, 77),
        email: 'lena@northlight.example',
        role: 'trader',
        scope: client('Harvest Hotels'),
        state: 'open',
        created_at: '2026-11-25T15:02:00Z',
        expires_at: '2026-12-02T15:02:00Z',
      },
    ],
  }),
  'GET /v1/audit': () => ({
    events: [
      act('2026-11-25T16:20:00Z', 'Maya Ortiz', 'grant_role', 'Fred Okafor'),
      act('2026-11-25T15:02:00Z', 'Adam Lindqvist', 'invite_person', 'lena@northlight.example'),
      act('2026-11-24T10:11:00Z', 'Adam Lindqvist', 'renew_token', 'Warehouse export'),
    ],
  }),
  'GET /v1/alarms': () => ({ alarms: [] }),
  'GET /v1/limits': () => ({ limits: [] }),
  'GET /v1/credentials': ({ query }) => ({
    credentials: [
      {
        credential_id: idOf(4, 1),
        version: 3,
        kind: 'oauth',
        scheme: 'bearer',
        seller: query.get('seller') ?? 'kestrel',
        kms_key_id: 'local',
        created_at: '2026-08-03T08:00:00Z',
        last_used_at: '2026-11-26T09:13:48Z',
        ...(query.has('retires_before') && { retires_at: '2026-12-02T00:00:00Z' }),
        state: 'current',
        uses: 4_216,
        refusals: 0,
        says: 'The seller takes it.',
        can_rotate: true,
      },
      ...(query.has('seller')
        ? [
            {
              credential_id: idOf(4, 2),
              version: 1,
              kind: 'signing_key_of_the_seller',
              scheme: 'jwk',
              seller: query.get('seller') ?? '',
              kms_key_id: 'local',
              created_at: '2026-10-12T08:00:00Z',
              last_used_at: '2026-11-26T09:00:00Z',
              retires_at: '2027-04-12T00:00:00Z',
              state: 'current' as const,
              uses: 211,
              refusals: 0,
              says: 'The seller takes it.',
              can_rotate: false,
            },
          ]
        : []),
    ],
  }),
  'GET /v1/sellers/drafts': () => ({
    drafts: [
      {
        slug: 'orbit-ads',
        agent_url: 'https://agent.orbitads.example/mcp',
        input: 'dailyorbit.example',
        state: 'needs_person',
        next: 'Another person lets it go live.',
        updated_at: '2026-11-26T08:40:00Z',
      },
      {
        slug: 'globe-audio',
        agent_url: 'https://agent.globeaudio.example/mcp',
        input: 'globeaudio.example',
        state: 'waiting',
        next: 'It waits for its sign-in page.',
        updated_at: '2026-11-25T17:02:00Z',
      },
    ],
  }),
  'GET /v1/sellers/{slug}/accounts': () => ({
    accounts: [
      { account_id: 'nl-lakeside', name: 'Northlight / Lakeside', client: 'Lakeside Bikes' },
      { account_id: 'nl-house', name: 'Northlight / house', client: '' },
    ].map(({ account_id, name, client: used }) => ({
      account_id,
      name,
      status: 'active' as const,
      billing: 'operator',
      payment_terms: 'USD, 30 days',
      sandbox: false,
      clients: used === '' ? [] : [{ client_id: clientId(used), client: used }],
      is_default: used === '',
      first_seen: '2026-08-03T08:00:00Z',
      last_seen: '2026-11-26T06:00:00Z',
    })),
  }),
  'GET /v1/ledger/spend': () => ({
    spend: [
      { seller: 'harbor', account: 'nl-lakeside', currency: 'USD', spend: '74100' },
      { seller: 'harbor', account: 'nl-house', currency: 'USD', spend: '44300' },
    ],
  }),
  'GET /v1/sellers/{slug}/checks': ({ of }) => ({
    slug: of,
    state: 'live',
    checks: [
      ...(
        [
          ['address', 'Public, over HTTPS, in 41 ms.'],
          ['authorise', 'Signed in as Northlight Media.'],
          ['accounts', 'Northlight / Lakeside is there.'],
          ['capabilities', '14 tasks, version 3.1.'],
          ['read.mcp', '27 products, 27 with a price.'],
          ['webhook', 'Signed, after 1.8 s.'],
          ['live', 'Since 3 August 2026.'],
        ] as const
      ).map(([key, words]) => ({ key, state: 'passed' as const, code: 'ok', words })),
      ...(
        [
          'source',
          'reach.mcp',
          'reach.a2a',
          'metadata',
          'keys',
          'read.a2a',
          'buy',
          'report',
          'approve',
        ] as const
      ).map((key) => ({ key, state: 'skipped' as const, code: 'skipped', words: 'Not needed.' })),
    ],
  }),
  'GET /v1/custody': () => ({
    records: [
      call('2026-11-26T09:14:02Z', 'create_media_buy', null, 'answered', 212),
      call('2026-11-26T09:13:40Z', 'get_products', null, 'answered', 2_100),
      call('2026-11-26T08:51:10Z', 'create_media_buy', 'CONTENT_DIGEST_MISSING', 'refused', 4),
      call('2026-11-26T08:50:57Z', 'list_creatives', 'NOT_DELEGATED', 'refused', 2),
      ...Array.from({ length: 36 }, (_, at) =>
        call(
          new Date(Date.parse('2026-11-26T08:40:00Z') - at * 600_000).toISOString(),
          'get_products',
          null,
          'answered',
        ),
      ),
    ],
  }),
  'GET /v1/delegations': () => ({
    delegations: [
      {
        delegation_id: idOf(3, 1),
        principal_id: idOf(1, 4),
        seller: 'harbor',
        tasks: ['get_products', 'create_media_buy', 'update_media_buy', 'get_media_buy_delivery'],
        state: 'active',
        granted_at: '2026-08-03T08:00:00Z',
        granted_by: 'Adam Lindqvist',
        until: '2027-01-31T00:00:00Z',
        budget: '50000',
        currency: 'USD',
        committed: '31200',
        evidence: null,
        revoked_at: null,
      },
    ],
  }),
  'GET /v1/outgoing-events': () => ({
    events: [
      {
        event_id: idOf(2, 90),
        kind: 'report',
        state: 'waiting',
        reason: 'hooks.pedal.example answered 503 at 08:58.',
        attempts: 4,
        next_attempt_at: '2026-11-26T09:28:00Z',
        created_at: '2026-11-26T08:40:00Z',
        url: 'https://hooks.pedal.example/in',
        idempotency_key: idOf(2, 91),
        operation_id: idOf(7, 1),
        principal_id: idOf(1, 4),
        principal: 'Pedal agent',
        client: null,
        client_id: null,
        brand: 'pedal.example',
        brand_name: 'Pedal',
        campaign: null,
        campaign_id: null,
      },
    ],
  }),
  'GET /v1/events/{id}/effect': ({ of }) => ({
    event_id: of,
    outcome: 'applied',
    problems: [],
    changes: [
      {
        media_buy_id: 'SY-2026-0371',
        seller: 'meridian',
        package_id: 'Connected TV, active',
        period_start: '2026-10-30T00:00:00Z',
        period_end: '2026-10-31T00:00:00Z',
        currency: 'USD',
        now: {
          spend: '482.1',
          impressions: '19921',
          clicks: '31',
          notification_type: 'final',
          is_final: true,
        },
        in_report: {
          ...{ spend: '448.3', impressions: '18525', clicks: '29' },
          ...{ notification_type: 'adjusted', is_final: true },
        },
      },
    ],
    books: [
      {
        media_buy_id: 'SY-2026-0371',
        seller: 'meridian',
        month: '2026-10',
        currency: 'USD',
        before: '13904.22',
        after: '13870.42',
      },
    ],
  }),
  'GET /v1/events/{id}': () => ({
    ...heldReports[0]!,
    explanation:
      'The report is genuine, but late. Meridian Video sent its final figures for October on 3 November.',
    keyid: 'mv-2026-2',
    body_sha256: '9f2c1f0e6a1b0f7c4d2e8b9a5c3d1e0f9f2c1f0e6a1b0f7c4d2e8b9a5c3d1e0f',
    body_bytes: 878,
    duplicates: [],
    steps: [
      step('Signed by the seller', 'key mv-2026-2, pinned 12 October'),
      step('Not changed on the way', 'the digest of 878 bytes fits'),
      step('Sent just now', '1 s old'),
      step('Not seen before', 'its number is new'),
      step('Belongs to an order of ours', 'SY-2026-0371, line 1'),
    ],
  }),
};
