/** One agent of the market: its protocol, its products and its behavior. */
export interface Personality {
  readonly slug: string;
  readonly name: string;
  readonly character: string;
  /** `rights` and `governance` agents sell nothing: they own what others use, and take it back or change it. */
  readonly kind: 'sales' | 'signals' | 'rights' | 'governance';
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: 'ads' | 'adcp';
  readonly form: 'service' | '3.0' | '3.1';
  readonly currency: 'USD' | 'EUR';
  readonly channels: readonly ('display' | 'olv' | 'ctv' | 'streaming_audio')[];
  /**
   * `fixed`: a price per thousand. `auction`: a floor, the package must bid. `both`: one of them, as the buyer likes,
   * except of what is guaranteed, which has a price alone.
   */
  readonly pricing: 'fixed' | 'auction' | 'both';
  /**
   * Whether it proposes a plan for a brief: a `draft` that must be finalized; `committed` at once, with an insertion
   * order to accept; or one that is sold only in `parts`, because it accepts no proposal by name.
   */
  readonly proposes: 'none' | 'draft' | 'committed' | 'parts';
  /** Milliseconds before it answers a task. */
  readonly latencyMs: number;
  /** Whether a repeated idempotency key replays the first answer. In the `service` form the `buyer_ref` is the key. */
  readonly idempotent: boolean;
  /** `at-once`; `human`: `submitted`, then by webhook; `pending`: a buy and a task at once, the task ends by webhook. */
  readonly approval: 'at-once' | 'human' | 'pending';
  /** Whether a change of a buy is applied at once, or after a person has reviewed it. */
  readonly changes: 'at-once' | 'human';
  /** Whether it counters the terms of packages, and later pauses and withdraws some by itself. */
  readonly haggles: boolean;
  /** Whether it finds products for a brief at once, or, for who can be told, `submitted` and then by webhook. */
  readonly searches: 'at-once' | 'later';
  /** Whether creatives may or have to say where they come from; `unknown`: it has no rule of that. */
  readonly provenance: 'unknown' | 'welcome' | 'required';
  /** Whether it counts how many of its impressions were seen. */
  readonly countsViews: boolean;
  /** Whether buyers declare accounts, whose subscribers it notifies. */
  readonly keepsAccounts: boolean;
  /** Buys of this total or more need a purchase order number, requested as `input-required`. Major units. */
  readonly asksFrom?: number;
  /** Signals agents: whether an activated signal is live in the answer or later. */
  readonly activation: 'at-once' | 'later';
  /** Share of the rest that it charges for canceling a guaranteed package with less than 14 days of notice. */
  readonly cancellationRate?: number;
  /** Whether a conformance runner may force its states. */
  readonly hasTestController: boolean;
  /**
   * Applies to everything but capabilities, so that it can be onboarded first. `losing`: the first copy of each change
   * is carried out, and then the connection is dropped.
   */
  readonly misbehaviour: 'none' | 'flapping' | 'hanging' | 'malformed' | 'losing';
  /** What it takes: the token of its desk, or access tokens of its own authorization server. */
  readonly signIn: 'token' | 'oauth';
  /** Our accounts there, one of which each buy names; none: it knows no accounts. */
  readonly accounts: readonly SandboxAccount[];
  /** Whether its capabilities shrink some time after they were first read. */
  readonly drifts: boolean;
  /** Where its days are; it says so of its products. */
  readonly timeZone: 'UTC' | 'Europe/Berlin' | 'America/New_York';
  /** Irregularities in past flights and their invoices; a flight of today is always fair. */
  readonly finance: FinanceHabit;
  readonly bills: Billing;
}

/** How a seller writes its invoices. */
export interface Billing {
  readonly layout: 'plain' | 'german' | 'american';
  /** `broadcast`: weeks from Monday to Sunday, the last Sunday of a month ends it. `halves`: two invoices a month. */
  readonly months: 'whole' | 'halves' | 'broadcast';
  /** A line beside media: its text, and its amount in percent of media. */
  readonly beside?: readonly [text: string, percent: number];
}

