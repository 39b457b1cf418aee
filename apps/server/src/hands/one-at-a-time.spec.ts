import { describe, expect, it } from '@jest/globals';
import { oneAtATime } from './one-at-a-time.js';

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('work of one name', () => {
  it('runs one after another, and requests that come meanwhile are one', async () => {
    const run = oneAtATime();
    const held = gate();
    const log: string[] = [];
    const first = run('a', async () => {
      log.push('first');
      await held.opened;
    });
    const others = [1, 2, 3].map(() =>
      run('a', () => {
        log.push('next');
        return Promise.resolve();
      }),
    );
    await run('b', () => {
      log.push('other name');
      return Promise.resolve();
    });
    expect(log).toEqual(['first', 'other name']);
    held.open();
    await Promise.all([first, ...others]);
    expect(log).toEqual(['first', 'other name', 'next']);
  });

  it('goes on after a failure, which reaches whoever asked', async () => {
    const run = oneAtATime();
    const failing = run('a', () => Promise.reject(new Error('It broke.')));
    const next = run('a', () => Promise.resolve());
    await expect(failing).rejects.toThrow('It broke.');
    await expect(next).resolves.toBeUndefined();
  });

  it('is waited for, with what waits behind it', async () => {
    const run = oneAtATime();
    const held = gate();
    const log: string[] = [];
    void run('a', () => held.opened);
    void run('a', () => {
      log.push('second');
      return Promise.resolve();
    });
    const idle = run.idle();
    held.open();
    await idle;
    expect(log).toEqual(['second']);
  });
});
