import { describe, expect, it } from '@jest/globals';
import type { MediaBuyStatus, TaskStatus } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness, type Fate } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from '../run/follow-leg.js';
import type { BuysPorts } from '../model/ports.js';
import { readMediaBuys } from '../read/read-media-buys.js';
import { storeObservation } from '../run/store-observation.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

/*
 * The other half of the model: sellers that answer at once, later, never or not, webhooks in any order and more than
 * once, sellers that change a buy by themselves, restarts, and the buyer's own changes in between. Written from the
 * protocol's words and from nothing of this library.
 */
const slugs = ['acme', 'bravo', 'cargo'] as const;
type Slug = (typeof slugs)[number];

/** A part is waited for, was refused before it was ever made, or stands at its seller in a state. */
type Part =
  | { readonly kind: 'waiting'; readonly now: 'submitted' | 'working' | 'input-required' }
  | { readonly kind: 'refused'; readonly how: 'failed' | 'rejected' | 'canceled' }
  | { readonly kind: 'made'; readonly status: MediaBuyStatus };
type Model = Record<Slug, Part>;
/** What was asked to be spent at each, in major units. */
type Budgets = Record<Slug, number>;

type First = 'made' | 'later' | 'refused' | 'lost' | 'unheard';
type Event =
  | { readonly kind: 'webhook'; readonly at: Slug; readonly says: TaskStatus; readonly as: MediaBuyStatus }
  | { readonly kind: 'seller'; readonly at: Slug; readonly status: MediaBuyStatus }
  | { readonly kind: 'budget'; readonly at: Slug; readonly to: number; readonly isTaken: boolean }
  | { readonly kind: 'pause' | 'resume' | 'cancel' | 'resumed' };

const slug = fc.constantFrom(...slugs);
const first = fc.constantFrom<First>('made', 'later', 'later', 'refused', 'lost', 'unheard');
const begun = fc.constantFrom<MediaBuyStatus>('pending_creatives', 'pending_start', 'active', 'paused');
const anyStatus = fc.constantFrom<MediaBuyStatus>(
  ...([
    'pending_creatives',
    'pending_start',
    'active',
    'paused',
    'completed',
    'rejected',
    'canceled',
  ] as const),
);
const received = fc.constantFrom<TaskStatus>(
  ...([
    'submitted',
    'working',
    // A person of the buyer's has to decide, and what comes afterwards is what came of it.
    'input-required',
    'input-required',
    'completed',
    'completed',
    'failed',
    'rejected',
    'canceled',
  ] as const),
);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('webhook' as const), at: slug, says: received, as: begun }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('seller' as const), at: slug, status: anyStatus }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'resumed' as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('budget' as const),
      at: slug,
      to: fc.integer({ min: 1, max: 5_000 }),
      isTaken: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
);

const ends: ReadonlySet<MediaBuyStatus> = new Set(['completed', 'rejected', 'canceled']);

/** What a seller's buy may be seen as next, over steps that nobody told of; ends are never left. */
const reachable: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  pending_creatives: ['pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'],
  pending_start: ['pending_creatives', 'active', 'paused', 'completed', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  rejected: [],
  canceled: [],
};

function statusOf(model: Model): MediaBuyStatus {
  const parts = Object.values(model);
  const counting = parts.some(({ kind }) => kind !== 'refused')
    ? parts.filter(({ kind }) => kind !== 'refused')
    : parts;
  const statuses = counting.map((part): MediaBuyStatus => {
    if (part.kind === 'made') return part.status;
    if (part.kind === 'waiting') return 'pending_start';
    return part.how === 'canceled' ? 'canceled' : 'rejected';
  });
  if (statuses.every((status) => ends.has(status))) {
    const kinds = new Set(statuses);
    return kinds.size === 1 ? (statuses[0] ?? 'completed') : 'completed';
  }
  for (const wanted of ['active', 'pending_creatives', 'pending_start'] as const)
    if (statuses.includes(wanted)) return wanted;
  return 'paused';
}

/** How far the create is, towards its buyer. */
function taskOf(model: Model): TaskStatus {
  const parts = Object.values(model);
  for (const how of ['input-required', 'working'] as const)
    if (parts.some((part) => part.kind === 'waiting' && part.now === how)) return how;
  if (parts.some(({ kind }) => kind === 'waiting')) return 'submitted';
  if (parts.some(({ kind }) => kind === 'made')) return 'completed';
  const hows = new Set(parts.map((part) => (part.kind === 'refused' ? part.how : 'failed')));
  const [how] = hows;
  return hows.size === 1 && how !== undefined ? how : 'failed';
}

