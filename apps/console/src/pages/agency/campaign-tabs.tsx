import type { Answer } from '../../api/client.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { creativeColumns, creativePeek, useCreatives } from './creatives.js';
import { Calendar, weeksOf } from './flights.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Buy = Answer<'GET /v1/buys'>['media_buys'][number];

/** So many months of a campaign are drawn. */
const mostMonths = 12;

/** When each buy of a campaign runs, over its own months. */
export function CampaignCalendar({
  campaign,
  buys,
}: {
  readonly campaign: Campaign;
  readonly buys: readonly Buy[];
}) {
  const [from, to] = [campaign.from.slice(0, 7), campaign.to.slice(0, 7)];
  const monthOf = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5));
  const months = Math.min(mostMonths, monthOf(to) - monthOf(from) + 1);
  if (buys.length === 0)
    return <EmptyState title="Nothing runs yet">Its buys stand here, week by week.</EmptyState>;
  return (
    <Calendar
      buys={buys.toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time))}
      weeks={weeksOf(from, months)}
    />
  );
}

/** The creatives of the buys of a campaign. */
export function CampaignCreatives({ buys }: { readonly buys: readonly Buy[] }) {
  if (buys.length === 0)
    return (
      <EmptyState title="No creative runs here yet">
        A creative belongs to a campaign by the lines that it is assigned to.
      </EmptyState>
    );
  return <OfBuys ids={buys.slice(0, 100).map(({ media_buy_id: id }) => id)} />;
}

function OfBuys({ ids }: { readonly ids: readonly string[] }) {
  const pages = useCreatives({ media_buy_ids: ids });
  return (
    <DataTable
      label="Creatives of the campaign"
      pages={pages}
      columns={creativeColumns}
      peek={creativePeek}
      empty={
        <EmptyState title="No line of this campaign has a creative">
          A line gets one on the page of its buy. <Go to="/creatives">All creatives</Go>
        </EmptyState>
      }
    />
  );
}
