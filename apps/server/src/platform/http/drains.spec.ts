import { describe, expect, it } from '@jest/globals';
import { openHttpHarness } from '../../main/testkit/http-harness.js';

describe('endpoints that close', () => {
  it('answer a webhook in progress, and accept no other', async () => {
    let arrived = (): void => undefined;
    let finish = (): void => undefined;
    const underWay = new Promise<void>((resolve) => (arrived = resolve));
    const stored = new Promise<void>((resolve) => (finish = resolve));
    const http = await openHttpHarness(
      {},
      {
        webhooks: {
          accept: async () => {
            arrived();
            await stored;
            return { status: 200, headers: {}, body: '' };
          },
        },
      },
    );
    const first = http.post('/webhooks/whr_1', '{}');
    await underWay;
    const closed = http.close();
    await expect(http.post('/webhooks/whr_2', '{}')).rejects.toThrow();
    finish();
    expect((await first).status).toBe(200);
    await closed;
  });
});