const fates: Readonly<Record<First, Fate>> = {
  made: 'answer',
  later: { says: { status: 'submitted', task_id: 'their-task' } },
  refused: { says: { errors: [{ code: 'PRODUCT_UNAVAILABLE', message: 'Sold.' }] } },
  lost: 'lose',
  unheard: 'drop',
};
const begins: Readonly<Record<First, Part>> = {
  made: { kind: 'made', status: 'active' },
  later: { kind: 'waiting', now: 'submitted' },
  refused: { kind: 'refused', how: 'failed' },
  // Asked again under the same key while its buyer waits, it says once more what it did.
  lost: { kind: 'made', status: 'active' },
  // Nobody heard it, so nothing was done there.
  unheard: { kind: 'refused', how: 'failed' },
};

/** How a task goes on before its end: from a person's decision it may go back to where it waited before. */
const canFollow = {
  submitted: ['working', 'input-required'],
  working: ['input-required'],
  'input-required': ['submitted', 'working'],
} as const;

/** What is committed: parts that were refused before they were made were never bought. */
function committed(model: Model, budgets: Budgets): string {
  const sum = slugs.reduce((all, at) => all + (model[at].kind === 'refused' ? 0 : budgets[at]), 0);
  return String(sum);
}

const madeAt = (at: Slug, status: MediaBuyStatus): JsonObject => ({
  media_buy_id: `late-${at}`,
  media_buy_status: status,
  confirmed_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
  packages: [{ package_id: `late-${at}-p1`, product_id: 'ctv', pricing_option_id: 'cpm' }],
});

/** A webhook about the create: the first end that it names counts, and what is older than what is known does not. */
async function webhook(
  harness: BuyingHarness,
  ports: BuysPorts,
  model: Model,
  seen: Event & { kind: 'webhook' },
) {
  const part = model[seen.at];
  const rows = [...harness.store.rowsOf(harness.scope).legs.values()];
  const leg = rows.find((row) => row.seller === seen.at && row.task === 'create_media_buy');
  if (leg === undefined) throw new Error('Every seller was asked.');
  const seller = harness.seller(seen.at);
  const isWaiting = part.kind === 'waiting';
  // A seller that did the work and lost its answer tells of the buy that it made.
  const known = seller.buys.find((buy) => JSON.stringify(buy['media_buy_id']).startsWith('"their-'));
  const payload = known ?? madeAt(seen.at, seen.as);
  const errors = seen.says === 'failed' ? [{ code: 'PRODUCT_UNAVAILABLE', message: 'Sold.' }] : [];
  if (seen.says === 'completed' && isWaiting && known === undefined)
    (seller.buys as JsonObject[]).push(payload);
  await storeObservation(ports, harness.scope, leg, {
    source: 'webhook',
    at: harness.clock.now(),
    reply: { status: seen.says, payload: seen.says === 'completed' ? payload : {}, errors, replayed: false },
  });
  if (!isWaiting) return;
  if (seen.says === 'completed')
    model[seen.at] = { kind: 'made', status: known === undefined ? seen.as : 'active' };
  else if (canFollow[part.now].some((next) => next === seen.says))
    model[seen.at] = { ...part, now: seen.says as typeof part.now };
  else if (seen.says === 'failed' || seen.says === 'rejected' || seen.says === 'canceled')
    model[seen.at] = { kind: 'refused', how: seen.says };
}

/** A seller changes its buy by itself, and the next poll of it shows that; what cannot be is not believed. */
async function ofItself(
  harness: BuyingHarness,
  ports: BuysPorts,
  model: Model,
  id: string,
  seen: Event & { kind: 'seller' },
) {
  const part = model[seen.at];
  const buy = harness.seller(seen.at).buys[0];
  if (part.kind !== 'made' || buy === undefined) return;
  const before = { media_buy_status: buy['media_buy_status'] ?? 'active', revision: buy['revision'] ?? 1 };
  Object.assign(buy, { media_buy_status: seen.status, revision: Number(before.revision) + 1 });
  harness.clock.advance(1_000);
  await inTime(harness, readMediaBuys(readPortsOf(ports), readRequestOf(harness), { mediaBuyIds: [id] }));
  if (reachable[part.status].includes(seen.status)) model[seen.at] = { kind: 'made', status: seen.status };
  else if (seen.status !== part.status) Object.assign(buy, before);
}

