import { describe, expect, it } from '@jest/globals';
import { createTelemetry } from '@switchyard/telemetry';
import { outboxPurge, outboxStore, dueWork } from '@switchyard/store';
import { measureLag } from '../../main/scheduled-jobs.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

const dayMs = 86_400_000;
const stage = useOutboxStage();

const activityOf = async (mediaBuyId: string | undefined) =>
  outboxStore(stage.spec.store).activity(stage.spec.scope, {
    principalId: stage.spec.principalId,
    mediaBuyIds: [mediaBuyId ?? ''],
    limit: 50,
    withTasks: true,
  });
const rowsOf = async (table: 'outbox_event' | 'webhook_attempt') => {
  const { rows } = await stage.spec.store.inTenant(stage.spec.scope, (client) =>
    client.query<{ many: number }>(`select count(*)::int as many from ${table}`),
  );
  return rows[0]?.many;
};

describe('events sent to buyers', () => {
  it('are deleted with their attempts after the retention, unlike unsent ones', async () => {
    const sent = await stage.spec.order([{ url: stage.receiver.url }]);
    await stage.spec.become(sent, 'working');
    await stage.spec.send(stage.dispatch);
    stage.spec.clock.advance(31 * dayMs);
    const owed = await stage.spec.order([{ url: stage.receiver.url }]);
    stage.receiver.answer = () => ({ status: 503 });
    await stage.spec.become(owed, 'working');
    await stage.spec.send(stage.dispatch);
    const purge = outboxPurge(stage.spec.store);
    expect(await purge.events(stage.spec.scope, stage.spec.clock.now() - 32 * dayMs)).toBe(0);
    expect(await activityOf(sent.buy?.id)).toHaveLength(1);
    expect(await purge.events(stage.spec.scope, stage.spec.clock.now() - 30 * dayMs)).toBe(1);
    expect(await activityOf(sent.buy?.id)).toEqual([]);
    expect(await activityOf(owed.buy?.id)).toMatchObject([{ status: 'failed' }]);
    expect([await rowsOf('outbox_event'), await rowsOf('webhook_attempt')]).toEqual([1, 1]);
  });
});

describe('the published lag', () => {
  it('is that of the webhook due longest, and absent without one', async () => {
    const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
    const parts = { due: dueWork(stage.spec.store), metrics };
    const lag = async () => {
      await measureLag(parts, stage.spec.clock);
      const { values } = await metrics.outboxLagSeconds.get();
      return values[0]?.value;
    };
    // Events that other tests left waiting are a day old by then, and end with the next round.
    stage.spec.clock.advance(2 * dayMs);
    await stage.spec.send(stage.dispatch);
    await stage.dispatch.stop();
    expect(await lag()).toBe(0);
    const draft = await stage.spec.order([{ url: stage.receiver.url }]);
    await stage.spec.become(draft, 'working');
    stage.spec.clock.advance(90_000);
    expect(await lag()).toBe(90);
    stage.dispatch = stage.spec.dispatch();
    await stage.spec.send(stage.dispatch);
    expect(await lag()).toBe(0);
  });
});
