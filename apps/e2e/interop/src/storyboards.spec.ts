import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callEndpoint } from './call-endpoint.js';
import { holdToTable } from './runner/hold-to-table.js';
import { runTestController } from './runner/seed-literals.js';
import { openStage, type Stage } from './runner/stage-storyboards.js';
import { notApplicable, notRun, storyboards, unhurried } from './runner/storyboard-table.js';

const timeoutMs = 180_000;

let stage: Stage;
const executed = new Set<string>(unhurried);

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('the storyboard runner of @adcp/sdk, at Switchyard’s MCP endpoint', () => {
  it.each(Object.entries(storyboards).filter(([name]) => !unhurried.includes(name)))(
    'finds in %s no failure of Switchyard, and passes at least as much as its own example agents',
    async (storyboard, expected) => {
      const graded = await stage.graded(storyboard, 'mcp');
      for (const text of graded.executed) executed.add(text);
      holdToTable(graded, expected);
    },
    timeoutMs,
  );

  it.each(notApplicable)(
    'runs nothing in %s, whose tasks belong to protocols that are not offered',
    async (storyboard) => {
      const { token, mcp_url: url } = stage.switchyard.access;
      const ran = await stage.runner.run({ url, token, storyboard, protocol: 'mcp' });
      expect({ passed: ran.passed, failed: ran.failed }).toEqual({ passed: 0, failed: 0 });
      for (const text of ran.executed) executed.add(text);
    },
    timeoutMs,
  );

  it('contains no storyboard outside this list', async () => {
    const brought = await stage.runner.storyboards();
    expect(brought.length).toBeGreaterThan(50);
    expect(brought.filter((id) => !executed.has(id)).sort()).toEqual(Object.keys(notRun).sort());
  });

  it.each<[string, number]>([
    ['idempotency', 7],
    ['deterministic_testing', 28],
    ['sales_proposal_mode', 43],
  ])(
    'passes %s to its end once the storyboard does not stop by itself',
    async (storyboard, passed) => {
      const { failures, skips, ...sums } = await stage.graded(storyboard, 'mcp', stage.corrected());
      expect({ failures, skips }).toEqual({ failures: [], skips: [] });
      expect(sums.passed).toBe(passed);
    },
    timeoutMs,
  );
});

describe('comply_test_controller', () => {
  it('is offered in the local profile, with the states in its capabilities, and only to buyers', async () => {
    const { mcp_url: url, token } = stage.switchyard.access;
    const { body } = await callEndpoint(url, undefined, 'get_adcp_capabilities', {});
    const announced = (body['compliance_testing'] as { scenarios: readonly string[] }).scenarios;
    const { scenarios } = (await runTestController(url, token, 'list_scenarios', {})) as {
      scenarios: readonly string[];
    };
    expect(announced.length).toBeGreaterThan(0);
    expect(scenarios).toEqual(expect.arrayContaining([...announced]));
    expect(
      (await callEndpoint(url, undefined, 'comply_test_controller', { scenario: 'list_scenarios' })).status,
    ).toBe(401);
  });
});
