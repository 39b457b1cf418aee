import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { QueueOptions } from './open-queue.js';
import type { JobDelivery, JobQueue } from './queue-job.js';

export interface QueueSubject {
  /** One more process on the same store. The contract closes it. */
  open(options?: Pick<QueueOptions, 'onError'>): Promise<JobQueue>;
  /** Removes all that is queued. */
  flush(): Promise<void>;
  /** Cuts every connection of the queues, and refuses new ones until `mend`. */
  sever(): Promise<void>;
  mend(): Promise<void>;
}

export interface QueueClause {
  readonly guarantee: string;
  /** Throws when it does not hold. */
  readonly check: (subject: QueueSubject) => Promise<void>;
}

/** What the queue must do on every store that it runs on. Each clause has a topic of its own. */
export const queueContract: readonly QueueClause[] = [
  {
    guarantee: 'a woken topic runs once, with what it was woken with',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const { seen, handler } = recorder();
        await start(queue, topic, handler);
        const wakeUp = { organizationId: randomUUID(), key: 'leg-1' };
        await wake(queue, topic, wakeUp);
        await until(() => seen.length > 0);
        await settled(queue, topic);
        assert.deepEqual(seen, [{ ...wakeUp, topic, attempt: 1 }]);
      }),
  },
  {
    guarantee: 'a wake-up that nobody handles yet waits for a handler',
    check: (subject) =>
      withQueues(subject, 2, async ([asking, working], topic) => {
        await wake(asking, topic, { organizationId: randomUUID() });
        const { seen, handler } = recorder();
        await start(working, topic, handler);
        await until(() => seen.length === 1);
      }),
  },
  {
    guarantee: 'topics do not disturb each other: one that hangs leaves the next one running',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const gate = openGate();
        const { seen, handler } = recorder();
        await start(queue, `${topic}-stuck`, () => gate.passed);
        await start(queue, topic, handler);
        await wake(queue, `${topic}-stuck`, { organizationId: randomUUID() });
        await wake(queue, topic, { organizationId: randomUUID() });
        await until(() => seen.length === 1);
        gate.open();
      }),
  },
  {
    guarantee: 'a failing handler is tried again until it succeeds, and the failure is reported',
    check: async (subject) => {
      const errors: Error[] = [];
      await withQueues(
        subject,
        1,
        async ([queue], topic) => {
          const attempts: number[] = [];
          await start(
            queue,
            topic,
            ({ attempt }) => {
              attempts.push(attempt);
              return attempt < 3 ? Promise.reject(new Error(`attempt ${attempt} failed`)) : Promise.resolve();
            },
            1,
          );
          await wake(queue, topic, { organizationId: randomUUID(), key: 'k' });
          await until(() => attempts.length === 3);
          await settled(queue, topic);
          assert.deepEqual(attempts, [1, 2, 3]);
        },
        (error) => errors.push(error),
      );
      assert.ok(errors.some((error) => error.message === 'attempt 1 failed'));
    },
  },
  {
    guarantee:
      'wake-ups of one key collapse while they wait; other keys, tenants and wake-ups without a key do not',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const [ours, theirs] = [randomUUID(), randomUUID()];
        for (let round = 0; round < 5; round += 1)
          await wake(queue, topic, { organizationId: ours, key: 'a' });
        await wake(queue, topic, { organizationId: ours, key: 'b' });
        await wake(queue, topic, { organizationId: theirs, key: 'a' });
        await wake(queue, topic, { organizationId: ours });
        await wake(queue, topic, { organizationId: ours });
        const { seen, handler } = recorder();
        await start(queue, topic, handler);
        await settled(queue, topic);
        const labels = seen.map(({ organizationId, key }) => `${organizationId}/${key ?? '-'}`).sort();
        const expected = [`${ours}/a`, `${ours}/b`, `${theirs}/a`, `${ours}/-`, `${ours}/-`].sort();
        assert.deepEqual(labels, expected);
      }),
  },
  {
    guarantee: 'a key that is woken while it is handled runs once more afterwards, and is free again then',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const wakeUp = { organizationId: randomUUID(), key: 'a' };
        const gate = openGate();
        let runs = 0;
        await start(queue, topic, () => {
          runs += 1;
          return runs === 1 ? gate.passed : Promise.resolve();
        });
        await wake(queue, topic, wakeUp);
        await until(() => runs === 1);
        for (let round = 0; round < 3; round += 1) await wake(queue, topic, wakeUp);
        gate.open();
        await until(() => runs === 2);
        await settled(queue, topic);
        assert.equal(runs, 2);
        await wake(queue, topic, wakeUp);
        await until(() => runs === 3);
      }),
  },
  {
    guarantee: 'a delayed wake-up runs not before its time, and holds no earlier one of its key back',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const organizationId = randomUUID();
        const ran: number[] = [];
        await start(queue, topic, () => {
          ran.push(Date.now());
          return Promise.resolve();
        });
        const requested = Date.now();
        await wake(queue, topic, { organizationId, key: 'a' }, 1_200);
        await wake(queue, topic, { organizationId, key: 'a' });
        await until(() => ran.length === 2);
        const [, second = 0] = ran;
        assert.ok(second - requested >= 1_195, `the delayed one came after ${second - requested} ms`);
        // Held back by one that is not due for an hour, it would not come at all.
        await wake(queue, topic, { organizationId, key: 'b' }, 3_600_000);
        await wake(queue, topic, { organizationId, key: 'b' });
        await until(() => ran.length === 3);
      }),
  },
  {
    guarantee: 'two processes share the load, and no wake-up runs in both',
    check: (subject) =>
      withQueues(subject, 2, async ([one, two], topic) => {
        const gate = openGate();
        const runs: [string[], string[]] = [[], []];
        const handlerOf = (mine: string[]) => async (delivery: JobDelivery) => {
          mine.push(delivery.key ?? '');
          await gate.passed;
        };
        await start(one, topic, handlerOf(runs[0]));
        await start(two, topic, handlerOf(runs[1]));
        const organizationId = randomUUID();
        const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
        for (const key of keys) await wake(one, topic, { organizationId, key });
        // Both hold one while the gate is shut: neither can have taken the other's.
        await until(() => runs[0].length === 1 && runs[1].length === 1);
        gate.open();
        await until(() => runs[0].length + runs[1].length === keys.length);
        await settled(one, topic);
        assert.deepEqual([...runs[0], ...runs[1]].sort(), [...keys].sort());
      }),
  },
  {
    guarantee: 'no more handlers run at once than were asked for',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const gate = openGate();
        let running = 0;
        let most = 0;
        let done = 0;
        await start(
          queue,
          topic,
          async () => {
            running += 1;
            most = Math.max(most, running);
            await gate.passed;
            running -= 1;
            done += 1;
          },
          3,
        );
        for (let round = 0; round < 9; round += 1) await wake(queue, topic, { organizationId: randomUUID() });
        await until(() => running === 3);
        gate.open();
        await until(() => done === 9);
        assert.equal(most, 3);
      }),
  },
  {
    guarantee: 'closing waits for the running handler, and what had not started runs in another process',
    check: (subject) =>
      withQueues(subject, 2, async ([leaving, staying], topic) => {
        const gate = openGate();
        let started = 0;
        let finished = 0;
        await start(leaving, topic, async () => {
          started += 1;
          await gate.passed;
          finished += 1;
        });
        await wake(leaving, topic, { organizationId: randomUUID(), key: 'first' });
        await wake(leaving, topic, { organizationId: randomUUID(), key: 'second' });
        await until(() => started === 1);
        let closed = false;
        const closing = leaving.close().then(() => (closed = true));
        const { seen, handler } = recorder();
        await start(staying, topic, handler);
        await until(() => seen.length === 1);
        assert.deepEqual([closed, started, finished], [false, 1, 0]);
        gate.open();
        await closing;
        assert.deepEqual([started, finished, seen[0]?.key], [1, 1, 'second']);
        const late = await leaving.wake(topic, { organizationId: randomUUID() });
        assert.equal(late.ok, false);
      }),
  },
  {
    guarantee: 'the depth of each topic can be read',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const organizationId = randomUUID();
        await wake(queue, topic, { organizationId });
        await wake(queue, topic, { organizationId });
        await wake(queue, topic, { organizationId }, 60_000);
        assert.deepEqual(await depthOf(queue, topic), { topic, waiting: 2, delayed: 1, active: 0 });
      }),
  },
  {
    guarantee: 'a flush loses the wake-ups that waited and nothing else: the next one runs',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const organizationId = randomUUID();
        const { seen, handler } = recorder();
        await wake(queue, topic, { organizationId, key: 'lost' });
        await wake(queue, topic, { organizationId, key: 'lost too' }, 60_000);
        await subject.flush();
        assert.deepEqual(await depthOf(queue, topic), { topic, waiting: 0, delayed: 0, active: 0 });
        await start(queue, topic, handler);
        await wake(queue, topic, { organizationId, key: 'lost' });
        await until(() => seen.length === 1);
      }),
  },
  {
    guarantee:
      'a lost store is a value for who wakes, an error report for who works, and is found again by itself',
    check: async (subject) => {
      const errors: Error[] = [];
      await withQueues(
        subject,
        1,
        async ([queue], topic) => {
          const { seen, handler } = recorder();
          await start(queue, topic, handler);
          await wake(queue, topic, { organizationId: randomUUID() });
          await until(() => seen.length === 1);
          await subject.sever();
          const refused = await queue.wake(topic, { organizationId: randomUUID() });
          assert.deepEqual(refused.ok ? 'accepted' : refused.error.code, 'queue_unavailable');
          await until(() => errors.length > 0);
          await subject.mend();
          await untilAsync(async () => (await queue.wake(topic, { organizationId: randomUUID() })).ok);
          await until(() => seen.length >= 2);
        },
        (error) => errors.push(error),
      );
    },
  },
];

