import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** A process of its own on the built code: it does what its input says, and answers in lines. */
const program = `
import { createInterface } from 'node:readline';
import { openExchange } from '@switchyard/queue';
import { BreakerBoard, defaultBreakerPolicy } from '@switchyard/sellers';
import { shareRateLimits } from './dist/platform/caller/share-rate-limits.js';
import { shareBreakers } from './dist/sellers/share-breakers.js';
const say = (text) => process.stdout.write(text + '\\n');
const clock = { now: () => Date.now(), after: (ms, then) => { const t = setTimeout(then, ms); return () => clearTimeout(t); } };
const inner = openExchange({ redisUrl: process.env.REDIS_URL, namespace: process.env.NAMESPACE, onError: () => undefined });
const exchange = {
  publish: inner.publish,
  subscribe: (topic, take) => inner.subscribe(topic, (text) => { take(text); say('heard ' + topic); }),
};
const slow = { perSecond: 0.001, burst: 20 };
const limits = shareRateLimits({ reads: slow, writes: slow, combined: slow, inserts: slow, public: slow, failures: slow }, clock, exchange);
const board = new BreakerBoard(defaultBreakerPolicy);
shareBreakers(board, clock, exchange);
const key = { organizationId: 'acme', connectionId: 'one' };
createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, who] = line.split(' ');
  if (command === 'take') say('granted ' + who + ' ' + String(limits.take(who, 'write') === undefined));
  if (command === 'fail') board.settle(board.admit(key, Date.now()).ticket, 'failed', Date.now());
  if (command === 'phase') say('phase ' + board.phaseOf(key));
});
`;

function startProcess(namespace: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { ...process.env, NAMESPACE: namespace },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let wake = (): void => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  /** The next line that begins so; the ones before it are dropped. */
  const next = async (start: string): Promise<string> => {
    for (;;) {
      const found = lines.findIndex((line) => line.startsWith(start));
      if (found >= 0) return lines.splice(0, found + 1).at(-1) ?? '';
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return {
    say: (line: string) => void child.stdin.write(`${line}\n`),
    ask: (line: string, start: string) => {
      child.stdin.write(`${line}\n`);
      return next(start);
    },
    next,
    forget: () => void lines.splice(0),
    end: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

describe('two processes with one Redis', () => {
  const namespace = `test-${randomUUID()}`;
  let one: ReturnType<typeof startProcess>;
  let other: ReturnType<typeof startProcess>;
  beforeAll(async () => {
    expect(process.env['REDIS_URL'] ?? '').not.toBe('');
    [one, other] = [startProcess(namespace), startProcess(namespace)];
    // Both hear each other from here on.
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const asking = setInterval(() => from.say(`take principal:${randomUUID()}`), 100);
      await to.next('heard rates');
      clearInterval(asking);
    }
  });
  afterAll(() => Promise.all([one.end(), other.end()]));

  it('grant a budget of a caller once between them', async () => {
    for (let call = 0; call < 20; call += 1)
      expect(await one.ask('take principal:a', 'granted principal:a')).toMatch(/true$/);
    expect(await one.ask('take principal:a', 'granted principal:a')).toMatch(/false$/);
    // What is told of budgets is told in order, so once the other has heard of a later one, it knows of this one too.
    other.forget();
    one.say('take principal:later');
    await other.next('heard rates');
    expect(await other.ask('take principal:a', 'granted principal:a')).toMatch(/false$/);
  });

  it('ask a seller no more in both after it has failed three times in one', async () => {
    other.forget();
    for (let call = 0; call < 3; call += 1) one.say('fail');
    await other.next('heard breakers');
    expect(await other.ask('phase', 'phase')).toBe('phase open');
  });
});
