/**
 * Runs one contender in a separate process, so that neither its heap nor its CPU time mixes with another's. Started by
 * `fork`; each message is one round, answered with its wall time, CPU time and checked answers.
 */
import { adcpSdk } from './contenders/adcp-sdk.mjs';
import { least } from './contenders/least.mjs';
import { switchyard } from './contenders/switchyard.mjs';
import { undiciLoop } from './contenders/undici-loop.mjs';
import { wholeServer } from './contenders/whole-server.mjs';
import { liveMb } from './live-memory.mjs';

const makers = {
  'undici-loop': undiciLoop,
  switchyard,
  'adcp-sdk': adcpSdk,
  'whole-server': wholeServer,
  least,
};

// The SDK prints while it works; the output of a benchmark is its table.
console.log = console.warn = console.info = console.debug = () => undefined;

let contender;

/** Sends one query and checks every answer: right seller, right nonce. `rows` and `legs` exist only for our contender. */
async function round({ nonce, only, calls = 1 }) {
  const legs = [];
  const onLeg = (row, ms) => legs.push({ slug: row.seller, status: row.status, ms });
  const elsewhere = (await contender.cpuMs?.()) ?? 0;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let good = 0;
  const errors = new Set();
  for (let call = 0; call < calls; call += 1) {
    const answers = await contender.ask(nonce, only, onLeg);
    for (const { slug, name, error } of answers) {
      if (name === `${slug} for ${nonce}`) good += 1;
      else errors.add(error ?? 'a wrong answer');
    }
  }
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return {
    ms: ms / calls,
    cpuMs: (user + system) / 1_000 + ((await contender.cpuMs?.()) ?? 0) - elsewhere,
    good,
    legs,
    errors: [...errors].slice(0, 3),
    rssMb: (await contender.rssMb?.()) ?? process.memoryUsage.rss() / 1_048_576,
  };
}

process.on('message', async ({ make, run, live, stop }) => {
  if (stop) {
    await contender.close();
    process.exit(0);
  } else if (make !== undefined) {
    contender = await makers[make.name](make.sellers, make.options);
    process.send({ ready: true, ownerUrl: contender.ownerUrl });
  } else if (live) {
    process.send({ liveMb: (await contender.liveMb?.()) ?? liveMb() });
  } else {
    process.send(await round(run));
  }
});
process.on('disconnect', () => process.exit(0));