export interface SandboxAccount {
  readonly id: string;
  readonly name: string;
}

/**
 * `over-delivers`: 8 % more than ordered. `restates`: a correction after the final report. `bills-twice`: the same lines
 * under two numbers. `other-zone`: its month begins a day later than in UTC. `leaves-out`: the last package of a buy is
 * not billed. `wrong-po`: a PO number that is not the buyer's.
 */
export type FinanceHabit =
  | 'fair'
  | 'over-delivers'
  | 'restates'
  | 'bills-twice'
  | 'other-zone'
  | 'leaves-out'
  | 'wrong-po';

const usual = {
  kind: 'sales',
  protocol: 'mcp',
  dialect: 'adcp',
  form: '3.1',
  currency: 'USD',
  channels: ['display'],
  pricing: 'fixed',
  proposes: 'none',
  latencyMs: 0,
  idempotent: true,
  approval: 'at-once',
  changes: 'at-once',
  haggles: false,
  searches: 'at-once',
  provenance: 'unknown',
  countsViews: false,
  keepsAccounts: false,
  activation: 'at-once',
  hasTestController: false,
  misbehaviour: 'none',
  signIn: 'token',
  accounts: [],
  drifts: false,
  timeZone: 'UTC',
  finance: 'fair',
  bills: { layout: 'plain', months: 'whole' },
} as const;

/** What a seller of release 3.1 offers beyond the usual; each of its habits is one more member of its row. */
const complete = {
  ...usual,
  pricing: 'both',
  countsViews: true,
  keepsAccounts: true,
  provenance: 'welcome',
} as const;

/** The market. A new agent is one row; a new behavior is one member above and its one reader. */
export const market: readonly Personality[] = [
  {
    ...complete,
    slug: 'prompt',
    name: 'Harbor Media',
    character: 'answers at once, drafts a plan for each brief',
    channels: ['display', 'olv'],
    proposes: 'draft',
    asksFrom: 500_000,
    hasTestController: true,
    bills: { layout: 'plain', months: 'whole', beside: ['Ad serving fee', 3] },
  },
  {
    ...complete,
    slug: 'courier',
    name: 'Courier Network',
    character: 'answers at once, over A2A, with a firm plan and its insertion order',
    protocol: 'a2a',
    channels: ['ctv', 'olv'],
    proposes: 'committed',
    asksFrom: 500_000,
    cancellationRate: 0.5,
    finance: 'other-zone',
    bills: { layout: 'plain', months: 'halves' },
  },
  {
    ...complete,
    slug: 'slow',
    name: 'Tortoise Outdoor',
    character: 'takes 1.5 seconds, sells in euro, keeps no idempotency records, wants provenance',
    currency: 'EUR',
    provenance: 'required',
    latencyMs: 1500,
    idempotent: false,
    timeZone: 'Europe/Berlin',
    finance: 'wrong-po',
    bills: { layout: 'german', months: 'whole', beside: ['USt 19 %', 19] },
  },
  {
    ...complete,
    slug: 'human',
    name: 'Atelier Broadcast',
    character: 'asks a human: submitted, working, completed by webhook',
    dialect: 'ads',
    channels: ['ctv', 'display'],
    approval: 'human',
    searches: 'later',
    timeZone: 'America/New_York',
    finance: 'restates',
    bills: { layout: 'american', months: 'broadcast', beside: ['Agency commission 15%', -15] },
  },
  {
    ...usual,
    slug: 'auction',
    name: 'Gavel Exchange',
    character: 'sells by auction, wants a bid',
    protocol: 'a2a',
    dialect: 'ads',
    form: 'service',
    channels: ['display', 'streaming_audio'],
    pricing: 'auction',
    finance: 'over-delivers',
  },
  {
    ...usual,
    slug: 'seed',
    name: 'Old Quay Press',
    character: 'answers a buy with pending and a task_id',
    dialect: 'ads',
    form: 'service',
    channels: ['display', 'olv'],
    approval: 'pending',
    finance: 'bills-twice',
  },
  {
    ...usual,
    slug: 'behind',
    name: 'Lantern Video',
    character: 'is a generation behind: release 3.0, proves its webhooks by HMAC where it is given a secret',
    form: '3.0',
    channels: ['olv', 'streaming_audio'],
    proposes: 'parts',
    finance: 'leaves-out',
  },
  {
    ...complete,
    slug: 'flapping',
    name: 'Weathervane Ads',
    character: 'answers every third call with HTTP 500',
    misbehaviour: 'flapping',
  },
  {
    ...usual,
    slug: 'hanging',
    name: 'Quicksand Media',
    character: 'accepts a call and never answers',
    dialect: 'ads',
    form: 'service',
    misbehaviour: 'hanging',
  },
  {
    ...usual,
    slug: 'malformed',
    name: 'Garble Group',
    character: 'answers with missing fields, wrong types, broken text and lies',
    misbehaviour: 'malformed',
  },
  {
    ...usual,
    slug: 'signals-now',
    name: 'Tide Audiences',
    character: 'sells audiences that are live at once',
    kind: 'signals',
    dialect: 'ads',
    form: 'service',
  },
  {
    ...usual,
    slug: 'signals-later',
    name: 'Delta Segments',
    character: 'sells audiences over A2A that go live some time later',
    kind: 'signals',
    protocol: 'a2a',
    activation: 'later',
  },
];

