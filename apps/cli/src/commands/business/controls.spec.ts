import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;

beforeAll(async () => {
  instance = await specInstance();
});
afterAll(() => instance.close());

describe('a command that lifts a control', () => {
  it.each([
    [['limits', 'set', '--for', 'organization', '--amount', '5000', '--currency', 'USD'], 'c1'],
    [['organizations', 'set', '--four-eyes', 'off'], 'c2'],
  ])('exits with 6 and prints the approval that it waits for: %j', async (command, id) => {
    const at = [...command, '--data', instance.dataFolder];
    const asText = await run(at);
    expect([asText.code, asText.stdout]).toEqual([6, expect.stringContaining(`approvals show ${id}`)]);
    const asJson = await run([...at, '--json']);
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([6, { approval_id: id, state: 'open' }]);
  });
});
