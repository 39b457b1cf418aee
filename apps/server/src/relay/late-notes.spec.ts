import { beforeEach, describe, expect, it } from '@jest/globals';
import { testClock, type TestClock } from '@switchyard/testing';
import { createLateNotes, type LateNotes } from './late-notes.js';

let clock: TestClock;
let failures: unknown[];
let noted: string[];
let notes: LateNotes;

beforeEach(() => {
  clock = testClock();
  failures = [];
  noted = [];
  notes = createLateNotes({ clock, onUnexpected: (error) => failures.push(error) });
});

const add = (name: string, bytes = 10): void =>
  notes.add(bytes, () => {
    noted.push(name);
    return Promise.resolve();
  });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is noted late', () => {
  it('waits for others for a tenth of a second, and is noted without anybody asking', async () => {
    add('one');
    clock.advance(99);
    expect(noted).toEqual([]);
    add('two');
    clock.advance(1);
    await turn();
    expect(noted).toEqual(['one', 'two']);
  });

  it('is noted at once, in the order in which it came, for whoever has to know it', async () => {
    for (let at = 0; at < 20; at += 1) add(String(at));
    await notes.caughtUp();
    expect(noted).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
    await notes.caughtUp();
    expect(noted).toHaveLength(20);
  });

  it('never gathers more than a bound, by number and by bytes', async () => {
    for (let at = 0; at < 64; at += 1) add(String(at));
    while (noted.length < 64) await turn();
    add('large', 5 * 1024 * 1024);
    while (noted.length < 65) await turn();
    expect(noted.at(-1)).toBe('large');
  });

  it('lets others in between: many notes are not one turn', async () => {
    for (let at = 0; at < 63; at += 1) add(String(at));
    const caught = notes.caughtUp();
    await turn();
    expect(noted.length).toBeLessThan(30);
    await caught;
    expect(noted).toHaveLength(63);
  });

  it('loses none over one that cannot be made, and tells of that one', async () => {
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
