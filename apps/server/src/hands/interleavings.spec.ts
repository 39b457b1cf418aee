import { describe, expect, it } from '@jest/globals';
import { memoryStage } from './spec-memory-stage.js';
import { playStory } from './spec-story.js';

const first = Number(process.env['STORY_SEED'] ?? 20_261_121);
const count = 520;

describe('one buy over three sellers', () => {
  it('stands in the end as its sellers stand, whichever channel brought what, twice, late or never', async () => {
    const parts = new Map<string, number>();
    for (let seed = first; seed < first + count; seed += 1) {
      const stage = memoryStage();
      const { got, wanted, script } = await playStory(seed, stage, stage.connections);
      expect({ seed, script, ...got }).toEqual({ seed, script, ...wanted });
      for (const line of script) {
        const [part = ''] =
          /arrives [a-z]+|polled|delivery$|looked at|(?:adjusted|delayed|final)$/.exec(line) ?? [];
        parts.set(part, (parts.get(part) ?? 0) + 1);
      }
    }
    // The stories are worth their name only where everything has its part in them.
    const channels = ['arrives inline', 'arrives task', 'arrives report', 'arrives impairment'];
    for (const part of [...channels, 'polled', 'delivery', 'looked at', 'adjusted', 'delayed', 'final'])
      expect([part, (parts.get(part) ?? 0) > 100]).toEqual([part, true]);
  }, 120_000);
});
