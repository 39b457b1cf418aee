import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { startReceiver, type Receiver } from '../testkit/receiver.js';
import { buyRequest } from '../testkit/requests.js';

const credentials = 'pZ4w0Qm8tYc2Lr6Vx9Kb1Nj5Hd7Sg3Fa';
let sandbox: Sandbox;
let receiver: Receiver;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'older', dayMs: 25, scale: 0.02 });
  receiver = await startReceiver();
});
afterAll(async () => {
  await sandbox.stop();
  await receiver.stop();
});

async function buy(slug: string, authentication: object) {
  const agent = sandbox.agents.find((each) => each.slug === slug);
  if (agent === undefined) throw new Error(`no agent ${slug}`);
  const reporting = { url: receiver.url, authentication: { ...authentication } };
  const request = await buyRequest(agent, { reporting_webhook: reporting });
  return (await callAgent(agent, 'create_media_buy', request)).body;
}

describe('the agent of release 3.0', () => {
  it('proves its reports by HMAC over the exact bytes if it has a secret', async () => {
    await buy('behind', { schemes: ['HMAC-SHA256'], credentials });
    await receiver.until((posts) => posts.length > 0);
    const [post] = receiver.posts;
    if (post === undefined) throw new Error('It has come.');
    const lines = new Map(post.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const timestamp = lines.get('x-adcp-timestamp') ?? '';
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    const digest = createHmac('sha256', credentials).update(`${timestamp}.`).update(post.bytes).digest('hex');
    expect(lines.get('x-adcp-signature')).toBe(`sha256=${digest}`);
    expect(lines.has('signature')).toBe(false);
  });

  it.each([
    ['Bearer', credentials],
    ['HMAC-SHA256', 'too-short'],
  ])('declines %s with %s', async (scheme, secret) => {
    expect(await buy('behind', { schemes: [scheme], credentials: secret })).toMatchObject({
      errors: [{ field: 'reporting_webhook.authentication' }],
    });
  });
});

it('every other agent signs, and declines a secret', async () => {
  expect(await buy('prompt', { schemes: ['HMAC-SHA256'], credentials })).toMatchObject({
    errors: [{ field: 'reporting_webhook.authentication' }],
  });
});
