import { describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { readMediaBuys } from '../read/read-media-buys.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

/*
 * The model of a buy over three sellers down to its packages, written from the protocol's own words and from nothing of
 * this library: what its buyer changes of packages, dates, creatives and targeting, what sellers refuse, and what they
 * do by themselves and is learnt by a poll. How parts come to be, and what webhooks say, has a model of its own.
 */
interface Item {
  budget: number;
  isPaused: boolean;
  isCanceled: boolean;
}

interface Part {
  status: 'active' | 'paused' | 'canceled';
  end: string;
  readonly items: Item[];
}

interface Model {
  readonly parts: Record<Slug, Part>;
  revision: number;
}

const slugs = ['acme', 'bravo', 'cargo'] as const;
type Slug = (typeof slugs)[number];
const firstEnd = '2027-01-01T00:00:00Z';

type Call =
  | { readonly kind: 'pause' | 'resume' | 'cancel'; readonly refusing: readonly Slug[] }
  | { readonly kind: 'dates'; readonly end: string; readonly refusing: readonly Slug[] }
  | {
      readonly kind: 'budget' | 'toggle' | 'end' | 'aim' | 'dress' | 'add';
      readonly at: Slug;
      readonly which: number;
      readonly amount: number;
      readonly refused: boolean;
    }
  | {
      readonly kind: 'theirs';
      readonly does: 'budget' | 'toggle' | 'end' | 'dates' | 'cancel' | 'nothing';
      readonly at: Slug;
      readonly which: number;
      readonly amount: number;
      readonly end: string;
    }
  | { readonly kind: 'stale' }
  | { readonly kind: 'nobody' };

const slug = fc.constantFrom(...slugs);
const refusing = fc.subarray([...slugs]);
const which = fc.nat({ max: 2 });
const rarely = fc.nat({ max: 3 }).map((one) => one === 0);
const amount = fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100);
const end = fc.constantFrom('2026-11-01T00:00:00Z', '2027-02-01T00:00:00Z', '2027-03-01T00:00:00Z');
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), refusing }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), refusing }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dates' as const), end, refusing }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('budget', 'toggle', 'toggle', 'end', 'aim', 'dress', 'add'),
      at: slug,
      which,
      amount,
      refused: rarely,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('theirs' as const),
      does: fc.constantFrom('budget', 'toggle', 'end', 'dates', 'cancel', 'nothing'),
      at: slug,
      which,
      amount,
      end,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stale' as const, 'nobody' as const) }) },
);

function statusOf({ parts }: Model): Part['status'] {
  const all = Object.values(parts).map(({ status }) => status);
  if (all.every((status) => status === 'canceled')) return 'canceled';
  return all.includes('active') ? 'active' : 'paused';
}

/** What the protocol says comes of a call. */
function step(model: Model, wish: Call): void {
  if (wish.kind === 'stale' || wish.kind === 'nobody') return;
  if (wish.kind === 'theirs') {
    if (theirs(model.parts[wish.at], wish)) model.revision += 1;
    return;
  }
  if (statusOf(model) === 'canceled') return;
  if ('refusing' in wish) {
    const taken = slugs.filter((at) => !wish.refusing.includes(at) && whole(model.parts[at], wish));
    if (taken.length > 0) model.revision += 1;
    return;
  }
  const part = model.parts[wish.at];
  const item = part.items[wish.which];
  if (part.status === 'canceled' || wish.refused) return;
  if (wish.kind === 'add') part.items.push({ budget: wish.amount, isPaused: false, isCanceled: false });
  else if (item === undefined || item.isCanceled) return;
  else if (wish.kind === 'budget') item.budget = wish.amount;
  else if (wish.kind === 'toggle') item.isPaused = !item.isPaused;
  else if (wish.kind === 'end') item.isCanceled = true;
  model.revision += 1;
}

function whole(part: Part, wish: Call & { readonly refusing: readonly Slug[] }): boolean {
  if (part.status === 'canceled') return false;
  if (wish.kind === 'dates') {
    part.end = wish.end;
    return true;
  }
  const after = wish.kind === 'cancel' ? 'canceled' : wish.kind === 'pause' ? 'paused' : 'active';
  if (part.status === after) return false;
  part.status = after;
  return true;
}

