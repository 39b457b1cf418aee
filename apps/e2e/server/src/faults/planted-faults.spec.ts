import { describe, expect, it } from '@jest/globals';
import { plants } from '../harness/random-acts/plants.js';
import { countsOf, firstOfEach } from '../harness/random-acts/report.js';
import { startTheatre } from '../harness/random-acts/theatre.js';
import { walk } from '../harness/random-acts/walk.js';

/* What random-acts.spec.ts would be worth: three faults, each put into a copy of the built server, are found by it. */

const seed = Number(process.env['E2E_SEED'] ?? 471_133);
/** Several times as many as each fault took with this seed; another seed may need more. */
const atMost = Number(process.env['E2E_ACTS'] ?? 1_200);

describe(`random acts find a planted fault (E2E_SEED=${String(seed)})`, () => {
  it.each(plants)('$name', async (plant) => {
    const theatre = await startTheatre(plant);
    try {
      const walked = await walk(await theatre.open(seed), seed, atMost, { invariant: plant.finds });
      process.stderr.write(
        `${plant.name}, ${plant.what}: ${String(walked.acts.length)} acts, ${countsOf(walked)}\n`,
      );
      expect(firstOfEach(walked).join('\n')).toContain(plant.finds);
    } finally {
      await theatre.close();
    }
  });
});
