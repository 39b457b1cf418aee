import { createEgress } from '@switchyard/egress';
import type { openSwitchyard } from '@switchyard/server';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import { textOf } from './json-reading.js';
import type { RunningSandbox } from './sandbox-process.js';

type PracticeClock = NonNullable<Parameters<typeof openSwitchyard>[0]['practiceClock']>;

const speeds = ['paused', 'second', 'minute'] as const;

/** Reads and moves the clock of the market at its control address; undefined while no market answers there. */
export function practiceClockOf(market: () => Promise<RunningSandbox | undefined>): PracticeClock {
  return async (move) => {
    const running = await market();
    if (running === undefined) return undefined;
    const egress = createEgress({ allowLoopback: true });
    try {
      const got = await egress.request({
        method: move === undefined ? 'GET' : 'POST',
        url: `${running.url}/clock${move === undefined ? '' : `/${move}`}`,
        maxBytes: 10_000,
        timeoutMs: 5_000,
      });
      const parsed = got.ok ? parseStrictJson(got.value.body) : undefined;
      const answer = parsed?.ok === true && isJsonObject(parsed.value.value) ? parsed.value.value : {};
      const speed = speeds.find((one) => one === answer['speed']);
      const marketTime = Date.parse(textOf(answer['market_time']));
      return speed === undefined || Number.isNaN(marketTime) ? undefined : { speed, marketTime };
    } finally {
      await egress.close();
    }
  };
}
