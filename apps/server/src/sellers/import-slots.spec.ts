import { describe, expect, it } from '@jest/globals';
import { ImportSlots, originOf } from './import-slots.js';

/** Work that ends when it is told to, with what ran at once. */
function stage() {
  const slots = new ImportSlots();
  const running: { readonly organization: string; readonly origin: string; readonly end: () => void }[] = [];
  const add = (organization: string, origin: string): Promise<void> =>
    slots.run(
      organization,
      origin,
      () =>
        new Promise<void>((resolve) => {
          const entry = {
            ...{ organization, origin },
            end: () => {
              running.splice(running.indexOf(entry), 1);
              resolve();
            },
          };
          running.push(entry);
        }),
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { add, running, settle };
}

describe('imports of sellers', () => {
  it('run eight at a time for each organization, over all its lists, and one for each origin', async () => {
    const { add, running, settle } = stage();
    const all = Array.from({ length: 1_000 }, (_, at) => add('o1', `https://s${String(at % 400)}.example`));
    const other = add('o2', 'https://s1.example');
    let most = 0;
    for (;;) {
      await settle();
      const own = running.filter(({ organization }) => organization === 'o1');
      if (own.length === 0) break;
      most = Math.max(most, own.length);
      expect(new Set(own.map(({ origin }) => origin)).size).toBe(own.length);
      // Another organization waits for none of them.
      expect(running.length).toBe(own.length + 1);
      own[0]?.end();
    }
    expect(most).toBe(8);
    await Promise.all(all);
    running[0]?.end();
    await other;
  });

  it('give their place on after a failure', async () => {
    const slots = new ImportSlots();
    const failed = slots.run('o1', 'a', () => Promise.reject(new Error('no answer')));
    const next = slots.run('o1', 'a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no answer');
    await expect(next).resolves.toBe('done');
  });

  it('count all paths of a host as one origin', () => {
    expect(originOf('https://A.example/mcp')).toBe(originOf('https://a.example:443/a2a'));
    expect(originOf('not an address')).toBe('not an address');
  });
});
