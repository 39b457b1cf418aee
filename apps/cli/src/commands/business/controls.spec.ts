import { describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { usingInstance } from '../../testkit/instance.js';

const instance = await usingInstance();

describe('campaigns pause', () => {
  const pause = (campaign: string) =>
    run(['campaigns', 'pause', campaign, '--data', instance.dataFolder, '--json']);

  it('asks the sellers of all buys, more than one request changes', async () => {
    const { code, stdout } = await pause('c1');
    const { outcomes } = JSON.parse(stdout) as { readonly outcomes: readonly { media_buy_id: string }[] };
    expect([code, new Set(outcomes.map(({ media_buy_id: id }) => id)).size]).toEqual([0, 101]);
  });

  it('says what was done before a request that is refused', async () => {
    const { code, stderr } = await pause('ends');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('The sellers of 100 of 101 buys were asked before'),
    ]);
  });
});

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
