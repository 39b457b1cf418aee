import { describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { updateMediaBuy } from '../../tasks/update-media-buy.js';

describe('a requested state of a buy', () => {
  const read = (status: string) =>
    updateMediaBuy.readRequest(
      { media_buy_id: 'm', updates: { status } },
      { dialect: 'ads', form: 'service' },
      new Map(),
    );

  it.each([
    ['active', { paused: false }],
    ['paused', { paused: true }],
    ['canceled', { canceled: true }],
  ])('is %s', (status, meant) => {
    const { paused, canceled } = must(read(status));
    expect({ paused, canceled }).toEqual({ paused: undefined, canceled: undefined, ...meant });
  });

  it('is no other', () => {
    expect(read('completed')).toMatchObject({ ok: false, error: [{ field: 'updates.status' }] });
  });
});
