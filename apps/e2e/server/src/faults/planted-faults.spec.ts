import { describe, expect, it } from '@jest/globals';
import { plants } from '../harness/random-acts/plants.js';
import { countsOf, firstOfEach } from '../harness/random-acts/report.js';
import { startTheatre } from '../harness/random-acts/theatre.js';
import { walk } from '../harness/random-acts/walk.js';

/*
 * What random-acts.spec.ts would be worth: three faults, each put into a copy of the built server, are found by it. The
 * acts are those of that spec, from its first one on.
 */

const seed = Number(process.env['E2E_SEED'] ?? 471_133);
const atMost = Number(process.env['E2E_ACTS'] ?? 300);

describe(`random acts find a planted fault (E2E_SEED=${String(seed)})`, () => {
  it.each(plants)('$name', async (plant) => {
    const theatre = await startTheatre(plant);
    const { invariant, acts } = plant.finds;
    try {
      const walked = await walk(await theatre.open(seed), seed, atMost, { invariant });
      const found = firstOfEach(walked);
      process.stderr.write(
        `${plant.name}, ${plant.what}: ${String(walked.acts.length)} acts, ${countsOf(walked)}\n${found.join('\n')}\n`,
      );
      const by = walked.violations
        .filter((one) => one.invariant === invariant)
        .map(({ at }) => walked.acts[at]?.act);
      expect([plant.name, by.length]).not.toEqual([plant.name, 0]);
      expect(acts).toEqual(expect.arrayContaining(by));
    } finally {
      await theatre.close();
    }
  });
});
