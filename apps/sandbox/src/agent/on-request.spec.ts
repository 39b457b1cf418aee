import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { buyRequest } from '../testkit/requests.js';

let sandbox: Sandbox;

beforeAll(async () => {
  const agents = ['losing', 'forgetful'];
  sandbox = await startSandbox({ port: 0, seed: 'on request', dayMs: 40, scale: 0.01, agents });
});
afterAll(() => sandbox.stop());

function agent(slug: string) {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

const booksOf = async (slug: string): Promise<unknown[]> =>
  (await (await fetch(agent(slug).books_url)).json()) as unknown[];

describe('agents that are added on request', () => {
  it('are in no market that does not name them', async () => {
    const usual = await startSandbox({ port: 0, seed: 'usual', dayMs: 40, scale: 0.01 });
    await usual.stop();
    const slugs = usual.agents.map(({ slug }) => slug);
    expect(slugs.length).toBeGreaterThan(10);
    expect(slugs.filter((slug) => slug === 'losing' || slug === 'forgetful')).toEqual([]);
  });

  it('losing: the buy is made and the answer is lost; the same key returns that answer, and no second buy', async () => {
    const request = await buyRequest(agent('losing'));
    await expect(callAgent(agent('losing'), 'create_media_buy', request)).rejects.toThrow();
    expect(await booksOf('losing')).toHaveLength(1);
    const { body } = await callAgent(agent('losing'), 'create_media_buy', request);
    expect(await booksOf('losing')).toMatchObject([{ media_buy_id: body['media_buy_id'] }]);
  });

  it('forgetful: the same key buys twice', async () => {
    const request = await buyRequest(agent('forgetful'));
    await callAgent(agent('forgetful'), 'create_media_buy', request);
    await callAgent(agent('forgetful'), 'create_media_buy', request);
    expect(await booksOf('forgetful')).toHaveLength(2);
  });
});
