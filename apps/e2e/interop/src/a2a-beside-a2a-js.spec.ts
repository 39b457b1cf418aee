import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { cases, message, type Known } from './a2a/cases.js';
import { differences } from './a2a/differences.js';
import { outcomeOf, post, type Answer, type Peer, type Send } from './a2a/peer.js';
import { startA2aJs } from './a2a/start-a2a-js.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';

const newer = { 'a2a-version': '1.0' };
const rpc = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

let switchyard: RunningSwitchyard;
let theirs: Awaited<ReturnType<typeof startA2aJs>>;
let peers: { readonly ours: Peer; readonly theirs: Peer };
beforeAll(async () => {
  theirs = await startA2aJs();
  switchyard = await startSwitchyard('--market', 'prompt,human');
  const { a2a_url: url, token } = switchyard.access;
  peers = { ours: { url, token, open: buyFromPeople }, theirs };
});
afterAll(async () => {
  theirs.end();
  await switchyard.remove();
});

describe('our A2A endpoint beside the server of a2a-js', () => {
  it('answers each case alike, or differs as the table of differences says', async () => {
    const [ours, others] = [await outcomes(peers.ours), await outcomes(peers.theirs)];
    const found = cases.flatMap(({ name }) => {
      const [mine, other] = [ours.get(name), others.get(name)];
      return mine === other ? [] : [[name, { ours: mine, theirs: other }] as const];
    });
    const listed = Object.entries(differences).map(([name, { why: _why, ...both }]) => [name, both]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
    expect(ours.size).toBe(cases.length);
  });

  it('shows who subscribes to an open task the task first, and then that it was canceled', async () => {
    const events = async (peer: Peer): Promise<string> => {
      const id = taskOf(await peer.open((body) => post(peer, body, newer)));
      let canceled: Promise<Answer> | undefined;
      const cancel = (): void => {
        canceled = post(peer, rpc('CancelTask', { id }), newer);
      };
      const stream = await post(peer, rpc('SubscribeToTask', { id }), newer, cancel);
      await canceled;
      return outcomeOf(stream);
    };
    // Our canceled task holds what each seller said to it.
    const ours = (await events(peers.ours)).replace('{artifactUpdate}; ', '');
    expect(ours).toBe(await events(peers.theirs));
  });
});

/** What the server answers to each case, by its name. */
async function outcomes(peer: Peer): Promise<ReadonlyMap<string, string>> {
  const send: Send = (body) => post(peer, body, newer);
  const known: Known = {
    ended: taskOf(await send(rpc('SendMessage', message()))),
    open: taskOf(await peer.open(send)),
  };
  const found = new Map<string, string>();
  for (const { name, body, headers = newer } of cases)
    found.set(name, outcomeOf(await post(peer, body(known), headers)));
  return found;
}

function taskOf({ messages }: Answer): string {
  const [first] = messages;
  const { task } = (first?.result ?? {}) as { readonly task?: { readonly id: string } };
  if (task === undefined) throw new Error(JSON.stringify(first));
  return task.id;
}

/** A buy that waits for a person. */
async function buyFromPeople(send: Send): Promise<Answer> {
  const account = { brand: { domain: 'brand.example' }, operator: 'localhost' };
  const call = (skill: string, parameters: object): Promise<Answer> => {
    const data = { skill, parameters: { adcp_version: '3.1', account, ...parameters } };
    return send(rpc('SendMessage', message({ parts: [{ data, mediaType: 'application/json' }] })));
  };
  const found = await call('get_products', { buying_mode: 'brief', brief: 'video' });
  const [product] = productsOf(found).filter(({ product_id }) => product_id.startsWith('human:'));
  const [price] = product?.pricing_options ?? [];
  return call('create_media_buy', {
    brand: account.brand,
    idempotency_key: randomUUID(),
    start_time: 'asap',
    end_time: new Date(Date.now() + 14 * 86_400_000).toISOString(),
    packages: [
      { product_id: product?.product_id, pricing_option_id: price?.pricing_option_id, budget: 5000 },
    ],
  });
}

interface Product {
  readonly product_id: string;
  readonly pricing_options: readonly { readonly pricing_option_id: string }[];
}

function productsOf({ messages }: Answer): readonly Product[] {
  const [first] = messages;
  const { task } = (first?.result ?? {}) as { readonly task?: { readonly artifacts?: readonly Artifact[] } };
  const parts = task?.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
  return parts.flatMap(({ data }) => data?.products ?? []);
}

interface Artifact {
  readonly parts: readonly { readonly data?: { readonly products?: readonly Product[] } }[];
}
