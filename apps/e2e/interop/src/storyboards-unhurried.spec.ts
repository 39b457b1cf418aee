import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdToTable } from './runner/hold-to-table.js';
import { openStage, type Stage } from './runner/stage-storyboards.js';
import { storyboards, unhurried } from './runner/storyboard-table.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** With separate sellers: a storyboard sets a seller's next answer, and the next buyer of that seller gets it. */
describe('the storyboard runner of @adcp/sdk, with a wait of minutes', () => {
  it.each(unhurried.map((name) => [name, storyboards[name] ?? { passed: 0 }] as const))(
    'finds in %s no failure of Switchyard, and passes at least as much as its own example agents',
    async (storyboard, expected) => {
      const graded = await stage.graded(storyboard, 'mcp');
      expect(graded.executed).toContain(storyboard);
      holdToTable(graded, expected);
    },
    300_000,
  );
});
