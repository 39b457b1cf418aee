import { randomUUID } from 'node:crypto';
import { Catalogue, buyRequest, list, type Json } from './buy-request.js';
import type { OwnerView } from './database.js';
import { callTask, type TaskResponse, type Send } from './call-task.js';
import type { Neighbour } from './neighbour-requests.js';
import { nobodys } from './own-everything.js';
import { waitUntil } from './wait-until.js';

/** Far enough in the future that no buy ends during a test. */
const endTime = '2099-01-01T00:00:00Z';

/**
 * Creates a buyer's items at the seller `prompt`: a running buy, one of the older forms with a reference, and a
 * creative. All ids contain the buyer's name, because the seller has one library for all buyers.
 */
export async function settleBuyer(to: Send, name: string, database: OwnerView): Promise<Neighbour> {
  const catalogue = await Catalogue.read(to, 10);
  const offered = catalogue.packageOf('prompt');
  const [brought] = list(offered['creatives']);
  const wanted: Json = { ...offered, creatives: [{ ...brought, creative_id: `first-of-${name}` }] };
  const contextId = `session-of-${name}`;
  const buy = buyRequest([wanted], { context_id: contextId, end_time: endTime });
  const bought = await done(callTask('REST', to, 'create_media_buy', buy));
  const [part] = list(bought['packages']);
  const creativeId = `one-of-${name}`;
  await done(
    callTask('REST', to, 'sync_creatives', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: buy['account'],
      creatives: [
        {
          ...brought,
          concept_id: `concept-of-${name}`,
          creative_id: creativeId,
          name: `a creative of ${name}`,
        },
      ],
      assignments: [{ creative_id: creativeId, package_id: part?.['package_id'] }],
    }),
  );
  await approved(to, creativeId);
  const older = olderBuy(name, wanted, creativeId);
  await done(callTask('REST', to, 'create_media_buy', older));
  const accounts = await done(callTask('REST', to, 'list_accounts', { adcp_version: '3.1' }));
  const mediaBuyId = String(bought['media_buy_id']);
  const [operation] = await database.rows<{ id: string; task_id: string }>(
    `select o.id, o.task_id from operation o join media_buy m on m.operation_id = o.id where m.id = $1`,
    [mediaBuyId],
  );
  return {
    ...nobodys(),
    wanted,
    mediaBuyId,
    packageId: String(part?.['package_id']),
    productId: String(wanted['product_id']),
    pricingOptionId: String(wanted['pricing_option_id']),
    creativeId,
    creativeName: `a creative of ${name}`,
    creativeConcept: `concept-of-${name}`,
    accountId: String(list(accounts['accounts'])[0]?.['account_id']),
    buyerRef: String(older['buyer_ref']),
    packageRef: `part-of-${name}`,
    contextId,
    taskId: operation?.task_id ?? '',
    operationId: operation?.id ?? '',
  };
}

async function approved(to: Send, id: string): Promise<void> {
  await waitUntil('the seller has taken its creative', async () => {
    const requested = { adcp_version: '3.1', filters: { creative_ids: [id] } };
    const { body } = await callTask('REST', to, 'list_creatives', requested);
    return list(body['creatives'])[0]?.['status'] === 'approved' ? true : undefined;
  });
}

function olderBuy(name: string, wanted: Json, creativeId: string): Json {
  const { creatives: _creatives, context: _context, ...part } = wanted;
  return {
    buyer_ref: `older-of-${name}`,
    brand_manifest: { url: 'https://roaster.example', name: 'Roaster' },
    start_time: { type: 'asap' },
    end_time: endTime,
    packages: [{ ...part, buyer_ref: `part-of-${name}`, creative_ids: [creativeId] }],
  };
}

/** Returns the body of an answer that must be a success. */
async function done(answer: Promise<TaskResponse>): Promise<TaskResponse['body']> {
  const { httpStatus, body, text } = await answer;
  if (httpStatus >= 300) throw new Error(`The buyer was told ${String(httpStatus)}: ${text}`);
  return body;
}
