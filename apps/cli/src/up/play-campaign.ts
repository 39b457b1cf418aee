import { queryStep } from './query-step.js';
import { buyStep, type PlayedBuy } from './buy-step.js';
import { ledgerStep } from './ledger-step.js';
import { cell } from '../plain.js';
import { notTrue } from './campaign-failure.js';
import { objectsOf, textOf } from './json-reading.js';
import { waitFor } from './wait-for.js';
import type { Campaign } from './campaign.js';

/** Milliseconds. Delivery takes about a second a day; this allows for a busy machine. */
const timeoutMs = 180_000;

/**
 * Plays one campaign from brief to books through the instance's public API, as any buyer would. Throws
 * `CampaignFailure` at the first step that fails.
 */
export async function playCampaign(campaign: Campaign): Promise<void> {
  const products = await queryStep(campaign);
  const buy = await buyStep(campaign, products);
  await reportsStep(campaign, buy);
  await ledgerStep(campaign, buy);
}

/** Waits for the signed reports until every seller has sent its last one. */
async function reportsStep({ client, story }: Campaign, buy: PlayedBuy): Promise<void> {
  story.step('Delivery is reported by signed webhook, a campaign day each second');
  let shown = '';
  const over = await waitFor(
    async () => {
      const spend = await client.get('/v1/ledger/spend');
      const events = await client.get('/v1/events');
      const detail = await client.get(`/v1/buys/${buy.mediaBuyId}`);
      if (!spend.ok || !events.ok || !detail.ok) return undefined;
      const rows = objectsOf(spend.value['spend']).map(
        (row) => `${textOf(row['seller'])} ${textOf(row['spend'])} ${textOf(row['currency'])}`,
      );
      const line = `${cell(events.value['applied'])} events applied   ${rows.join('   ')}`;
      if (line !== shown && rows.length > 0) story.line(line);
      shown = line;
      const statuses = objectsOf(detail.value['sellers']).map((each) => textOf(each['status']));
      return statuses.every((status) => status === 'completed') ? statuses : undefined;
    },
    timeoutMs,
    1_000,
  );
  if (over === undefined) notTrue('Not every seller has sent its final report in time.');
  story.line('Every seller has sent its final report; the buy is completed.');
}
