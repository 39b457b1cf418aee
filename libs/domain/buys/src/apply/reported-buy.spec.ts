import { describe, expect, it } from '@jest/globals';
import { getMediaBuys, type MediaBuyStatus } from '@switchyard/protocol';
import { openBuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { applyStatus } from './apply-status.js';
import type { MediaBuy, SellerBuy } from '../model/operation.js';
import { cancellationOf, rollUpReported, withReportedBuy } from './reported-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';

const part = (seller: string, status: MediaBuyStatus, reported: SellerBuy['reported'] = {}): SellerBuy =>
  ({ seller, status, sellerMediaBuyId: `their-${seller}`, reported }) as SellerBuy;
const rolled = (status: MediaBuyStatus, ...sellerBuys: readonly SellerBuy[]) =>
  rollUpReported({ buy: { status } as MediaBuy, sellerBuys });

const [first, second] = ['2026-01-10T00:00:00Z', '2026-01-20T00:00:00Z'];

describe('the reports of sellers about their parts, merged into one buy', () => {
  it('have the earliest deadline of the running parts, with each beside it', () => {
    expect(
      rolled(
        'active',
        part('acme', 'active', { creativeDeadline: second }),
        part('bravo', 'pending_creatives', { creativeDeadline: '2026-01-10T01:00:00+01:00' }),
        part('cargo', 'canceled', { creativeDeadline: '2026-01-01T00:00:00Z' }),
      ),
    ).toEqual({
      creativeDeadline: '2026-01-10T01:00:00+01:00',
      parts: [
        { seller: 'acme', status: 'active', creativeDeadline: second },
        { seller: 'bravo', status: 'pending_creatives', creativeDeadline: '2026-01-10T01:00:00+01:00' },
      ],
    });
  });

  it('give no reason for the whole while a part of it runs: the part has it', () => {
    expect(
      rolled('active', part('acme', 'rejected', { rejectionReason: 'Sold.' }), part('bravo', 'active')),
    ).toEqual({ parts: [{ seller: 'acme', status: 'rejected', rejectionReason: 'Sold.' }] });
  });

  it('give every seller’s reason if all have refused', () => {
    expect(
      rolled(
        'rejected',
        part('acme', 'rejected', { rejectionReason: 'Sold.' }),
        part('bravo', 'rejected', { rejectionReason: 'Not this brand.' }),
      ).rejectionReason,
    ).toBe('acme: Sold. bravo: Not this brand.');
    expect(rolled('rejected', part('acme', 'rejected', { rejectionReason: 'Sold.' })).rejectionReason).toBe(
      'Sold.',
    );
  });

  it('R32: name a recipient of invoices only if every part that counts confirms the same one', () => {
    const [one, other] = [{ legal_name: 'One' }, { legal_name: 'Other' }];
    const recipient = (...reported: readonly SellerBuy['reported'][]) =>
      rolled('active', ...reported.map((each, at) => part(`s${at}`, 'active', each))).invoiceRecipient;
    expect(recipient({ invoiceRecipient: one }, { invoiceRecipient: one })).toEqual(one);
    expect(recipient({ invoiceRecipient: one }, { invoiceRecipient: other })).toBeUndefined();
    expect(recipient({ invoiceRecipient: one }, {})).toBeUndefined();
  });

  it('give the latest cancellation, once the whole is canceled', () => {
    const [early, late] = [first, second].map((at) => cancellationOf('buyer', Date.parse(at), 'Enough.'));
    const parts = [
      part('acme', 'canceled', { cancellation: late! }),
      part('bravo', 'canceled', { cancellation: early! }),
    ];
    expect(rolled('canceled', ...parts).cancellation).toEqual({
      canceled_at: '2026-01-20T00:00:00.000Z',
      canceled_by: 'buyer',
      reason: 'Enough.',
    });
    expect(rolled('active', ...parts).cancellation).toBeUndefined();
  });
});

describe('the state that one seller reports', () => {
  it('is stored until it reports another; an invalid deadline is ignored', () => {
    const before = part('acme', 'active', { creativeDeadline: first });
    expect(withReportedBuy(before, {})).toBe(before);
    expect(withReportedBuy(before, { creativeDeadline: 'soon' })).toBe(before);
    expect(withReportedBuy(before, { creativeDeadline: second, rejectionReason: 'No.' }).reported).toEqual({
      creativeDeadline: second,
      rejectionReason: 'No.',
    });
  });

  it('never contains the bank account of the billed party', () => {
    const recipient = { legal_name: 'One', bank: { account_holder: 'One', iban: 'DE00' } };
    const answer = {
      media_buys: [{ media_buy_id: 'b', status: 'active', packages: [], invoice_recipient: recipient }],
    };
    const read = must(getMediaBuys.readAnswer(answer, { dialect: 'adcp', form: '3.1' }));
    expect(read.answer.mediaBuys[0]?.invoiceRecipient).toEqual({ legal_name: 'One' });
  });

  it('of a cancellation keeps its own text, within the limits of 3.x', () => {
    const received = { canceled_at: first, canceled_by: 'buyer', reason: 'x'.repeat(600) };
    expect(cancellationOf('seller', 0, undefined, received)).toEqual({
      canceled_at: first,
      canceled_by: 'buyer',
      reason: 'x'.repeat(500),
    });
    expect(cancellationOf('seller', 0, undefined, { canceled_at: 'soon', canceled_by: 'me' })).toEqual({
      canceled_at: '1970-01-01T00:00:00.000Z',
      canceled_by: 'seller',
    });
  });
});

describe('a buy at two sellers', () => {
  const bought = async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const made = (slug: string, more: JsonObject) => ({
      says: {
        media_buy_id: slug,
        media_buy_status: 'pending_creatives',
        confirmed_at: null,
        revision: 1,
        packages: [{ package_id: 'p1', product_id: 'ctv' }],
        ...more,
      },
    });
    const recipient = { legal_name: 'One' };
    const billed = { invoice_recipient: recipient };
    harness.seller('acme').fate('create_media_buy', made('a', { creative_deadline: second, ...billed }));
    harness.seller('bravo').fate('create_media_buy', made('b', { creative_deadline: first, ...billed }));
    const outcome = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'], billed));
    if (!outcome.ok || outcome.value.state.buy === undefined) throw new Error('It should be made.');
    return { harness, state: outcome.value.state, buy: outcome.value.state.buy, recipient };
  };

  it('shows when the first of them needs creatives, and whom both will bill', async () => {
    const { state, buy, recipient } = await bought();
    expect(viewBuy({ ...state, buy })).toMatchObject({
      creativeDeadline: first,
      invoiceRecipient: recipient,
      parts: [
        { seller: 'acme', creativeDeadline: second },
        { seller: 'bravo', creativeDeadline: first },
      ],
    });
  });

  it('shows why one of them refused it later, and continues at the other', async () => {
    const { state, buy } = await bought();
    const [acme, bravo] = state.sellerBuys;
    const at = buy.createdAt + 1_000;
    const refused = applyStatus(
      state,
      acme!.id,
      { status: 'rejected', rejectionReason: 'Not this brand.' },
      at,
    );
    const half = viewBuy({ ...refused, buy: refused.buy! });
    expect(half.rejectionReason).toBeUndefined();
    expect(half).toMatchObject({
      status: 'pending_creatives',
      creativeDeadline: first,
      parts: [
        { seller: 'acme', status: 'rejected', rejectionReason: 'Not this brand.' },
        { seller: 'bravo', creativeDeadline: first },
      ],
    });
    const both = applyStatus(refused, bravo!.id, { status: 'rejected', rejectionReason: 'Sold.' }, at);
    const whole = viewBuy({ ...both, buy: both.buy! });
    expect(whole).toMatchObject({
      status: 'rejected',
      rejectionReason: 'acme: Not this brand. bravo: Sold.',
    });
    expect(whole.creativeDeadline).toBeUndefined();
  });

  it('shows who canceled it, and why', async () => {
    const { harness, buy } = await bought();
    const ending = { media_buy_id: buy.id, canceled: true, cancellation_reason: 'The brand withdrew.' };
    for (const slug of ['acme', 'bravo'])
      harness.seller(slug).fate('update_media_buy', {
        says: { media_buy_id: slug.slice(0, 1), media_buy_status: 'canceled', revision: 2 },
      });
    const done = await updateMediaBuy(harness.ports, harness.change(ending));
    expect(done.ok).toBe(true);
    const record = await harness.store.mediaBuy(harness.scope, buy.id);
    expect(viewBuy(record!)).toMatchObject({
      status: 'canceled',
      cancellation: { canceled_by: 'buyer', reason: 'The brand withdrew.' },
    });
  });
});