type Handler = (delivery: JobDelivery) => Promise<void>;
type Two = [JobQueue, JobQueue];

async function withQueues(
  subject: QueueSubject,
  count: number,
  work: (queues: Two, topic: string) => Promise<void>,
  onError?: (error: Error) => void,
): Promise<void> {
  const queues: JobQueue[] = [];
  for (let at = 0; at < count; at += 1)
    queues.push(await subject.open(onError === undefined ? {} : { onError }));
  try {
    await work(queues as Two, `topic-${randomUUID()}`);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}

function recorder(): { readonly seen: JobDelivery[]; readonly handler: Handler } {
  const seen: JobDelivery[] = [];
  return { seen, handler: (delivery) => Promise.resolve(void seen.push(delivery)) };
}

function openGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((pass) => (open = pass));
  return { passed, open };
}

async function start(queue: JobQueue, topic: string, handler: Handler, concurrency = 1): Promise<void> {
  const started = await queue.handle(topic, handler, { concurrency });
  assert.ok(started.ok, started.ok ? '' : started.error.message);
}

async function wake(
  queue: JobQueue,
  topic: string,
  wakeUp: { organizationId: string; key?: string },
  delayMs = 0,
): Promise<void> {
  const woken = await queue.wake(topic, wakeUp, { delayMs });
  assert.ok(woken.ok, woken.ok ? '' : woken.error.message);
}

async function depthOf(queue: JobQueue, topic: string): Promise<unknown> {
  const depths = await queue.depths();
  return depths.ok ? depths.value.find((depth) => depth.topic === topic) : depths.error;
}

/** Nothing waits, nothing runs, nothing is delayed. */
async function settled(queue: JobQueue, topic: string): Promise<void> {
  await untilAsync(async () => {
    const depths = await queue.depths();
    const depth = depths.ok ? depths.value.find((one) => one.topic === topic) : undefined;
    return depth !== undefined && depth.waiting + depth.delayed + depth.active === 0;
  });
}

async function until(condition: () => boolean): Promise<void> {
  await untilAsync(() => Promise.resolve(condition()));
}

async function untilAsync(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'what was waited for did not come within two minutes');
    await new Promise((next) => setTimeout(next, 10));
  }
}
