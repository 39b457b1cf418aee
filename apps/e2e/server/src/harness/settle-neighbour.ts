import { randomUUID } from 'node:crypto';
import { Catalogue, buyRequest, list } from './buy-request.js';
import { callTask, post, type Send } from './doors.js';
import { Market, marketTokens } from './market.js';
import type { Neighbour } from './neighbour-requests.js';
import { nobodys } from './own-everything.js';
import { waitUntil } from './wait-until.js';

/**
 * Lets a principal of another organization, with whom nothing was shared, be connected to the seller `prompt` by the
 * account that the owner has there as well, buy there, and bring a creative.
 */
export async function settleNeighbour(to: Send, data: string): Promise<Neighbour> {
  const agent = (await Market.of(data).agents()).find(({ slug }) => slug === 'prompt');
  const row = {
    slug: 'prompt',
    agent_url: agent?.agent_url,
    protocol: 'mcp',
    dialect: 'adcp',
    token: marketTokens(data)['prompt'],
  };
  await done(post('REST', to, '/v1/sellers/import', JSON.stringify([row])));
  const catalogue = await Catalogue.read(to, 10);
  const offered = catalogue.packageOf('prompt');
  // The seller holds one library for both: under the owner's ids it has the owner's.
  const [brought] = list(offered['creatives']);
  const wanted = { ...offered, creatives: [{ ...brought, creative_id: 'first-of-the-neighbour' }] };
  const buy = buyRequest([wanted]);
  const bought = await done(callTask('REST', to, 'create_media_buy', buy));
  const [part] = list(bought['packages']);
  const creativeId = 'one-of-the-neighbour';
  await done(
    callTask('REST', to, 'sync_creatives', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: buy['account'],
      creatives: [{ ...brought, creative_id: creativeId, name: 'Mine' }],
      assignments: [{ creative_id: creativeId, package_id: part?.['package_id'] }],
    }),
  );
  await waitUntil('the seller has taken its creatives', async () => {
    const { body } = await callTask('REST', to, 'list_creatives', { adcp_version: '3.1' });
    const all = list(body['creatives']);
    return all.length === 2 && all.every(({ status }) => status === 'approved') ? true : undefined;
  });
  // Over, so that nothing of it changes by itself from one question to the next.
  await waitUntil(
    'its buy is over',
    async () => {
      const ask = { adcp_version: '3.1', media_buy_ids: [bought['media_buy_id']] };
      const { body } = await callTask('REST', to, 'get_media_buys', ask);
      return list(body['media_buys'])[0]?.['status'] === 'completed' ? true : undefined;
    },
    90_000,
  );
  const accounts = await done(callTask('REST', to, 'list_accounts', { adcp_version: '3.1' }));
  return {
    ...nobodys(),
    wanted,
    mediaBuyId: String(bought['media_buy_id']),
    packageId: String(part?.['package_id']),
    creativeId,
    accountId: String(list(accounts['accounts'])[0]?.['account_id']),
  };
}

/** The body of an answer that has to be a success. */
async function done(
  answer: ReturnType<typeof callTask>,
): Promise<Awaited<ReturnType<typeof callTask>>['body']> {
  const { httpStatus, body, text } = await answer;
  if (httpStatus >= 300) throw new Error(`The neighbour was told ${String(httpStatus)}: ${text}`);
  return body;
}
