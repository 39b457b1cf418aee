import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { viewBuy } from '../read/buy-view.js';
import { updateMediaBuy } from '../update/update-media-buy.js';

const sellers = {
  acme: { isIdempotent: true },
  bravo: { isIdempotent: true, form: '2.5' as const },
};
const added = (slug: string) => ({ product_id: `${slug}:ctv`, pricing_option_id: 'cpm', budget: 40 });

describe('an update that the form of a seller cannot express', () => {
  it('ends at that seller with a code before anything is sent, and is made at the others', async () => {
    const harness = await openBuyingHarness(sellers);
    const made = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'])));
    const id = made.state.buy?.id ?? '';
    const change = { media_buy_id: id, new_packages: [added('acme'), added('bravo')] };
    const done = must(await updateMediaBuy(harness.ports, harness.change(change)));
    const { legs } = done.state;
    expect(legs.map(({ seller, status, errors }) => [seller, status, errors[0]?.code])).toEqual([
      ['acme', 'completed', undefined],
      ['bravo', 'failed', 'UNSUPPORTED_FEATURE'],
    ]);
    expect(legs[1]?.errors[0]).toMatchObject({ field: 'new_packages' });
    expect(harness.seller('bravo').received.map(({ tool }) => tool)).not.toContain('update_media_buy');
    const view = viewBuy((await harness.store.mediaBuy(harness.scope, id))!);
    expect(view.packages.map(({ packageId }) => packageId)).toEqual([
      'acme:their-1-p1',
      'bravo:their-1-p1',
      'acme:their-1-p2',
    ]);
  });
});

describe('a buy for a brand whose manifest names no address', () => {
  it('is for the brand of the account at sellers that identify brands by their domains', async () => {
    const harness = await openBuyingHarness(sellers);
    const mutation = harness.request(['acme']);
    const { request } = mutation;
    const brand = { manifest: { name: 'Acme shoes' } };
    const original = { ...request.original, form: '2.5' as const };
    const made = await createMediaBuy(harness.ports, {
      ...mutation,
      request: { ...request, brand, original },
    });
    expect(made.ok).toBe(true);
    expect(
      harness.seller('acme').received.find(({ tool }) => tool === 'create_media_buy')?.args,
    ).toMatchObject({
      brand: { domain: mutation.account?.brandDomain },
    });
  });
});
