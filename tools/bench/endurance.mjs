/**
 * Whether memory and handles stay flat: `switchyard up` under steady reads and purchases for 60 minutes (5 with --quick, or
 * --minutes), its resident memory and open handles measured all the while. Each caller rests between two purchases for --pause
 * milliseconds (0). Prints each measurement as it is made, the curve, and the slope of its second half, in which all caches
 * are warm.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const harness = (name) => import(new URL(`../../apps/e2e/server/dist/harness/${name}.js`, import.meta.url));

const account = { brand: { domain: 'brand.example' }, operator: 'localhost' };
const points = 24;
const callers = 4;
const rates = {
  SWITCHYARD_RATE_READS: '100000/1000000',
  SWITCHYARD_RATE_WRITES: '100000/1000000',
};

export async function endurance({ quick, minutes = quick ? 5 : 60, rest = 0 }) {
  const { dataFolder } = await harness('data-folder');
  const { startInstance } = await harness('instance');
  const folder = dataFolder();
  let instance;
  try {
    instance = await startInstance(folder.path, ['--market', 'prompt,seed,behind'], rates);
    const { url, token, pid } = instance;
    const totals = { calls: 0, refused: 0 };
    const until = Date.now() + minutes * 60_000;
    const load = Promise.all(
      Array.from({ length: callers }, () => work({ url, token, until, rest, totals })),
    );
    const samples = [];
    const every = (minutes * 60_000) / points;
    for (let at = 1; at <= points; at += 1) {
      await pause(every);
      samples.push({ minute: (at * every) / 60_000, ...sizeOf(pid) });
      console.error(JSON.stringify({ ...samples.at(-1), ...totals }));
    }
    await load;
    return [[rowOf(samples, totals, minutes)]];
  } finally {
    await instance?.kill();
    await folder.remove();
  }
}

/** Asks for products, buys the first one that has a fixed price, reads the buy and pauses it, over and over. */
async function work({ url, token, until, rest, totals }) {
  const call = async (task, args) => {
    const answer = await fetch(`${url}/v1/tasks/${task}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ adcp_version: '3.1', ...args }),
    });
    const body = await answer.json();
    totals.calls += 1;
    if (!answer.ok) totals.refused += 1;
    return body;
  };
  while (Date.now() < until) {
    const { products = [] } = await call('get_products', {
      buying_mode: 'brief',
      brief: 'coffee drinkers',
      brand: account.brand,
    });
    const [offer] = products.flatMap(({ product_id, pricing_options = [] }) =>
      pricing_options
        .filter(({ fixed_price }) => fixed_price > 0)
        .map(({ pricing_option_id }) => ({ product_id, pricing_option_id })),
    );
    if (offer === undefined) continue;
    const made = await call('create_media_buy', {
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: 'asap',
      end_time: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      packages: [{ ...offer, budget: 1_000 }],
    });
    if (made.media_buy_id === undefined) continue;
    await call('get_media_buys', { account, media_buy_ids: [made.media_buy_id] });
    await call('update_media_buy', {
      idempotency_key: randomUUID(),
      account,
      media_buy_id: made.media_buy_id,
      canceled: true,
    });
    await pause(rest);
  }
}

/** Megabytes of resident memory, and open descriptors, of a process (proc(5)). */
function sizeOf(pid) {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { mb: Number(kib) / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
}

function rowOf(samples, { calls, refused }, minutes) {
  const late = samples.slice(samples.length / 2);
  const curve = (name) => samples.map((sample) => Math.round(sample[name])).join(' ');
  return {
    scenario: `Reads and purchases by ${callers} callers for ${minutes} minutes, measured ${points} times`,
    contender: 'switchyard up',
    calls,
    refused,
    'memory MB': curve('mb'),
    'MB/min, 2nd half': slope(late, 'mb').toFixed(2),
    handles: curve('handles'),
    'handles/min, 2nd half': slope(late, 'handles').toFixed(2),
  };
}

/** Least squares, per minute. */
function slope(samples, name) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(samples.map(({ minute }) => minute));
  const size = mean(samples.map((sample) => sample[name]));
  const products = samples.map((sample) => (sample.minute - at) * (sample[name] - size));
  const squares = samples.map(({ minute }) => (minute - at) ** 2);
  return mean(products) / mean(squares);
}