/** What a seller has done by itself, as far as it is news: of a part that is paused or over nothing is told in these stories. */
function theirs(
  part: Part,
  { does, which: at, amount: sum, end: until }: Call & { kind: 'theirs' },
): boolean {
  const item = part.items[at];
  if (part.status !== 'active' || does === 'nothing') return false;
  if (does === 'cancel') part.status = 'canceled';
  else if (does === 'dates') {
    const isNews = part.end !== until;
    part.end = until;
    return isNews;
  } else if (item === undefined || item.isCanceled) return false;
  else if (does === 'budget') {
    const isNews = item.budget !== sum;
    item.budget = sum;
    return isNews;
  } else if (does === 'toggle') item.isPaused = !item.isPaused;
  else item.isCanceled = true;
  return true;
}

/** What the buyer says for a call; `now` is the model before it. */
function argsOf(wish: Call, id: string, now: Model): JsonObject {
  const about = (change: JsonObject): JsonObject => ({ media_buy_id: id, ...change });
  switch (wish.kind) {
    case 'pause':
    case 'resume':
      return about({ paused: wish.kind === 'pause' });
    case 'cancel':
      return about({ canceled: true });
    case 'dates':
      return about({ end_time: wish.end });
    case 'stale':
      return about({ revision: now.revision + 1, paused: true });
    case 'nobody':
    case 'theirs':
      return about({ packages: [{ package_id: 'acme:nobody', budget: 1 }] });
    case 'add':
      return about({
        new_packages: [
          {
            product_id: `${wish.at}:ctv`,
            pricing_option_id: 'cpm',
            budget: wish.amount,
            context: { added: now.parts[wish.at].items.length },
          },
        ],
      });
    default:
      return about({
        packages: [{ package_id: `${wish.at}:${nameOf(wish.which)}`, ...changeOf(wish, now) }],
      });
  }
}

const nameOf = (at: number): string => `their-1-p${at + 1}`;

function changeOf(wish: Call & { which: number; at: Slug; amount: number }, now: Model): JsonObject {
  switch (wish.kind) {
    case 'budget':
      return { budget: wish.amount };
    case 'toggle':
      return { paused: now.parts[wish.at].items[wish.which]?.isPaused !== true };
    case 'end':
      return { canceled: true };
    case 'aim':
      return { targeting_overlay: { geo_countries: [wish.amount > 5_000 ? 'US' : 'DE'] } };
    default:
      return { creative_assignments: [{ creative_id: `spot-${Math.floor(wish.amount)}` }] };
  }
}

/** A seller changes its own books, as the model says it may. */
function doTheirs(harness: BuyingHarness, model: Model, wish: Call & { kind: 'theirs' }): void {
  const [buy] = harness.seller(wish.at).buys as JsonObject[];
  const { status, items } = model.parts[wish.at];
  if (buy === undefined || status !== 'active') return;
  if (wish.does === 'cancel')
    Object.assign(buy, { media_buy_status: 'canceled', revision: Number(buy['revision'] ?? 1) + 1 });
  if (wish.does === 'dates') Object.assign(buy, { end_time: wish.end });
  const item = items[wish.which];
  if (item === undefined || item.isCanceled) return;
  const change: JsonObject =
    wish.does === 'budget'
      ? { budget: wish.amount }
      : wish.does === 'toggle'
        ? { paused: !item.isPaused }
        : wish.does === 'end'
          ? { canceled: true }
          : {};
  buy['packages'] = (buy['packages'] as JsonObject[]).map((one) =>
    one['package_id'] === nameOf(wish.which) ? { ...one, ...change } : one,
  );
}

async function look(harness: BuyingHarness, id: string): Promise<void> {
  await readMediaBuys(readPortsOf(harness.ports), readRequestOf(harness), { mediaBuyIds: [id] });
}

/** Sellers that are to refuse do so at the next call that reaches them; none that does not come leaves a refusal behind. */
async function query(harness: BuyingHarness, wish: Call, args: JsonObject): Promise<void> {
  const unwilling = 'refusing' in wish ? wish.refusing : 'refused' in wish && wish.refused ? [wish.at] : [];
  const before = new Map(unwilling.map((at) => [at, harness.seller(at).received.length]));
  const says = { errors: [{ code: 'ACTION_NOT_ALLOWED', message: 'Not now.' }] };
  for (const at of unwilling) harness.seller(at).fate('update_media_buy', { says });
  await updateMediaBuy(harness.ports, harness.change(args));
  for (const at of unwilling)
    if (harness.seller(at).received.length === before.get(at))
      await harness.seller(at).call('update_media_buy', {}, new AbortController().signal);
}

