import { describe, expect, it } from '@jest/globals';
import { startReceiver, startServer } from '@switchyard/testing';
import { noTracing, openTracing } from './index.js';
import { tracedCalls, type Tracing } from './tracing.js';

const settings = { serviceName: 'test', ratio: 1, onDropped: () => undefined };

describe('traces', () => {
  it('do nothing without a collector, and leave what they would wrap as it is', async () => {
    const tracing = await openTracing(undefined);
    const target = { read: () => Promise.resolve(1) };
    expect(tracing).toBe(noTracing);
    expect(tracedCalls(tracing, 'store', target, ['read'])).toBe(target);
    expect(await tracing.run('a step', {}, () => Promise.resolve(tracing.current()))).toBeUndefined();
  });

  it('know the step of each flow of calls, also of those that run at once', async () => {
    await traced({ ratio: 1 }, async (tracing) => {
      const inside = (name: string) =>
        tracing.run(name, {}, async () => {
          const before = tracing.current();
          await new Promise((resolve) => setImmediate(resolve));
          return [before, tracing.current()];
        });
      const [[first, again], [second]] = await Promise.all([inside('one'), inside('two')] as const);
      expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(again).toBe(first);
      expect(second).not.toBe(first);
      expect(tracing.current()).toBeUndefined();
    });
  });

  it('link a step to each of what caused it, once, and to nothing that is no trace', async () => {
    const cause = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
    const received = await traced({ ratio: 1 }, async (tracing) => {
      const causedBy = [cause('1'), undefined, cause('2'), '', cause('1'), 'no trace'];
      await tracing.run('a step', { causedBy }, () => Promise.resolve());
    });
    const links = [...JSON.stringify(received).matchAll(/"traceId":"(1{32}|2{32})"/g)].map(
      ([, id]) => id?.[0],
    );
    expect(links).toEqual(['1', '2']);
  });

  it('record no share of nothing, whatever a caller says', async () => {
    const received = await traced({ ratio: 0 }, async (tracing) => {
      const causedBy = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
      await tracing.run('a step', { causedBy }, () => Promise.resolve());
    });
    expect(received).toEqual([]);
  });

  it('mark a step that rejects with the class of the error, and never with its text', async () => {
    const received = await traced({ ratio: 1 }, async (tracing) => {
      const failing = tracedCalls(
        tracing,
        'store',
        { read: () => Promise.reject(new RangeError('a secret text')) },
        ['read'],
      );
      await expect(failing.read()).rejects.toThrow('a secret text');
    });
    expect(JSON.stringify(received)).toContain('RangeError');
    expect(JSON.stringify(received)).toContain('store read');
    expect(JSON.stringify(received)).not.toContain('a secret text');
  });

  it('drop and count what a collector does not take', async () => {
    let dropped = 0;
    const collector = await startServer((_, response) => response.writeHead(400).end());
    const tracing = await openTracing({
      ...settings,
      endpoint: collector.url,
      onDropped: (spans) => {
        dropped += spans;
      },
    });
    // 4,096 wait beside the batch that is being sent; the rest finds no place.
    for (let count = 0; count < 5_000; count += 1) tracing.start('a step').end();
    expect(dropped).toBe(5_000 - 4_096 - 512);
    await tracing.close();
    await collector.close();
    expect(dropped).toBe(5_000);
  });
});

/** What a collector got of work that was traced. */
async function traced(
  how: { readonly ratio: number },
  work: (tracing: Tracing) => Promise<void>,
): Promise<readonly unknown[]> {
  const collector = await startReceiver();
  const tracing = await openTracing({ ...settings, ...how, endpoint: collector.url });
  await work(tracing);
  await tracing.close();
  await collector.close();
  return collector.received;
}
