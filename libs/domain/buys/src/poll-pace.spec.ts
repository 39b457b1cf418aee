import { describe, expect, it } from '@jest/globals';
import { endlessAfterMs, pollPaceMs, pollPaceOf } from './poll-pace.js';

const leg = (args: object) => ({ id: 'leg', outbound: JSON.stringify(args), createdAt: 0 });
const registered = leg({ push_notification_config: { url: 'https://us.example/w', operation_id: 'o' } });

describe('how often a seller is asked about a task', () => {
  it('is every two minutes where it has an address for the news, and every thirty seconds where it has none', () => {
    expect(pollPaceOf(registered, 1_000)).toBe(120_000);
    expect(pollPaceOf(leg({}), 1_000)).toBe(30_000);
  });

  it('slows down after a day without an outcome, and never stops', () => {
    expect(pollPaceOf(registered, endlessAfterMs - 1)).toBe(pollPaceMs.withWebhook);
    for (const days of [1, 30, 3_000])
      expect(pollPaceOf(registered, days * endlessAfterMs)).toBe(pollPaceMs.endless);
  });
});
