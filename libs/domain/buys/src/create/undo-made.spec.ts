import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from './create-media-buy.js';
import { storeObservation } from '../run/store-observation.js';

const wish = { ext: { switchyard: { all_or_nothing: true } } };
const refused = { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } };

/** A buy of all or nothing that bravo refuses, at sellers whose product names what canceling costs. */
async function failing(cancellation: { readonly says: JsonObject }) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const [offer] = (await harness.store.offers(harness.scope, ['acme:ctv'])).values();
  if (offer === undefined) throw new Error('acme offers nothing.');
  const cancellationPolicy = { cancellation_fee: { type: 'fixed_fee', amount: 250 } };
  await harness.store.saveOffers(harness.scope, [
    { connectionId: harness.connection('acme').id, offer: { ...offer, cancellationPolicy } },
  ]);
  harness.seller('bravo').fate('create_media_buy', refused);
  harness.seller('acme').fate('update_media_buy', cancellation);
  const { state } = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'], wish)));
  const leg = state.legs.find(
    (candidate) => candidate.task === 'update_media_buy' && candidate.seller === 'acme',
  );
  if (leg === undefined) throw new Error('Nothing is taken back at acme.');
  return { harness, state, leg };
}

async function received(harness: BuyingHarness, buyId: string): Promise<readonly unknown[]> {
  const changes = await harness.store.changesOf(harness.scope, buyId, 10);
  return changes.map(({ actor, action, seller, detail }) => ({ actor, action, seller, detail }));
}

const submittedTask = { says: { status: 'submitted', task_id: 'their-cancel' } };
const fees = { fees: [{ package_id: 'their-1-p1', terms: 'A fixed fee is due: 250 USD.' }] };

describe('a cancellation under all or nothing', () => {
  it('that a seller has not finished keeps the operation open, and ends it canceled with the fee on record', async () => {
    const { harness, state, leg } = await failing(submittedTask);
    expect([state.operation.status, leg.status]).toEqual(['submitted', 'submitted']);
    expect(await received(harness, state.buy?.id ?? '')).toEqual([]);
    const payload = { media_buy_id: 'their-1', media_buy_status: 'canceled', revision: 2 };
    const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
    const at = harness.clock.now() + 1_000;
    const stored = await storeObservation(harness.ports, harness.scope, leg, {
      source: 'webhook',
      at,
      reply,
    });
    expect([stored?.state.operation.status, stored?.state.buy?.status]).toEqual(['failed', 'canceled']);
    expect(await received(harness, state.buy?.id ?? '')).toEqual([
      { actor: 'compensation', action: 'cancel', seller: 'acme', detail: fees },
    ]);
  });

  it('registers no address for reports: the buy has one already', async () => {
    const { harness, leg } = await failing(submittedTask);
    const rows = [...harness.store.rowsOf(harness.scope).registrations.values()];
    const kindsOf = (id: string): readonly string[] =>
      rows.filter(({ legId }) => legId === id).map(({ kind }) => kind);
    expect(kindsOf(leg.id)).toEqual(['task']);
    const bought = [...harness.store.rowsOf(harness.scope).legs.values()].filter(
      ({ task }) => task === 'create_media_buy',
    );
    expect(bought.map(({ id }) => kindsOf(id).toSorted())).toEqual([
      ['report', 'task'],
      ['report', 'task'],
    ]);
  });

  it('that is refused leaves the part running, and names the seller that refused', async () => {
    const { harness, state, leg } = await failing(submittedTask);
    const errors = [{ code: 'NOT_CANCELLABLE', message: 'Too late.' }];
    const reply = { status: 'failed' as const, replayed: false, payload: {}, errors };
    const seen = { source: 'poll' as const, at: harness.clock.now() + 1_000, reply };
    const stored = await storeObservation(harness.ports, harness.scope, leg, seen);
    expect([stored?.state.operation.status, stored?.state.buy?.status]).toEqual(['failed', 'active']);
    const reported = stored?.state.legs.find(({ id }) => id === leg.id);
    expect(reported?.errors.map(({ code }) => code)).toEqual(['NOT_CANCELLABLE']);
    expect(await received(harness, state.buy?.id ?? '')).toEqual([]);
  });

  it('R30: that takes effect at once has the fee that the seller quoted on record, and in the findings', async () => {
    const { harness, state, leg } = await failing({
      says: { media_buy_id: 'their-1', media_buy_status: 'canceled', revision: 2 },
    });
    expect([state.operation.status, state.buy?.status]).toEqual(['failed', 'canceled']);
    expect(leg.findings.map(({ code, message }) => [code, message])).toContainEqual([
      'CANCELLATION_FEE',
      'A fixed fee is due: 250 USD.',
    ]);
    expect(await received(harness, state.buy?.id ?? '')).toEqual([
      { actor: 'compensation', action: 'cancel', seller: 'acme', detail: fees },
    ]);
  });
});
