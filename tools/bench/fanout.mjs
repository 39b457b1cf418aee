/**
 * The fan-out benchmark: a bare `undici` loop (the floor), Switchyard's fan-out, the least server that makes the same
 * promises (`contenders/least-server.mjs`), the whole server, and the public SDK's client query the same sellers, in
 * interleaved rounds, so that noise of the machine affects all of them.
 *
 * A server runs for weeks, and V8 compiles for thousands of calls: so each contender but the SDK's is first called until its
 * CPU time stands still (`warmed`). The columns say what its first calls took and how many calls that was.
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

/**
 * Calls one contender, window after window, until its CPU time stands still: two windows in turn are less than 3 % below
 * the lowest before them. At most `most` calls. Windows are not compared with each other, because two of the same
 * code differ by more than that on a shared machine.
 */
async function warmed(contender, { window, most }) {
  const spent = [];
  let [lowest, still] = [Infinity, 0];
  while (still < 2 && spent.length * window < most) {
    const { cpuMs } = await contender.run({ nonce: freshNonce(), calls: window });
    spent.push(cpuMs / window);
    still = spent.at(-1) < 0.97 * lowest ? 0 : still + 1;
    lowest = Math.min(lowest, spent.at(-1));
  }
  const calls = spent.length * window;
  return { first: spent[0], of: window, calls: still === 2 ? calls : `${calls}, still falling` };
}

function rowOf(scenario, label, { rounds, warming, liveMb }, expected, floorMs) {
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
    ...(warming === undefined
      ? {}
      : {
          [`of the first ${warming.of}`]: Number((warming.first / warming.sellers).toFixed(3)),
          'warming calls': warming.calls,
        }),
    answered: `${good}/${expected}`,
    'rss MB': Math.round(Math.max(...rounds.map(({ rssMb }) => rssMb))),
    'live MB': Math.round(liveMb),
    rounds: rounds.length,
    errors: [...new Set(rounds.flatMap(({ errors }) => errors))].slice(0, 2),
  };
}

/** Loop, fan-out, and where `wholeServer` is wanted, the built product and the least server beside it. */
async function startField(farm, options) {
  const field = [
    await startContender('undici loop (floor)', 'undici-loop', farm.sellers),
    await startContender('switchyard', 'switchyard', farm.sellers),
  ];
  if (!options.wholeServer) return field;
  const whole = await startContender('switchyard up, over REST', 'whole-server', farm.sellers);
  const { ownerUrl } = whole;
  return [...field, await startContender('least server', 'least', farm.sellers, { ownerUrl }), whole];
}

/** Warms all but the SDK's clients, measures in turn, and stops all. */
async function measured(scenario, { farm, field, slow }, { count, rounds, sdkRounds, calls, warming }) {
  const warmings = new Map();
  for (const contender of field) {
    const made = await warmed(contender, warming);
    warmings.set(contender.label, { ...made, sellers: count });
  }
  const ask = () => ({ nonce: freshNonce(), calls });
  // The SDK runs after the others: with it a round takes seconds, and their rounds would be too far apart to compare.
  const results = new Map([
    ...(await interleaved(field, rounds, ask)),
    ...(await interleaved(slow, sdkRounds, ask)),
  ]);
  const live = new Map();
  for (const contender of [...field, ...slow]) live.set(contender.label, await contender.liveMb());
  // The least server ends before the database of the whole one.
  for (const contender of [...field, ...slow]) await contender.stop();
  farm.stop();
  const floorMs = median(results.get('undici loop (floor)').map(({ ms }) => ms));
  return [...results].map(([label, all]) => {
    const found = { rounds: all, warming: warmings.get(label), liveMb: live.get(label) };
    return rowOf(scenario, label, found, count * calls, floorMs);
  });
}

/** `count` sellers at `delayMs`: all must answer. The SDK's client gets fewer rounds, because it takes far longer. */
async function manySellers(count, delayMs, rounds, options) {
  const farm = await startFarm(count, delayMs);
  const field = await startField(farm, options);
  const slow = options.sdk
    ? [
        await startContender('@adcp/sdk, 18 in flight', 'adcp-sdk', farm.sellers, { inFlight: 18 }),
        await startContender('@adcp/sdk, unlimited', 'adcp-sdk', farm.sellers),
      ]
    : [];
  const sdkRounds = Math.max(2, Math.round(rounds / (count > 100 ? 6 : 3)));
  const warming = { window: Math.max(10, 1_000 / count), most: options.quick ? 40 : 120 };
  const scenario = `${count} sellers at ${delayMs} ms`;
  return measured(scenario, { farm, field, slow }, { count, rounds, sdkRounds, calls: 1, warming });
}

/** One call after another to sellers that answer at once: the cost of a call beside that of a bare one. */
async function perCall(rounds, options) {
  const farm = await startFarm(1, 0);
  const field = await startField(farm, options);
  const slow = options.sdk ? [await startContender('@adcp/sdk', 'adcp-sdk', farm.sellers)] : [];
  const warming = { window: 1_000, most: options.quick ? 8_000 : 16_000 };
  const scenario = 'per call, 1 seller at 0 ms';
  const played = { count: 1, rounds, sdkRounds: rounds, calls: 300, warming };
  return measured(scenario, { farm, field, slow }, played);
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
  const options = { quick, sdk, wholeServer };
  const parts = {
    fifty: () => manySellers(50, 200, quick ? 7 : 21, options),
    fivehundred: () => manySellers(500, 200, quick ? 5 : 15, options),
    hung: () => oneHung(quick ? 5 : 20),
    percall: () => perCall(quick ? 5 : 11, options),
  };
  const tables = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only === undefined || only === name) tables.push(await part());
  }
  if (memoryRounds > 0) tables.push(await memory(memoryRounds));
  return tables;
}
