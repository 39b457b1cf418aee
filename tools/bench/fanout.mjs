/**
 * The fan-out benchmark: a bare `undici` loop (the floor), Switchyard's fan-out, and the public SDK's client query the
 * same sellers, in interleaved rounds, so that noise of the machine affects all of them.
 *
 * Wall time is the median of the rounds and their interquartile range; CPU time per call is the steadier figure. Every
 * answer of every round is checked for its seller and its nonce.
 */
import { startContender, startFarm } from './field.mjs';
import { median, quantile, spread } from './statistics.mjs';

let nonces = 0;
const freshNonce = () => `brief-${(nonces += 1)}`;

/** Interleaved rounds: one of each contender, then again. The first round of each is warm-up and not counted. */
async function interleaved(contenders, rounds, roundOf) {
  const results = new Map(contenders.map(({ label }) => [label, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const result = await contender.run(roundOf(contender));
      if (round > 0) results.get(contender.label).push(result);
    }
  }
  return results;
}

function rowOf(scenario, label, rounds, expected, floorMs) {
  const walls = rounds.map(({ ms }) => ms);
  const good = Math.min(...rounds.map((round) => round.good));
  const p50 = median(walls);
  return {
    scenario,
    contender: label,
    'p50 ms': Number(p50.toFixed(2)),
    iqr: spread(walls),
    'x floor': Number((p50 / floorMs).toFixed(2)),
    'cpu ms/call': Number((median(rounds.map(({ cpuMs }) => cpuMs)) / expected).toFixed(3)),
    answered: `${good}/${expected}`,
    'rss MB': Math.round(Math.max(...rounds.map(({ rssMb }) => rssMb))),
    rounds: rounds.length,
    errors: [...new Set(rounds.flatMap(({ errors }) => errors))].slice(0, 2),
  };
}

/** `count` sellers at `delayMs`: all must answer. The SDK's client gets fewer rounds, because it takes far longer. */
async function manySellers(count, delayMs, rounds, options) {
  const scenario = `${count} sellers at ${delayMs} ms`;
  const farm = await startFarm(count, delayMs);
  const quick = [
    await startContender('undici loop (floor)', 'undici-loop', farm.sellers),
    await startContender('switchyard', 'switchyard', farm.sellers),
  ];
  if (options.wholeServer) {
    quick.push(await startContender('switchyard up, over REST', 'whole-server', farm.sellers));
  }
  const slow = options.sdk
    ? [
        await startContender('@adcp/sdk, 18 in flight', 'adcp-sdk', farm.sellers, { inFlight: 18 }),
        await startContender('@adcp/sdk, unlimited', 'adcp-sdk', farm.sellers),
      ]
    : [];
  const ask = () => ({ nonce: freshNonce() });
  const sdkRounds = Math.max(2, Math.round(rounds / (count > 100 ? 6 : 3)));
  // The SDK runs after the others: with it a round takes seconds, and their rounds would be too far apart to compare.
  const results = await interleaved(quick, rounds, ask);
  const sdkResults = await interleaved(slow, sdkRounds, ask);
  for (const contender of [...quick, ...slow]) await contender.stop();
  farm.stop();
  const floorMs = median(results.get('undici loop (floor)').map(({ ms }) => ms));
  return [...results, ...sdkResults].map(([label, all]) => rowOf(scenario, label, all, count, floorMs));
}

/** Calls of each contender before the first counted round of `perCall`: until its code is compiled and optimized. */
const warmingCalls = 2_000;

/** One call after another to sellers that answer at once: the cost of a call beside that of a bare one. */
async function perCall(rounds, options) {
  const farm = await startFarm(1, 0);
  const contenders = [
    await startContender('undici loop (floor)', 'undici-loop', farm.sellers),
    await startContender('switchyard', 'switchyard', farm.sellers),
    ...(options.wholeServer
      ? [await startContender('switchyard up, over REST', 'whole-server', farm.sellers)]
      : []),
    ...(options.sdk ? [await startContender('@adcp/sdk', 'adcp-sdk', farm.sellers)] : []),
  ];
  const calls = 100;
  for (const contender of contenders) await contender.run({ nonce: freshNonce(), calls: warmingCalls });
  const results = await interleaved(contenders, rounds, () => ({ nonce: freshNonce(), calls }));
  for (const contender of contenders) await contender.stop();
  farm.stop();
  const floorMs = median(results.get('undici loop (floor)').map(({ ms }) => ms));
  return [...results].map(([label, all]) => rowOf('per call, 1 seller at 0 ms', label, all, calls, floorMs));
}

/**
 * One hanging seller among fifty. While its breaker is closed an answer waits for the deadline, so the other 49 legs
 * are measured; once it is open, whole answers are. The same market without it is measured in turn.
 */
async function oneHung(rounds) {
  const farm = await startFarm(51, 200);
  const hungSlug = farm.sellers[50].slug;
  await farm.hang([hungSlug]);
  const healthy = farm.sellers.slice(0, 50);
  const withHung = [...farm.sellers.slice(0, 49), farm.sellers[50]];
  const never = { failuresToOpen: Number.MAX_SAFE_INTEGER };
  const once = { failuresToOpen: 1, slowCountsFromMs: 1, openForMs: 86_400_000, openForCapMs: 86_400_000 };
  const closed = await startContender('closed', 'switchyard', farm.sellers, {
    deadlineMs: 1_000,
    breaker: never,
  });
  const open = await startContender('open', 'switchyard', farm.sellers, { deadlineMs: 1_000, breaker: once });
  await closed.run({ nonce: freshNonce() });
  // This query includes the hanging seller, waits for the deadline, and opens the breaker.
  await open.run({ nonce: freshNonce() });
  const legs = { without: [], beside: [] };
  const answers = { without: [], beside: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const rowsOf = async (contender, only) => contender.run({ nonce: freshNonce(), only });
    const plain = await rowsOf(closed, healthy);
    const hung = await rowsOf(closed, withHung);
    const whole = await rowsOf(open, healthy);
    const skipping = await rowsOf(open, withHung);
    if (round === 0) continue;
    const others = (result) =>
      result.legs.filter(({ slug, status }) => slug !== hungSlug && status === 'answered');
    legs.without.push(...others(plain).filter(({ slug }) => slug !== farm.sellers[49].slug));
    legs.beside.push(...others(hung));
    answers.without.push(whole);
    answers.beside.push(skipping);
  }
  await closed.stop();
  await open.stop();
  farm.stop();
  return [
    ...compared('the other 49 legs, breaker closed', legs.without, legs.beside, rounds * 49),
    ...compared('whole answers, breaker open', answers.without, answers.beside, rounds),
  ];
}

function compared(what, without, beside, expected) {
  const line = (contender, list, against) => {
    const p99 = quantile(
      list.map(({ ms }) => ms),
      0.99,
    );
    const base = quantile(
      against.map(({ ms }) => ms),
      0.99,
    );
    return {
      scenario: `one hung among 50: ${what}`,
      contender,
      'p50 ms': Number(median(list.map(({ ms }) => ms)).toFixed(1)),
      'p99 ms': Number(p99.toFixed(1)),
      'p99 moved by': `${(((p99 - base) / base) * 100).toFixed(1)} %`,
      answered: `${list.length}/${expected}`,
    };
  };
  return [line('50 healthy', without, without), line('one of them hung', beside, without)];
}

/** Memory over many rounds against 500 sellers: resident size after each tenth. */
async function memory(rounds) {
  const farm = await startFarm(500, 200);
  const ours = await startContender('switchyard', 'switchyard', farm.sellers);
  const sizes = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await ours.run({ nonce: freshNonce() });
    if (result.good !== 500) throw new Error(`round ${round}: ${result.good} of 500 answered`);
    if (round % Math.ceil(rounds / 10) === 0) sizes.push(Math.round(result.rssMb));
  }
  await ours.stop();
  farm.stop();
  return [
    { scenario: `memory over ${rounds} rounds of 500`, contender: 'switchyard', 'rss MB': sizes.join(' ') },
  ];
}

/** Runs all parts in turn. `wholeServer` also starts the built product and queries it over its REST API. */
export async function fanout({ quick = false, sdk = true, wholeServer = false, only, memoryRounds = 0 }) {
  const parts = {
    fifty: () => manySellers(50, 200, quick ? 7 : 21, { sdk, wholeServer }),
    fivehundred: () => manySellers(500, 200, quick ? 5 : 15, { sdk, wholeServer }),
    hung: () => oneHung(quick ? 5 : 20),
    percall: () => perCall(quick ? 5 : 11, { sdk, wholeServer }),
  };
  const tables = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only === undefined || only === name) tables.push(await part());
  }
  if (memoryRounds > 0) tables.push(await memory(memoryRounds));
  return tables;
}
