import { describe, expect, it } from '@jest/globals';
import { callbackNotBound, endlessAfterMs, pollPaceMs, pollPaceOf } from './poll-pace.js';

const leg = (args: object) => ({ id: 'leg', outbound: JSON.stringify(args), createdAt: 0 });
const registered = leg({ push_notification_config: { url: 'https://us.example/w', operation_id: 'o' } });

describe('the pace of polls of a task at a seller', () => {
  it('is two minutes with a webhook address, and thirty seconds without one', () => {
    expect(pollPaceOf(registered, 1_000)).toBe(120_000);
    expect(pollPaceOf(leg({}), 1_000)).toBe(30_000);
  });

  it('is thirty seconds if we get no webhooks at the address that a brand has signed', () => {
    const sealed = (url: string, codes: readonly string[] = []) => ({
      ...leg({ push_notification_config: { url, operation_id: 'o' } }),
      sealed: true as const,
      findings: codes.map((code) => ({ code, message: '' })),
    });
    const standing = 'https://relay.example/webhooks/whs_PqkfJ8IhDb7k';
    expect(pollPaceOf(sealed(standing), 1_000)).toBe(pollPaceMs.withWebhook);
    expect(pollPaceOf(sealed(standing, [callbackNotBound]), 1_000)).toBe(pollPaceMs.without);
    expect(pollPaceOf(sealed('https://bikes.example/hooks/1'), 1_000)).toBe(pollPaceMs.without);
  });

  it('slows down after a day without an outcome, and never stops', () => {
    expect(pollPaceOf(registered, endlessAfterMs - 1)).toBe(pollPaceMs.withWebhook);
    for (const days of [1, 30, 3_000])
      expect(pollPaceOf(registered, days * endlessAfterMs)).toBe(pollPaceMs.endless);
  });
});
