import { describe, expect, it } from '@jest/globals';
import { noFigures } from '../testkit/delivery-endpoint.js';
import { memoryStage } from '../testkit/memory-stage.js';
import { playStory } from '../testkit/story.js';

const first = Number(process.env['STORY_SEED'] ?? 20_261_121);
/** Enough for ten thousand deliveries; `npm run soak` runs four times as many in each round. */
const count = Number(process.env['STORY_COUNT'] ?? 130);
/** How often each channel and each fault occurs at least. */
const often = count / 6;

describe('one buy over three sellers', () => {
  it('ends in the state of its sellers, by whichever channel, with repeated, late and lost messages', async () => {
    const parts = new Map<string, number>();
    const figures = noFigures();
    for (let seed = first; seed < first + count; seed += 1) {
      const stage = memoryStage(seed, figures);
      const { got, wanted, script } = await playStory(seed, stage, stage.connections);
      expect({ seed, script, ...got }).toEqual({ seed, script, ...wanted });
      stage.count();
      for (const line of script) {
        const [part = ''] =
          /arrives [a-z]+|polled|delivery$|looked at|(?:adjusted|delayed|final)$/.exec(line) ?? [];
        parts.set(part, (parts.get(part) ?? 0) + 1);
      }
    }
    const { byFault, deliveries, ...wrong } = figures;
    const counted = [...byFault].sort().map(([what, count]) => `${String(count).padStart(6)}  ${what}`);
    process.stdout.write(
      `${String(deliveries)} deliveries, ${JSON.stringify(wrong)}\n${counted.join('\n')}\n`,
    );
    expect(wrong).toEqual({ wronglyAccepted: 0, wronglyRefused: 0, lost: 0, doubled: 0 });
    // Every channel and fault must occur often enough.
    const channels = ['arrives inline', 'arrives task', 'arrives report', 'arrives impairment'];
    for (const part of [...channels, 'polled', 'delivery', 'looked at', 'adjusted', 'delayed', 'final'])
      expect([part, (parts.get(part) ?? 0) > often]).toEqual([part, true]);
    expect(deliveries).toBeGreaterThanOrEqual(count * 75);
    for (const [what, count] of byFault) expect([what, count > often]).toEqual([what, true]);
    expect(byFault.size).toBe(22);
  }, 300_000);
});
