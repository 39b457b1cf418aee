import { beforeEach, describe, expect, it } from '@jest/globals';
import { testClock, type TestClock } from '@switchyard/testing';
import { createDeferredAnswers, type DeferredAnswers } from './deferred-answers.js';

let clock: TestClock;
let failures: unknown[];
let noted: string[];
let notes: DeferredAnswers;

beforeEach(() => {
  clock = testClock();
  failures = [];
  noted = [];
  notes = createDeferredAnswers({ clock, onUnexpected: (error) => failures.push(error) });
});

const add = (name: string, bytes = 10): void =>
  notes.add(bytes, () => {
    noted.push(name);
    return Promise.resolve();
  });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('late notes', () => {
  it('gather for a tenth of a second, and are then made unrequested', async () => {
    add('one');
    clock.advance(99);
    expect(noted).toEqual([]);
    add('two');
    clock.advance(1);
    await turn();
    expect(noted).toEqual(['one', 'two']);
  });

  it('are made at once and in order for a caller that awaits them', async () => {
    for (let at = 0; at < 20; at += 1) add(String(at));
    await notes.caughtUp();
    expect(noted).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
    await notes.caughtUp();
    expect(noted).toHaveLength(20);
  });

  it('gather at most a fixed number and a fixed size', async () => {
    for (let at = 0; at < 64; at += 1) add(String(at));
    while (noted.length < 64) await turn();
    add('large', 5 * 1024 * 1024);
    while (noted.length < 65) await turn();
    expect(noted.at(-1)).toBe('large');
  });

  it('are spread over several turns of the event loop', async () => {
    for (let at = 0; at < 63; at += 1) add(String(at));
    const caught = notes.caughtUp();
    await turn();
    expect(noted.length).toBeLessThan(30);
    await caught;
    expect(noted).toHaveLength(63);
  });

  it('continue after a note that fails, and report it', async () => {
    add('before');
    notes.add(1, () => Promise.reject(new Error('unreadable')));
    notes.add(1, () => {
      throw new Error('broken');
    });
    add('after');
    await notes.caughtUp();
    expect(noted).toEqual(['before', 'after']);
    expect(failures).toHaveLength(2);
  });
});
