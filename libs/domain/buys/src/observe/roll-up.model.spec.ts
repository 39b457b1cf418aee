import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import fc from 'fast-check';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';

/*
 * The model of a buy over three sellers, written from the protocol's own words and from nothing of this library: each
 * part is running, held or ended; each package has a budget until it is ended; a seller may refuse.
 */
type Part = 'active' | 'paused' | 'canceled';

interface Model {
  readonly parts: Record<string, Part>;
  readonly budgets: Record<string, number | undefined>;
  revision: number;
}

const slugs = ['acme', 'bravo', 'cargo'] as const;
type Slug = (typeof slugs)[number];

type Call =
  | { readonly kind: 'pause' | 'resume' | 'cancel'; readonly refusing: readonly Slug[] }
  | { readonly kind: 'budget'; readonly at: Slug; readonly amount: number; readonly refused: boolean }
  | { readonly kind: 'end'; readonly at: Slug; readonly refused: boolean }
  | { readonly kind: 'stale' }
  | { readonly kind: 'nobody' };

const slug = fc.constantFrom(...slugs);
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause' as const, 'resume' as const),
      refusing: fc.subarray([...slugs]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), refusing: fc.subarray([...slugs]) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('budget' as const),
      at: slug,
      amount: fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
      refused: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), at: slug, refused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom<Call>({ kind: 'stale' }, { kind: 'nobody' }) },
);

function statusOf(model: Model): Part {
  const parts = Object.values(model.parts);
  if (parts.every((part) => part === 'canceled')) return 'canceled';
  return parts.includes('active') ? 'active' : 'paused';
}

/** What the protocol says comes of a call; true where any seller has accepted anything. */
function step(model: Model, wish: Call): void {
  if (statusOf(model) === 'canceled' || wish.kind === 'stale' || wish.kind === 'nobody') return;
  let accepted = false;
  if (wish.kind === 'budget' || wish.kind === 'end') {
    const isOpen = model.parts[wish.at] !== 'canceled' && model.budgets[wish.at] !== undefined;
    if (!isOpen || wish.refused) return;
    model.budgets[wish.at] = wish.kind === 'end' ? undefined : wish.amount;
    model.revision += 1;
    return;
  }
  for (const at of slugs) {
    const before = model.parts[at];
    const after = wish.kind === 'cancel' ? 'canceled' : wish.kind === 'pause' ? 'paused' : 'active';
    if (before === 'canceled' || before === after || wish.refusing.some((one) => one === at)) continue;
    model.parts[at] = after;
    accepted = true;
  }
  if (accepted) model.revision += 1;
}

function argsOf(wish: Call, id: string, revision: number) {
  switch (wish.kind) {
    case 'pause':
    case 'resume':
      return { media_buy_id: id, paused: wish.kind === 'pause' };
    case 'cancel':
      return { media_buy_id: id, canceled: true };
    case 'budget':
      return { media_buy_id: id, packages: [{ package_id: `${wish.at}:their-1-p1`, budget: wish.amount }] };
    case 'end':
      return { media_buy_id: id, packages: [{ package_id: `${wish.at}:their-1-p1`, canceled: true }] };
    case 'stale':
      return { media_buy_id: id, revision: revision + 1, paused: true };
    case 'nobody':
      return { media_buy_id: id, packages: [{ package_id: 'acme:nobody', budget: 1 }] };
  }
}

describe('any sequence of legal and illegal calls on one buy over three sellers', () => {
  it('leaves status, budget, revision and packages as a model written by itself has them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        const harness = await openBuyingHarness({
          acme: { isIdempotent: true },
          bravo: { isIdempotent: true, form: '3.0' },
          cargo: { isIdempotent: true, form: 'service' },
        });
        const made = await createMediaBuy(harness.ports, harness.request(slugs));
        const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
        const model: Model = {
          parts: { acme: 'active', bravo: 'active', cargo: 'active' },
          budgets: { acme: 1000, bravo: 1001, cargo: 1002 },
          revision: 1,
        };
        for (const wish of calls) {
          const refusing =
            'refusing' in wish ? wish.refusing : 'refused' in wish && wish.refused ? [wish.at] : [];
          const heardBefore = new Map(slugs.map((at) => [at, harness.seller(at).received.length]));
          // A seller refuses the next call that reaches it; a call that does not come must leave no refusal behind.
          const says = { errors: [{ code: 'ACTION_NOT_ALLOWED', message: 'Not now.' }] };
          for (const at of refusing) harness.seller(at).fate('update_media_buy', { says });
          await updateMediaBuy(harness.ports, harness.change(argsOf(wish, id, model.revision)));
          for (const at of refusing) {
            if (harness.seller(at).received.length > (heardBefore.get(at) ?? 0)) continue;
            await harness.seller(at).call('update_media_buy', {}, new AbortController().signal);
          }
          step(model, wish);
          const record = await harness.store.mediaBuy(harness.scope, id);
          const shown = viewBuy(record!);
          const open = Object.values(model.budgets).filter((budget) => budget !== undefined);
          expect({
            status: shown.status,
            revision: shown.revision,
            total: Number(shown.totalBudget),
            parts: Object.fromEntries(record!.sellerBuys.map((one) => [one.seller, one.status])),
          }).toEqual({
            status: statusOf(model),
            revision: model.revision,
            total: Math.round(open.reduce((sum, budget) => sum + budget, 0) * 100) / 100,
            parts: model.parts,
          });
        }
      }),
      { numRuns: 150, seed: 20261121 },
    );
  });
});
