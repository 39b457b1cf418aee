import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdToTable } from './runner/hold-to-table.js';
import { openStage, type Stage } from './runner/stage-storyboards.js';
import { storyboards } from './runner/storyboard-table.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage('default');
});
afterAll(() => stage.close());

/** The sellers include some of other forms, and some that require creatives, hang, or send invalid answers. */
describe('the storyboard runner of @adcp/sdk, on the default market', () => {
  it.each(['sales_non_guaranteed', 'sales_catalog_driven', 'signal_marketplace'])(
    'finds in %s what it finds on the small market',
    async (storyboard) => {
      const expected = storyboards[storyboard];
      if (expected === undefined) throw new Error(`no row for ${storyboard}`);
      const graded = await stage.graded(storyboard, 'mcp');
      expect(graded.executed).toContain(storyboard);
      holdToTable(graded, expected);
    },
    300_000,
  );
});
