import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTelemetry } from '@switchyard/telemetry';
import { outboxPurge, outboxStore, workLag } from '@switchyard/store';
import { keepActivityFrom } from './forget-events.js';
import { measureLag } from './measure-lag.js';
import { openOutboxSpec, openReceiver, type OutboxSpec, type Receiver } from './spec-outbox.js';

const dayMs = 86_400_000;
let spec: OutboxSpec;
let receiver: Receiver;
let dispatch: ReturnType<OutboxSpec['dispatch']>;

beforeAll(async () => {
  spec = await openOutboxSpec();
});
afterAll(() => spec.close());
beforeEach(async () => {
  receiver = await openReceiver();
  dispatch = spec.dispatch();
});
afterEach(async () => {
  await dispatch.stop();
  await receiver.close();
});

const activityOf = async (mediaBuyId: string | undefined) =>
  outboxStore(spec.store).activity(spec.scope, {
    principalId: spec.principalId,
    mediaBuyIds: [mediaBuyId ?? ''],
    limit: 50,
    withTasks: true,
  });
const rowsOf = async (table: 'outbox_event' | 'webhook_attempt') => {
  const { rows } = await spec.store.inTenant(spec.scope, (client) =>
    client.query<{ many: number }>(`select count(*)::int as many from ${table}`),
  );
  return rows[0]?.many;
};

describe('what was sent to buyers', () => {
  it('goes with its attempts once it is beyond the retention, and what is still owed stays', async () => {
    const sent = await spec.order([{ url: receiver.url }]);
    await spec.become(sent, 'working');
    await spec.send(dispatch);
    spec.clock.advance(31 * dayMs);
    const owed = await spec.order([{ url: receiver.url }]);
    receiver.answer = () => ({ status: 503 });
    await spec.become(owed, 'working');
    await spec.send(dispatch);
    const purge = outboxPurge(spec.store);
    expect(await purge.events(spec.scope, spec.clock.now() - 32 * dayMs)).toBe(0);
    expect(await activityOf(sent.buy?.id)).toHaveLength(1);
    expect(await purge.events(spec.scope, spec.clock.now() - 30 * dayMs)).toBe(1);
    expect(await activityOf(sent.buy?.id)).toEqual([]);
    expect(await activityOf(owed.buy?.id)).toMatchObject([{ status: 'failed' }]);
    expect([await rowsOf('outbox_event'), await rowsOf('webhook_attempt')]).toEqual([1, 1]);
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['29', undefined],
    ['0', undefined],
    ['30', 30 * dayMs],
    ['365', 365 * dayMs],
    ['30.5', undefined],
    ['-30', undefined],
  ])('is kept for %s days as set', (text, expected) => {
    expect(keepActivityFrom(text === undefined ? {} : { SWITCHYARD_WEBHOOK_ACTIVITY_DAYS: text })).toBe(
      expected,
    );
  });
});

describe('the lag that is published', () => {
  it('is that of the longest due webhook, and nothing where nothing is owed', async () => {
    const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
    const parts = { lag: workLag(spec.store), organizations: spec.parts.organizations, metrics };
    const lag = async () => {
      await measureLag(parts, spec.clock);
      const { values } = await metrics.outboxLagSeconds.get();
      return values[0]?.value;
    };
    // What other tests left waiting is a day old by then, and ends with the next round.
    spec.clock.advance(2 * dayMs);
    await spec.send(dispatch);
    await dispatch.stop();
    expect(await lag()).toBe(0);
    const draft = await spec.order([{ url: receiver.url }]);
    await spec.become(draft, 'working');
    spec.clock.advance(90_000);
    expect(await lag()).toBe(90);
    dispatch = spec.dispatch();
    await spec.send(dispatch);
    expect(await lag()).toBe(0);
  });
});
