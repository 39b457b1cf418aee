import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { JobData } from '../enqueue-job.js';
import type { QueueOptions } from '../open-queue.js';
import type { JobDelivery, JobHandler, TestQueue } from './test-queue.js';

export interface QueueSubject {
  /** One more process on the same store. The contract closes it. */
  open(options?: Pick<QueueOptions, 'onError'>): Promise<TestQueue>;
  /** Removes all jobs. */
  flush(): Promise<void>;
  /** Cuts every connection of the queues, and refuses new ones until `mend`. */
  sever(): Promise<void>;
  mend(): Promise<void>;
}

interface QueueClause {
  readonly guarantee: string;
  /** Throws if the guarantee does not hold. */
  readonly check: (subject: QueueSubject) => Promise<void>;
}

/** The contract of the queue on every store. Each clause has its own topic. */
export const queueContract: readonly QueueClause[] = [
  {
    guarantee: 'a job runs once, with its payload',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const { seen, handler } = recorder();
        await queue.handle(topic, handler);
        const job = { organizationId: randomUUID(), key: 'leg-1' };
        await enqueue(queue, topic, job);
        await until(() => seen.length > 0);
        await settled(queue, topic);
        assert.deepEqual(seen, [{ ...job, topic, attempt: 1 }]);
      }),
  },
  {
    guarantee: 'a job without a handler waits for one',
    check: (subject) =>
      withQueues(subject, 2, async ([producing, working], topic) => {
        await enqueue(producing, topic, { organizationId: randomUUID() });
        const { seen, handler } = recorder();
        await working.handle(topic, handler);
        await until(() => seen.length === 1);
      }),
  },
  {
    guarantee: 'topics do not affect each other: one that hangs leaves the next one running',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const gate = openGate();
        const { seen, handler } = recorder();
        await queue.handle(`${topic}-stuck`, () => gate.passed);
        await queue.handle(topic, handler);
        await enqueue(queue, `${topic}-stuck`, { organizationId: randomUUID() });
        await enqueue(queue, topic, { organizationId: randomUUID() });
        await until(() => seen.length === 1);
        gate.open();
      }),
  },
  {
    guarantee: 'a failing handler is retried until it succeeds, and the failure is reported',
    check: async (subject) => {
      const errors: Error[] = [];
      await withQueues(
        subject,
        1,
        async ([queue], topic) => {
          const attempts: number[] = [];
          await queue.handle(
            topic,
            ({ attempt }) => {
              attempts.push(attempt);
              return attempt < 3 ? Promise.reject(new Error(`attempt ${attempt} failed`)) : Promise.resolve();
            },
            1,
          );
          await enqueue(queue, topic, { organizationId: randomUUID(), key: 'k' });
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
      'jobs of one key are merged while they wait; other keys, tenants and jobs without a key are not',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const [ours, theirs] = [randomUUID(), randomUUID()];
        for (let round = 0; round < 5; round += 1)
          await enqueue(queue, topic, { organizationId: ours, key: 'a' });
        await enqueue(queue, topic, { organizationId: ours, key: 'b' });
        await enqueue(queue, topic, { organizationId: theirs, key: 'a' });
        await enqueue(queue, topic, { organizationId: ours });
        await enqueue(queue, topic, { organizationId: ours });
        const { seen, handler } = recorder();
        await queue.handle(topic, handler);
        await settled(queue, topic);
        const labels = seen.map(({ organizationId, key }) => `${organizationId}/${key ?? '-'}`).sort();
        const expected = [`${ours}/a`, `${ours}/b`, `${theirs}/a`, `${ours}/-`, `${ours}/-`].sort();
        assert.deepEqual(labels, expected);
      }),
  },
  {
    guarantee: 'a key that is queued while it is handled runs once more afterwards, and is free again then',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const job = { organizationId: randomUUID(), key: 'a' };
        const gate = openGate();
        let runs = 0;
        await queue.handle(topic, () => {
          runs += 1;
          return runs === 1 ? gate.passed : Promise.resolve();
        });
        await enqueue(queue, topic, job);
        await until(() => runs === 1);
        for (let round = 0; round < 3; round += 1) await enqueue(queue, topic, job);
        gate.open();
        await until(() => runs === 2);
        await settled(queue, topic);
        assert.equal(runs, 2);
        await enqueue(queue, topic, job);
        await until(() => runs === 3);
      }),
  },
  {
    guarantee: 'two processes share the load, and no job runs in both',
    check: (subject) =>
      withQueues(subject, 2, async ([one, two], topic) => {
        const gate = openGate();
        const runs: [string[], string[]] = [[], []];
        const handlerOf = (mine: string[]) => async (delivery: JobDelivery) => {
          mine.push(delivery.key ?? '');
          await gate.passed;
        };
        await one.handle(topic, handlerOf(runs[0]));
        await two.handle(topic, handlerOf(runs[1]));
        const organizationId = randomUUID();
        const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
        for (const key of keys) await enqueue(one, topic, { organizationId, key });
        // Each handles one job while the gate is closed, so neither can have handled both.
        await until(() => runs[0].length === 1 && runs[1].length === 1);
        gate.open();
        await until(() => runs[0].length + runs[1].length === keys.length);
        await settled(one, topic);
        assert.deepEqual([...runs[0], ...runs[1]].sort(), [...keys].sort());
      }),
  },
  {
    guarantee: 'no more handlers run at once than requested',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const gate = openGate();
        let running = 0;
        let most = 0;
        let done = 0;
        await queue.handle(
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
        for (let round = 0; round < 9; round += 1)
          await enqueue(queue, topic, { organizationId: randomUUID() });
        await until(() => running === 3);
        gate.open();
        await until(() => done === 9);
        assert.equal(most, 3);
      }),
  },
  {
    guarantee: 'closing waits for the running handler, and waiting jobs run in another process',
    check: (subject) =>
      withQueues(subject, 2, async ([leaving, staying], topic) => {
        const gate = openGate();
        let started = 0;
        let finished = 0;
        await leaving.handle(topic, async () => {
          started += 1;
          await gate.passed;
          finished += 1;
        });
        await enqueue(leaving, topic, { organizationId: randomUUID(), key: 'first' });
        await enqueue(leaving, topic, { organizationId: randomUUID(), key: 'second' });
        await until(() => started === 1);
        let closed = false;
        const closing = leaving.close().then(() => (closed = true));
        const { seen, handler } = recorder();
        await staying.handle(topic, handler);
        await until(() => seen.length === 1);
        assert.deepEqual([closed, started, finished], [false, 1, 0]);
        gate.open();
        await closing;
        assert.deepEqual([started, finished, seen[0]?.key], [1, 1, 'second']);
        const late = await leaving.enqueue(topic, { organizationId: randomUUID() });
        assert.equal(late.ok, false);
      }),
  },
  {
    guarantee: 'the depth of each topic can be read',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const organizationId = randomUUID();
        await enqueue(queue, topic, { organizationId });
        await enqueue(queue, topic, { organizationId });
        assert.deepEqual(await queue.depth(topic), { waiting: 2, delayed: 0, active: 0 });
      }),
  },
  {
    guarantee: 'a flush loses only the waiting jobs: the next one runs',
    check: (subject) =>
      withQueues(subject, 1, async ([queue], topic) => {
        const organizationId = randomUUID();
        const { seen, handler } = recorder();
        await enqueue(queue, topic, { organizationId, key: 'lost' });
        await enqueue(queue, topic, { organizationId, key: 'lost too' });
        await subject.flush();
        assert.deepEqual(await queue.depth(topic), { waiting: 0, delayed: 0, active: 0 });
        await queue.handle(topic, handler);
        await enqueue(queue, topic, { organizationId, key: 'lost' });
        await until(() => seen.length === 1);
      }),
  },
  {
    guarantee:
      'a lost store is a value for the producer of a job, an error report for the worker, and is reconnected automatically',
    check: async (subject) => {
      const errors: Error[] = [];
      await withQueues(
        subject,
        1,
        async ([queue], topic) => {
          const { seen, handler } = recorder();
          await queue.handle(topic, handler);
          await enqueue(queue, topic, { organizationId: randomUUID() });
          await until(() => seen.length === 1);
          await subject.sever();
          const refused = await queue.enqueue(topic, { organizationId: randomUUID() });
          assert.deepEqual(refused.ok ? 'accepted' : refused.error.code, 'queue_unavailable');
          await until(() => errors.length > 0);
          await subject.mend();
          await untilAsync(async () => (await queue.enqueue(topic, { organizationId: randomUUID() })).ok);
          await until(() => seen.length >= 2);
        },
        (error) => errors.push(error),
      );
    },
  },
  {
    guarantee: 'a worker that starts while the store is lost reports it and works once the store is back',
    check: async (subject) => {
      const errors: Error[] = [];
      await withQueues(
        subject,
        1,
        async ([queue], topic) => {
          const { seen, handler } = recorder();
          await subject.sever();
          const started = queue.handle(topic, handler).catch(() => undefined);
          await until(() => errors.length > 0);
          await subject.mend();
          await started;
          await untilAsync(async () => (await queue.enqueue(topic, { organizationId: randomUUID() })).ok);
          await until(() => seen.length >= 1);
        },
        (error) => errors.push(error),
      );
    },
  },
];

