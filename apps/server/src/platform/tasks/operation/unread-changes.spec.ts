import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { harnessCall, harnessDeps } from '../testkit/harness-call.js';
import { taskService } from '../../../main/testkit/task-service.js';

describe('an update with an unknown outcome', () => {
  it('is reported as unknown to its buyer, also when repeated, and not as made', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const service = taskService(harnessDeps(harness));
    const call = async (task: string, args: JsonObject): Promise<JsonObject> =>
      (await service.call(harnessCall(harness, task, { adcp_version: '3.1', ...args }))).body;
    const made = await call('create_media_buy', harness.request(['acme']).args);
    const change = {
      media_buy_id: made['media_buy_id'] ?? '',
      idempotency_key: 'the-key-of-a-strange-change',
      total_budget: { amount: 5_000, currency: 'USD' },
    };
    const received = [{ code: 'NOTHING_CHANGED' }, { code: 'NOT_CARRIED', field: 'total_budget' }];
    for (const replayed of [undefined, true]) {
      const answer = await call('update_media_buy', change);
      expect(answer).toMatchObject({ status: 'completed', ext: { switchyard: { findings: received } } });
      expect(answer['replayed']).toBe(replayed);
    }
    expect(harness.seller('acme').received.filter(({ tool }) => tool === 'update_media_buy')).toEqual([]);
  });
});
