import { expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { InstanceClient } from '../instance-client.js';
import { reply, usingInstance } from '../testkit/instance.js';
import type { OfferedProduct } from './query-step.js';
import { buyStep } from './buy-step.js';
import { storyWriter } from './story.js';

const instance = await usingInstance();

const sellers = ['prompt', 'courier', 'human'];
const offers = sellers.map((seller): OfferedProduct => {
  const product = { productId: `${seller}:p`, name: 'News', pricingOptionId: 'cpm', price: 12 };
  return { seller, ...product, currency: 'USD', formatId: { id: 'display_300x250' } };
});

it.each([
  ['before the answer leaves', true],
  ['after it', false],
])('the buy of the story continues when the approver has answered %s', async (_when, atOnce) => {
  const bought = { media_buy_id: 'mb_1', packages: sellers.map((seller) => ({ package_id: seller })) };
  instance.answerWith(({ task }) => {
    if (task === 'get_task_status') return reply({ status: 'completed', result: bought });
    return atOnce
      ? reply({ status: 'completed', ...bought })
      : reply({ status: 'submitted', task_id: 'task_1' });
  });
  let received = '';
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      received += chunk.toString();
      done();
    },
  });
  const client = new InstanceClient(instance.url, instance.token);
  const campaign = { client, story: storyWriter(out, false), deps: { color: false, layout: {} }, agents: [] };
  expect(await buyStep(campaign, offers)).toEqual({ mediaBuyId: 'mb_1', sellers });
  expect(received).toContain(atOnce ? 'Answer: completed.' : 'Answer: submitted, task_1.');
});