function expected(model: Model): unknown {
  const parts = slugs.map((at) => model.parts[at]);
  const running = parts.filter(({ status }) => status !== 'canceled');
  const ends = (running.length > 0 ? running : parts).map((part) => part.end).sort();
  const open = parts.flatMap(({ items }) => items).filter(({ isCanceled }) => !isCanceled);
  return {
    status: statusOf(model),
    revision: model.revision,
    total: Math.round(open.reduce((sum, { budget }) => sum + budget, 0) * 100) / 100,
    end: ends.at(-1),
    parts: Object.fromEntries(slugs.map((at) => [at, model.parts[at].status])),
    packages: Object.fromEntries(
      slugs.flatMap((at) =>
        model.parts[at].items.map(({ budget, isPaused, isCanceled }, index) => [
          `${at}:${nameOf(index)}`,
          isCanceled ? 'canceled' : { budget, isPaused },
        ]),
      ),
    ),
  };
}

async function shown(harness: BuyingHarness, id: string): Promise<unknown> {
  const record = await harness.store.mediaBuy(harness.scope, id);
  const view = viewBuy(record!);
  return {
    status: view.status,
    revision: view.revision,
    total: Number(view.totalBudget),
    end: view.endTime,
    parts: Object.fromEntries(record!.sellerBuys.map((sellerBuy) => [sellerBuy.seller, sellerBuy.status])),
    packages: Object.fromEntries(
      view.packages.map((item) => [
        item.packageId,
        item.canceled === true ? 'canceled' : { budget: Number(item.budget), isPaused: item.paused === true },
      ]),
    ),
  };
}

/** Plays the calls over three sellers, and compares the buy with the model after each. */
async function play(calls: readonly Call[], cargo: Form, budgets: Record<Slug, readonly number[]>) {
  const harness = await openBuyingHarness({
    acme: { isIdempotent: true },
    bravo: { isIdempotent: true, form: '3.0' },
    cargo: { isIdempotent: true, form: cargo },
  });
  const made = await createMediaBuy(harness.ports, harness.request(budgets.acme.flatMap(() => slugs)));
  const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
  const part = (at: Slug): Part => ({
    status: 'active',
    end: firstEnd,
    items: budgets[at].map((budget) => ({ budget, isPaused: false, isCanceled: false })),
  });
  const model: Model = {
    parts: { acme: part('acme'), bravo: part('bravo'), cargo: part('cargo') },
    revision: 1,
  };
  expect(await shown(harness, id)).toEqual(expected(model));
  for (const wish of calls) {
    harness.clock.advance(1_000);
    if (wish.kind === 'theirs') {
      doTheirs(harness, model, wish);
      await look(harness, id);
    } else await query(harness, wish, argsOf(wish, id, model));
    step(model, wish);
    expect(await shown(harness, id)).toEqual(expected(model));
  }
}

describe('any sequence of acts of a buyer and three sellers on one buy and its packages', () => {
  it('leads to the status, revision, budgets, end and packages of an independent model', async () => {
    const budgets = { acme: [1000, 1003], bravo: [1001, 1004], cargo: [1002, 1005] };
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 16 }), (calls) =>
        play(calls, '3.1', budgets),
      ),
      { numRuns: 120, seed: 20261122 },
    );
  });
});

describe('any sequence of legal and illegal calls on one buy over three sellers', () => {
  // A seller of the `service` form is among them, so no call is made that its form does not have.
  const plain: fc.Arbitrary<Call> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), refusing }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), refusing }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom('budget', 'budget', 'budget', 'end'),
        at: slug,
        which: fc.constant(0),
        amount,
        refused: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stale' as const, 'nobody' as const) }) },
  );

  it('leads to the status, budget, revision and packages of an independent model', async () => {
    const budgets = { acme: [1000], bravo: [1001], cargo: [1002] };
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 12 }), (calls) =>
        play(calls, 'service', budgets),
      ),
      { numRuns: 150, seed: 20261121 },
    );
  });
});
