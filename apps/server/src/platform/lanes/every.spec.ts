import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import { every } from './every.js';

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('rounds', () => {
  it('come one pause after another, and a failing one does not end them', async () => {
    const clock = testClock();
    let rounds = 0;
    const failures: unknown[] = [];
    const running = every(
      clock,
      1_000,
      () => {
        rounds += 1;
        return rounds === 2 ? Promise.reject(new Error('second')) : Promise.resolve();
      },
      (error) => failures.push(error),
    );
    for (let second = 0; second < 4; second += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(rounds).toBe(4);
    expect(failures).toHaveLength(1);
    await running.stop();
  });

  it('never overlap: the pause begins when a round has ended', async () => {
    const clock = testClock();
    let begun = 0;
    let finish = (): void => undefined;
    const running = every(
      clock,
      1_000,
      () => {
        begun += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      () => undefined,
    );
    clock.advance(1_000);
    clock.advance(10_000);
    await settled();
    expect(begun).toBe(1);
    finish();
    await settled();
    clock.advance(1_000);
    expect(begun).toBe(2);
    finish();
    await running.stop();
  });

  it('stop after the current one, and none begins afterwards', async () => {
    const clock = testClock();
    let begun = 0;
    const running = every(
      clock,
      1_000,
      () => Promise.resolve(void (begun += 1)),
      () => undefined,
    );
    await running.stop();
    clock.advance(5_000);
    await settled();
    expect(begun).toBe(0);
  });
});
