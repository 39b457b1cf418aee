import { cell } from '../plain.js';
import { notTrue } from './campaign-failure.js';
import { objectsOf, textOf } from './json-reading.js';
import type { Campaign } from './play-campaign.js';
import type { PlayedBuy } from './buy-step.js';
import { waitFor } from './wait-for.js';

/** Milliseconds. Delivery takes about a second a day; this allows for a busy machine. */
const timeoutMs = 180_000;

/** Waits for the signed reports until every seller has sent its last one. */
export async function reportsStep({ client, story }: Campaign, buy: PlayedBuy): Promise<void> {
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
