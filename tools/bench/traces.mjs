/**
 * What traces cost: the built product asks ten sellers that answer at once, with traces off, with 1 % and with all of the
 * requests recorded, in interleaved rounds. The figure is the CPU time of the server per question; the collector is a
 * process of its own that reads and forgets.
 */
import { startContender, startFarm, startWorker } from './field.mjs';
import { median, spread } from './statistics.mjs';

export async function traces({ quick = false }) {
  const closers = [];
  const collector = startWorker('./collector.mjs', closers);
  const { url } = await collector.next();
  const farm = await startFarm(10, 0);
  const recorded = (share) => ({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share },
  });
  const contenders = [
    await startContender('off', 'whole-server', farm.sellers),
    await startContender('1 %', 'whole-server', farm.sellers, recorded('0.01')),
    await startContender('100 %', 'whole-server', farm.sellers, recorded('1')),
  ];
  const calls = quick ? 40 : 200;
  const rounds = quick ? 5 : 11;
  const results = new Map(contenders.map(({ label }) => [label, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const contender of contenders) {
      const result = await contender.run({ nonce: `brief-${round}`, calls });
      // The first round is warm-up.
      if (round > 0) results.get(contender.label).push(result);
    }
  for (const contender of contenders) await contender.stop();
  farm.stop();
  const { spans } = await collector.ask({});
  for (const close of closers) close();
  const cpuOf = (label) => median(results.get(label).map(({ cpuMs }) => cpuMs / calls));
  const floor = cpuOf('off');
  return [
    contenders.map(({ label }) => ({
      scenario: `a question to 10 sellers (${spans} spans reached the collector)`,
      contender: label,
      'cpu ms/question': Number(cpuOf(label).toFixed(2)),
      'x off': Number((cpuOf(label) / floor).toFixed(2)),
      'p50 ms': Number(median(results.get(label).map(({ ms }) => ms)).toFixed(2)),
      iqr: spread(results.get(label).map(({ ms }) => ms)),
      answered: `${Math.min(...results.get(label).map(({ good }) => good))}/${calls * 10}`,
      errors: [...new Set(results.get(label).flatMap(({ errors }) => errors))].slice(0, 2),
    })),
  ];
}
