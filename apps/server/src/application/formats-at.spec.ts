import { describe, expect, it } from '@jest/globals';
import type { ReadPorts } from '@switchyard/buys';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { openBuyingDesk } from '@switchyard/testing';
import { FormatShelf, listedForMs, silentForMs } from './format-shelf.js';
import { formatsAt } from './formats-at.js';

const banner = { agent_url: 'https://creatives.example', id: 'banner' };
const both = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };

/** Two sellers, of which acme lists a banner and bravo breaks; and how often each was asked. */
async function asking() {
  const desk = await openBuyingDesk(both);
  const ports: ReadPorts = {
    ...desk.ports,
    breakers: new BreakerBoard(defaultBreakerPolicy),
    bulkhead: new Bulkhead(4),
  };
  desk
    .seller('acme')
    .fate('list_creative_formats', { says: { formats: [{ format_id: banner, name: 'Banner' }] } });
  const call = { signal: new AbortController().signal };
  const formatShelf = new FormatShelf(desk.clock);
  const ask = formatsAt({ ports, formatShelf }, { call, scope: desk.scope } as never);
  const connections = ['acme', 'bravo'].map((slug) => desk.connection(slug));
  const heard = (): number[] => ['acme', 'bravo'].map((slug) => desk.seller(slug).heard.length);
  return { desk, heard, ask: () => ask(connections, [banner]) };
}

describe('the formats that sellers list', () => {
  it('are asked for once in some minutes, and again after them', async () => {
    const { desk, heard, ask } = await asking();
    const keys = (await ask()).get(desk.connection('acme').id);
    expect(keys?.size).toBe(1);
    desk.clock.advance(silentForMs - 1);
    expect((await ask()).get(desk.connection('acme').id)).toEqual(keys);
    expect(heard()).toEqual([1, 1]);
    desk.clock.advance(listedForMs);
    await ask();
    expect(heard()).toEqual([2, 2]);
  });

  it('of a seller that hangs cost one sync its patience, and the next none of it for a minute', async () => {
    const { desk, heard, ask } = await asking();
    desk.seller('bravo').fate('list_creative_formats', 'hang', 'hang');
    const first = ask();
    while (heard()[1] === 0) await new Promise((resolve) => setImmediate(resolve));
    desk.clock.advance(5_000);
    expect((await first).get(desk.connection('bravo').id)).toEqual(new Set());
    // No clock moves here: a second question to the seller would never come back.
    expect((await ask()).get(desk.connection('bravo').id)).toEqual(new Set());
    expect(heard()).toEqual([1, 1]);
  });

  it('are asked for anew where the seller has moved', () => {
    const clock = { now: () => 0 };
    const shelf = new FormatShelf(clock);
    shelf.keep({ id: 'a', agentUrl: 'https://old.example' }, new Set(['x']));
    expect(shelf.at({ id: 'a', agentUrl: 'https://old.example' })).toEqual(new Set(['x']));
    expect(shelf.at({ id: 'a', agentUrl: 'https://new.example' })).toBeUndefined();
  });
});
