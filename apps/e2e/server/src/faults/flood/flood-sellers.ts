import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { seededRandom } from '@switchyard/testing';
import { expectedAfter } from './flood-model.js';
import type { FloodPlan, FromSellers, ToSellers } from './flood-plan.js';
import { floodScript } from './flood-script.js';
import { FloodSender } from './flood-sender.js';

/*
 * A separate process: the sellers of a flood. It publishes their keys, sends their events, and derives the expected
 * state from acknowledgements only. It answers all calls with "try again later", so that the webhooks are the only
 * source.
 */
const slugs = ['ash', 'birch', 'cedar', 'dogwood'];
const keys = slugs.map((slug) => generateSigningKey(`${slug}-webhooks`));
const stranger = generateSigningKey('stranger');

const published = createServer((request, response) => {
  const base = `http://${request.headers.host ?? ''}`;
  const type = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/.well-known/brand.json') {
    const agents = slugs.map((slug) => ({
      type: 'sales',
      id: slug,
      url: `${base}/${slug}/mcp`,
      jwks_uri: `${base}/${slug}/jwks.json`,
    }));
    return type(200, { agents });
  }
  const at = slugs.findIndex((slug) => request.url === `/${slug}/jwks.json`);
  const key = keys[at];
  return key === undefined ? type(503, {}) : type(200, { keys: [publicJwk(key, ['ads_use'])] });
});

const notify = (message: FromSellers): void => void process.send?.(message);
let plan: FloodPlan | undefined;
let sender: FloodSender | undefined;

process.on('message', (message: ToSellers) => {
  void hear(message);
});
process.once('disconnect', () => process.exit());
published.listen(0, '127.0.0.1', () => {
  const { port } = published.address() as AddressInfo;
  const agents = slugs.map((slug) => ({ slug, agentUrl: `http://127.0.0.1:${String(port)}/${slug}/mcp` }));
  notify({ type: 'ready', agents });
});

async function hear(message: ToSellers): Promise<void> {
  if (message.type === 'plan') {
    plan = message.plan;
    sender = new FloodSender(plan, floodScript(plan, seededRandom(plan.seed)), keys, stranger);
    sender.start();
  } else if (sender !== undefined && plan !== undefined) {
    if (message.type === 'wait') {
      const isAll = await sender.progressed(message.acknowledged);
      notify({ type: 'reached', isAll, counts: sender.state() });
    } else {
      notify({ type: 'expected', expected: expectedAfter(plan.buys, sender.acknowledged) });
    }
  }
}
