import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../webhooks/agenda.js';
import { MarketClock } from './market-clock.js';

let folder: string;
let wall = 1_000_000;
const clocks: MarketClock[] = [];
const open = (file?: string): MarketClock => {
  const clock = new MarketClock(1_000, file, () => wall);
  clocks.push(clock);
  return clock;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-clock-'));
  wall = 1_000_000;
});
afterEach(() => {
  for (const clock of clocks.splice(0)) clock.stop();
  rmSync(folder, { recursive: true });
});

describe('the clock of the market', () => {
  it('passes a day a second, a day a minute, or none, and goes on from where it was', () => {
    const clock = open();
    const passed = (ms: number): number => {
      const before = clock.now();
      wall += ms;
      return Math.round(clock.now() - before);
    };
    expect(passed(60_000)).toBe(60_000);
    clock.set('minute');
    expect(passed(60_000)).toBe(1_000);
    clock.set('paused');
    expect(passed(60_000)).toBe(0);
    const before = clock.now();
    clock.nextDay();
    expect(clock.now() - before).toBe(1_000);
    clock.set('second');
    expect(passed(5_000)).toBe(5_000);
  });

  it('does what is due when the day comes, whether the day came by itself or was asked for', async () => {
    const clock = open();
    const agenda = new Agenda();
    clock.set('paused');
    const days: string[] = [];
    const done = new Promise<void>((resolve) =>
      clock.at(clock.now() + 1_500, agenda, () => {
        days.push('second day');
        resolve();
      }),
    );
    const first = new Promise<void>((resolve) => clock.at(clock.now() + 500, agenda, () => resolve()));
    clock.nextDay();
    await first;
    expect(days).toEqual([]);
    clock.nextDay();
    await done;
    expect(days).toEqual(['second day']);
  });

  it('is the same after a restart, and starts anew where its file is damaged', () => {
    const file = join(folder, 'clock.json');
    const before = open(file);
    before.nextDay();
    before.set('paused');
    const at = before.now();
    wall += 90_000;
    expect([open(file).speed, open(file).now()]).toEqual(['paused', at]);
    writeFileSync(file, '{"speed":"second"');
    expect([open(file).speed, open(file).now()]).toEqual(['second', wall]);
  });
});