type Two = [TestQueue, TestQueue];

async function withQueues(
  subject: QueueSubject,
  count: number,
  work: (queues: Two, topic: string) => Promise<void>,
  onError?: (error: Error) => void,
): Promise<void> {
  const queues: TestQueue[] = [];
  for (let at = 0; at < count; at += 1)
    queues.push(await subject.open(onError === undefined ? {} : { onError }));
  try {
    await work(queues as Two, `topic-${randomUUID()}`);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}

function recorder(): { readonly seen: JobDelivery[]; readonly handler: JobHandler } {
  const seen: JobDelivery[] = [];
  return { seen, handler: (delivery) => Promise.resolve(void seen.push(delivery)) };
}

function openGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((pass) => (open = pass));
  return { passed, open };
}

async function enqueue(queue: TestQueue, topic: string, job: JobData): Promise<void> {
  const queued = await queue.enqueue(topic, job);
  assert.ok(queued.ok, queued.ok ? '' : queued.error.message);
}

/** No job waits, runs or is delayed. */
async function settled(queue: TestQueue, topic: string): Promise<void> {
  await untilAsync(async () => {
    const { waiting, delayed, active } = await queue.depth(topic);
    return waiting + delayed + active === 0;
  });
}

async function until(condition: () => boolean): Promise<void> {
  await untilAsync(() => Promise.resolve(condition()));
}

async function untilAsync(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'what was waited for did not come in 15 s: ' + condition.toString());
    await new Promise((next) => setTimeout(next, 10));
  }
}