/** The agent of the publisher's domain: nobody passes on a token for it, it is found and signed in at. */
export const desk: Personality = {
  ...usual,
  slug: 'desk',
  name: 'Saltmarsh Gazette',
  character:
    'is found by its domain, signs people in at its own server, and keeps an account for each client',
  channels: ['display', 'olv'],
  signIn: 'oauth',
  accounts: [
    { id: 'acc_harvest', name: 'Harvest Foods' },
    { id: 'acc_summit', name: 'Summit Travel' },
  ],
};

/** Agents for tests of difficult behavior: they run only if they are named. */
export const onRequest: readonly Personality[] = [
  {
    ...usual,
    slug: 'losing',
    name: 'Driftwood Media',
    character: 'does what it is asked, and drops the connection before it says so',
    latencyMs: 150,
    misbehaviour: 'losing',
  },
  {
    ...usual,
    slug: 'forgetful',
    name: 'Blank Slate Network',
    character: 'keeps no idempotency records, takes 0.4 seconds',
    latencyMs: 400,
    idempotent: false,
  },
  {
    ...usual,
    slug: 'deliberate',
    name: 'Second Thought Media',
    character: 'sells at once, and lets a person look at every change',
    changes: 'human',
  },
  {
    ...usual,
    slug: 'haggling',
    name: 'Bazaar Media',
    character: 'counters terms, later holds back the first package of a buy and withdraws the last',
    haggles: true,
  },
  {
    ...complete,
    slug: 'exacting',
    name: 'Meridian Standard',
    character:
      'has every part of release 3.1: accounts with subscribers, provenance, bids, searches that last',
    currency: 'EUR',
    channels: ['display', 'olv'],
    proposes: 'committed',
    searches: 'later',
    provenance: 'required',
  },
  {
    ...usual,
    slug: 'signals-prompt',
    name: 'Spring Audiences',
    character: 'sells audiences of release 3.1 that are live at once',
    kind: 'signals',
  },
  {
    ...usual,
    slug: 'drifting',
    name: 'Shoal Media',
    character:
      'stops signing its webhooks and taking invoices by its operator some time after it was first read',
    drifts: true,
  },
  {
    ...usual,
    slug: 'voices',
    name: 'Voicebank Rights',
    character: 'owns voices and faces, and takes them back',
    kind: 'rights',
  },
  {
    ...usual,
    slug: 'lists',
    name: 'Clearwater Lists',
    character: 'keeps lists of properties that buys name, and changes them',
    kind: 'governance',
  },
];