async function changed(
  harness: BuyingHarness,
  ports: BuysPorts,
  model: Model,
  id: string,
  kind: 'pause' | 'resume' | 'cancel',
) {
  const parts = Object.values(model);
  // Of a buy with parts that are not there yet the other half of the model says nothing either.
  const isStanding = parts.every(
    (part) => part.kind === 'refused' || (part.kind === 'made' && !part.status.startsWith('pending')),
  );
  if (!isStanding || ends.has(statusOf(model))) return;
  const args = kind === 'cancel' ? { canceled: true } : { paused: kind === 'pause' };
  await inTime(harness, updateMediaBuy(ports, harness.change({ media_buy_id: id, ...args })));
  const to = { pause: 'paused', resume: 'active', cancel: 'canceled' } as const;
  for (const at of slugs) {
    const part = model[at];
    if (part.kind === 'made' && !ends.has(part.status)) model[at] = { kind: 'made', status: to[kind] };
  }
}

/** The buyer moves the budget of one seller's package; a seller that refuses leaves it where it was. */
async function budgeted(
  harness: BuyingHarness,
  ports: BuysPorts,
  model: Model,
  budgets: Budgets,
  id: string,
  wish: Event & { kind: 'budget' },
) {
  const part = model[wish.at];
  if (part.kind !== 'made' || ends.has(part.status)) return;
  const record = await harness.store.mediaBuy(harness.scope, id);
  const packageId = viewBuy(record!).packages.find((item) =>
    item.packageId.startsWith(`${wish.at}:`),
  )?.packageId;
  if (packageId === undefined) throw new Error('What was made has a name.');
  if (!wish.isTaken)
    harness.seller(wish.at).fate('update_media_buy', {
      says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'Not for that.' }] },
    });
  const change = { media_buy_id: id, packages: [{ package_id: packageId, budget: wish.to }] };
  const before = harness.seller(wish.at).received.length;
  await inTime(harness, updateMediaBuy(ports, harness.change(change)));
  // The seller heard of it, so that what it said decided.
  expect(harness.seller(wish.at).received.length).toBeGreaterThan(before);
  if (wish.isTaken) budgets[wish.at] = wish.to;
}

/** The process starts again and takes up what it had begun; that by itself changes nothing. */
async function restarted(harness: BuyingHarness, ports: BuysPorts) {
  harness.clock.advance(120_000);
  for (const leg of await harness.store.dueLegs(harness.scope, harness.clock.now(), 10)) {
    const run = { connection: harness.connection(leg.seller), signal: new AbortController().signal };
    await inTime(harness, followLeg(ports, harness.scope, leg.id, run));
  }
}

/** Time goes on while something is waited for: what wants a later hour gets one. */
async function inTime<T>(harness: BuyingHarness, work: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const ended = work.finally(() => (state.isDone = true));
  for (let round = 0; round < 300; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (state.isDone) break;
    harness.clock.advance(1_000);
  }
  return ended;
}

describe('late, repeated, reordered and lost messages of three sellers', () => {
  it('lead to the buy and task of an independent model', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ acme: first, bravo: first, cargo: first }),
        fc.array(event, { maxLength: 14 }),
        async (firsts, events) => {
          const harness = await openBuyingHarness({
            acme: { isIdempotent: true },
            bravo: { isIdempotent: true, form: '3.0' },
            cargo: { isIdempotent: true, form: 'service' },
          });
          for (const at of slugs) harness.seller(at).fate('create_media_buy', fates[firsts[at]]);
          const begunBuy = must(await inTime(harness, createMediaBuy(harness.ports, harness.request(slugs))));
          const id = begunBuy.state.buy?.id ?? '';
          const operation = begunBuy.state.operation.id;
          const model: Model = {
            acme: begins[firsts.acme],
            bravo: begins[firsts.bravo],
            cargo: begins[firsts.cargo],
          };
          const budgets: Budgets = { acme: 1000, bravo: 1001, cargo: 1002 };
          const agree = async () => {
            const record = await harness.store.mediaBuy(harness.scope, id);
            const state = await harness.store.state(harness.scope, operation);
            const { status, totalBudget } = viewBuy(record!);
            expect([status, state?.operation.status, totalBudget]).toEqual([
              statusOf(model),
              taskOf(model),
              committed(model, budgets),
            ]);
          };
          await agree();
          for (const seen of events) {
            const ports = seen.kind === 'resumed' ? harness.restarted() : harness.ports;
            if (seen.kind === 'webhook') await webhook(harness, ports, model, seen);
            else if (seen.kind === 'seller') await ofItself(harness, ports, model, id, seen);
            else if (seen.kind === 'resumed') await restarted(harness, ports);
            else if (seen.kind === 'budget') await budgeted(harness, ports, model, budgets, id, seen);
            else await changed(harness, ports, model, id, seen.kind);
            await agree();
          }
        },
      ),
      { numRuns: 100, seed: 20261121 },
    );
  });
});
