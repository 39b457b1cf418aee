import { campaignId } from './campaigns.js';
import { idOf, type Answer, type Answers } from './answers.js';
import type { PersonName } from './people.js';

type Need = Answer<'GET /v1/needs'>['needs'][number];

const trader: readonly Need[] = [
  {
    need_id: 'overspend',
    kind: 'overspend',
    loses: true,
    object: { kind: 'campaign', id: campaignId(1), name: 'Nova autumn launch' },
    title: 'Nova autumn launch will overspend',
    reason: 'Forecast 66,900 of 60,000 by 30 Nov. Lumen Streaming delivers 31% faster than planned.',
    amount: '6900',
    currency: 'USD',
    amount_is: 'over budget',
    act: 'lower_budgets',
  },
  {
    need_id: 'nowhere',
    kind: 'runs_to_nowhere',
    loses: true,
    object: { kind: 'media_buy', id: 'SY-2026-0399', name: 'Harvest weekends' },
    title: 'Harvest weekends: landing page is down',
    reason: 'harvest.example/weekends answers 503 since 07:12. Meridian Video goes on showing ads.',
    amount: '3900',
    currency: 'USD',
    amount_is: 'runs to nowhere',
    act: 'open_buy',
  },
  {
    need_id: 'silent',
    kind: 'silent',
    loses: false,
    object: { kind: 'seller', id: 'tortoise', name: 'Tortoise Outdoor' },
    title: 'Winter sun: no figures for 20 days',
    reason: 'Tortoise Outdoor has sent nothing since 6 Nov. 17,400 EUR of spend is unseen.',
    amount: '17400',
    currency: 'EUR',
    amount_is: 'not seen',
    act: 'open_seller',
  },
  {
    need_id: 'approve',
    kind: 'approve',
    loses: false,
    object: { kind: 'approval', id: idOf(3, 1), name: 'Kite Airways' },
    title: 'Approve: Kite Airways, 15,000 EUR at Tortoise Outdoor',
    reason: 'Asked by Omar Haddad 40 min ago. 6,600 over the November limit of the client.',
    amount: '15000',
    currency: 'EUR',
    amount_is: 'to approve',
    act: 'review',
  },
  {
    need_id: 'refused',
    kind: 'part_refused',
    loses: false,
    object: { kind: 'media_buy', id: 'SY-2026-0412', name: 'Online video, November' },
    title: 'Nova winter launch: Corvus Exchange refused its part',
    reason: 'It wants a creative of 300×250 or 728×90. The other sellers took theirs.',
    amount: '3000',
    currency: 'USD',
    amount_is: 'not placed',
    act: 'place_elsewhere',
  },
];

const finance: readonly Need[] = [
  {
    need_id: 'twice',
    kind: 'paid_twice',
    loses: true,
    object: { kind: 'break', id: idOf(3, 11), name: 'LS-2210-B' },
    title: 'Lumen Streaming billed 3,004.92 twice',
    reason: 'LS-2210-B has the same 4 lines as LS-2210. Suggested: dispute the second.',
    amount: '3004.92',
    currency: 'USD',
    amount_is: 'twice',
    act: 'decide',
  },
  {
    need_id: 'invoices',
    kind: 'overdue',
    loses: false,
    object: { kind: 'aging', id: '', name: 'Invoices' },
    title: '3 invoices are overdue',
    reason: 'Harbor Media, Kestrel News, Bluebird Audio. The oldest by 34 days.',
    amount: '12480',
    currency: 'USD',
    amount_is: 'overdue',
    act: 'pay',
  },
  {
    need_id: 'dispute',
    kind: 'difference',
    loses: false,
    object: { kind: 'dispute', id: idOf(3, 20), name: 'HM-2026-1042' },
    title: 'Harbor Media has not answered the dispute of 12 Nov',
    reason: 'Its answer was due on 24 Nov. Invoice HM-2026-1042 is not paid meanwhile.',
    amount: '856.30',
    currency: 'USD',
    amount_is: 'disputed',
    act: 'look',
  },
  {
    need_id: 'held',
    kind: 'held_report',
    loses: false,
    object: { kind: 'event', id: idOf(2, 1), name: 'Delivery report' },
    title: '2 reports would change October',
    reason: 'Meridian Video sent other figures for 30 and 31 Oct after its final report.',
    amount: '-65.40',
    currency: 'USD',
    amount_is: 'change',
    act: 'compare',
  },
  {
    need_id: 'run',
    kind: 'approve',
    loses: false,
    object: { kind: 'payment_run', id: idOf(3, 30), name: 'Payment run' },
    title: 'Approve the payment run of 27 Nov',
    reason: '11 invoices, made by Ines Vogel. One holds a disputed line and was left out.',
    amount: '46200',
    currency: 'USD',
    amount_is: 'to pay',
    act: 'review',
  },
  {
    need_id: 'month',
    kind: 'month',
    loses: false,
    object: { kind: 'month', id: '2026-10', name: 'October 2026' },
    title: 'October 2026 is not closed',
    reason: '4 of 7 steps are left.',
    due_on: '2026-11-30',
    act: 'close',
  },
];

