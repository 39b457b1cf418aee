import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { OfferedProduct } from './query-step.js';
import { notTrue } from './campaign-failure.js';
import { objectsOf, textOf } from './json-reading.js';
import type { Campaign } from './campaign.js';
import { waitFor } from './wait-for.js';
import { spokenRelease } from '../read-options.js';

/** Harbor answers at once over MCP, Courier over A2A, and Atelier needs a person first. */
const sellers = ['prompt', 'courier', 'human'] as const;
const budgets = [12_000, 9_500.5, 8_400] as const;
const flightDays = 7;
const dayMs = 86_400_000;

export interface PlayedBuy {
  readonly mediaBuyId: string;
  readonly sellers: readonly string[];
}

/** Buys from three sellers with one request, and waits for the one that needs a person. */
export async function buyStep(
  { client, story }: Campaign,
  offers: readonly OfferedProduct[],
): Promise<PlayedBuy> {
  story.step(`One request buys across ${sellers.length} sellers`);
  const packages = sellers.map((seller, index) => packageFor(offers, seller, budgets[index] ?? 0));
  const now = Date.now();
  const made = await client.task(
    'create_media_buy',
    {
      adcp_version: spokenRelease,
      idempotency_key: `campaign-${now}-${process.pid}-roaster`,
      account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
      brand: { domain: 'roaster.example' },
      start_time: 'asap',
      end_time: new Date(now + flightDays * dayMs).toISOString(),
      packages,
      context: { campaign: 'the first one' },
    },
    (row) => story.line(`${textOf(row['seller']).padEnd(14)} ${textOf(row['reason'])}`),
  );
  if (!made.ok) notTrue(made.error.message);
  const { body, failed } = made.value;
  if (failed) notTrue(`The buy failed: ${JSON.stringify(body['errors'])}`);
  const taskId = textOf(body['task_id']);
  // On a busy machine the person may decide before the answer is sent.
  const isOver = body['status'] === 'completed';
  if (!isOver && (body['status'] !== 'submitted' || taskId === ''))
    notTrue('A buy with a seller that asks a human was answered with neither its task nor its end.');
  story.line(
    isOver
      ? 'Answer: completed. At Atelier a person had looked at it before the answer left; the others are booked.'
      : `Answer: submitted, ${taskId}. Atelier has a person look at it; the others are booked.`,
  );

  const done = isOver ? body : await endOf(client, taskId);
  if (done?.['status'] !== 'completed')
    notTrue(`The human's answer did not arrive: ${textOf(done?.['status']) || 'no news'}.`);
  const result = isOver ? body : isJsonObject(done['result']) ? done['result'] : {};
  const mediaBuyId = textOf(result['media_buy_id']);
  if (mediaBuyId === '') notTrue('The finished task names no media buy.');
  if (objectsOf(result['packages']).length !== sellers.length)
    notTrue('The finished buy does not have all its packages.');

  const detail = await client.get(`/v1/buys/${mediaBuyId}`);
  if (!detail.ok) notTrue(detail.error.message);
  for (const leg of objectsOf(detail.value['legs'])) {
    const by =
      leg['observed_by'] === 'webhook' ? 'by signed webhook' : `by its ${textOf(leg['observed_by'])} answer`;
    story.line(
      `${textOf(leg['seller']).padEnd(14)} ${textOf(leg['task_status']).padEnd(10)} ${by}, ${textOf(leg['seller_media_buy_id'])}`,
    );
  }
  story.line(
    `One media buy: ${mediaBuyId}, ${textOf(detail.value['total_budget'])} ${textOf(detail.value['currency'])}.`,
  );
  return { mediaBuyId, sellers };
}

/** The end of the task and its result; undefined if it does not end in time. */
function endOf(client: Campaign['client'], taskId: string): Promise<JsonObject | undefined> {
  return waitFor(async () => {
    const requested = await client.task(
      'get_task_status',
      { adcp_version: spokenRelease, task_id: taskId, include_result: true },
      () => undefined,
    );
    if (!requested.ok) return undefined;
    return ['submitted', 'working'].includes(textOf(requested.value.body['status']))
      ? undefined
      : requested.value.body;
  }, 120_000);
}

function packageFor(offers: readonly OfferedProduct[], seller: string, budget: number): JsonObject {
  const offer = offers.find((each) => each.seller === seller && each.currency === 'USD');
  if (offer === undefined) notTrue(`The seller ${seller} offers nothing at a fixed price in dollars.`);
  return {
    product_id: offer.productId,
    pricing_option_id: offer.pricingOptionId,
    budget,
    context: { buyer_ref: `roaster-${seller}` },
    creatives: [creativeFor(offer)],
  };
}

/** One creative of the campaign in a format that the product accepts, hosted by the brand. */
function creativeFor(offer: OfferedProduct): JsonObject {
  const format = textOf(offer.formatId['id']);
  const isVideo = format.startsWith('video');
  const size = isVideo ? { width: 1920, height: 1080, duration_ms: 15_000 } : { width: 300, height: 250 };
  const url = `https://cdn.roaster.example/launch/${format}${isVideo ? '.mp4' : '.png'}`;
  return {
    creative_id: `roaster-${offer.seller}`,
    name: 'Roaster launch',
    format_id: offer.formatId,
    assets: { main: { asset_type: isVideo ? 'video' : 'image', url, ...size } },
  };
}
