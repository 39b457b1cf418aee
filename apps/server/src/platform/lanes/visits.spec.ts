import { describe, expect, it } from '@jest/globals';
import { createVisits } from './visits.js';

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('visits', () => {
  it('of one name run one after another, and requests made meanwhile are merged', async () => {
    const visits = createVisits(4);
    const held = gate();
    const log: string[] = [];
    const note = (word: string) => () => Promise.resolve(void log.push(word));
    const first = visits.request('a', async () => {
      log.push('first');
      await held.opened;
    });
    const others = [1, 2, 3].map(() => visits.request('a', note('next')));
    await visits.request('b', note('other name'));
    expect(log).toEqual(['first', 'other name']);
    held.open();
    await Promise.all([first, ...others]);
    expect(log).toEqual(['first', 'other name', 'next']);
  });

  it('continue after a failure, which is reported to its requester', async () => {
    const visits = createVisits(1);
    const failing = visits.request('a', () => Promise.reject(new Error('It broke.')));
    const next = visits.request('a', () => Promise.resolve());
    await expect(failing).rejects.toThrow('It broke.');
    await expect(next).resolves.toBeUndefined();
  });

  it('have a maximum number at once, and a name with constant work takes turns with all others', async () => {
    const visits = createVisits(2);
    const log: string[] = [];
    let [under, most] = [0, 0];
    const visit = (name: string, left: number): Promise<void> =>
      visits.request(name, async () => {
        most = Math.max(most, (under += 1));
        await settled();
        log.push(name);
        under -= 1;
        if (left > 1) void visit(name, left - 1);
      });
    void visit('large', 100);
    const names = Array.from({ length: 20 }, (_, index) => `small ${index}`);
    await Promise.all(names.map((name) => visit(name, 1)));
    expect(most).toBe(2);
    expect(log.filter((name) => name === 'large').length).toBeLessThan(4);
    await visits.stop();
  });

  it('end with the running ones when stopped: waiting ones are dropped', async () => {
    const visits = createVisits(1);
    const held = gate();
    const log: string[] = [];
    const first = visits.request('a', async () => {
      await held.opened;
      log.push('a');
    });
    const second = visits.request('b', () => Promise.resolve(void log.push('b')));
    expect(visits.running()).toEqual(['a']);
    const stopping = visits.stop();
    await second;
    await visits.request('c', () => Promise.resolve(void log.push('c')));
    held.open();
    await Promise.all([first, stopping]);
    expect(log).toEqual(['a']);
  });
});