const admin: readonly Need[] = [
  {
    need_id: 'silent',
    kind: 'seller_fails',
    loses: true,
    object: { kind: 'seller', id: 'tortoise', name: 'Tortoise Outdoor' },
    title: 'Tortoise Outdoor is silent for 20 days',
    reason: '2 buys run there, 20,900 EUR. Its address answers, its reports do not come.',
    amount: '20900',
    currency: 'EUR',
    amount_is: 'in 2 buys',
    act: 'open_seller',
  },
  {
    need_id: 'key',
    kind: 'key_ends',
    loses: false,
    object: { kind: 'credential', id: 'kestrel', name: 'Kestrel News' },
    title: 'The key of Kestrel News ends on 2 December',
    reason: 'After it reports are refused. The seller has published the next one.',
    due_on: '2026-12-02',
    act: 'renew',
  },
  {
    need_id: 'orbit',
    kind: 'first_seller',
    loses: false,
    object: { kind: 'seller', id: 'orbit-ads', name: 'Orbit Ads' },
    title: 'Let Orbit Ads go live',
    reason: '8 of 8 checks passed. Connected by Ines Vogel.',
    act: 'review',
  },
];

const notices: Answer<'GET /v1/notices'>['notices'] = (
  [
    ['Meridian Video took Nova winter, 14,000 USD', '2026-11-26T08:41:00Z', 'info', undefined],
    ['Fred Okafor closed September', '2026-11-26T08:20:00Z', 'info', undefined],
    ['212 delivery reports from 15 sellers', '2026-11-26T08:00:00Z', 'info', 'all applied'],
    ['2 late reports are held', '2026-11-26T06:02:00Z', 'warning', undefined],
    ['Creative “Nova 15s, autumn” approved by 3 of 3', '2026-11-25T19:30:00Z', 'info', undefined],
  ] as const
).map(([title, at, severity, text], index) => ({
  notice_id: idOf(2, 300 + index),
  kind: 'job.ended',
  severity,
  title,
  ...(text !== undefined && { text }),
  object: { kind: 'campaign', id: campaignId(4) },
  path: '/',
  facts: {},
  at,
}));

const counts: Readonly<Record<PersonName, Readonly<Record<string, string>>>> = {
  tina: { creatives: '1', campaigns: '14', plans: '2', sellers: '24' },
  fred: { breaks: '7', overdue: '3', events: '2', campaigns: '14', sellers: '24' },
  adam: { events: '2', sellers: '24' },
  pedal: { outgoing: '1' },
};

const told: Answer<'GET /v1/notices/settings'> = {
  email: 'fred@nova.example',
  mail_server: true,
  time_zone: 'Europe/Berlin',
  digest_hour: 8,
  kinds: [
    {
      kind: 'approval.requested',
      describe: 'A request waits for your approval',
      severity: 'warning',
      console: 'now',
      mail: 'now',
    },
  ],
};

const act: Answer<'GET /v1/me/acts/{id}'> = {
  act_id: idOf(2, 400),
  tool: 'hold_invoice',
  summary: 'Hold an invoice, so that it is not paid',
  arguments: { id: idOf(2, 401), reason: 'The seller billed twice.' },
  state: 'open',
  asked_by: 'finance-assistant',
  created_at: '2026-11-26T09:10:00.000Z',
  ends_at: '2026-11-26T10:10:00.000Z',
};

export const needAnswers = (who: PersonName): Answers => ({
  'GET /v1/needs': () => ({
    needs: { tina: trader, fred: finance, adam: admin, pedal: [] }[who],
    counts: counts[who],
    reporting_currency: 'USD',
  }),
  'GET /v1/notices': () => ({ notices, unread: 5 }),
  'POST /v1/notices/read': () => ({ changed: 5 }),
  'GET /v1/notices/settings': () => told,
  'POST /v1/notices/settings': () => told,
  'GET /v1/me/acts/{id}': ({ of }) => ({ ...act, act_id: of }),
  'POST /v1/me/acts/{id}/confirm': ({ of }) => ({ ...act, act_id: of, state: 'confirmed' }),
});
