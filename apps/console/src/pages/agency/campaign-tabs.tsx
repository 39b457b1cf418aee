import type { Answer } from '../../api/client.js';
import { atSellers, textAt } from '../../api/task.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Thumb } from './creative-assets.js';
import { creativeColumns, creativePeek, formatOf, useCreatives } from './creatives.js';
import { Calendar, weeksOf } from './flights.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Buy = Answer<'GET /v1/buys'>['media_buys'][number];
type HasId = Pick<Buy, 'media_buy_id'>;

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
export function CampaignCreatives({ buys }: { readonly buys: readonly HasId[] }) {
  if (buys.length === 0)
    return (
      <EmptyState title="No creative runs here yet">A creative stands here once a line has it.</EmptyState>
    );
  return <OfBuys ids={buys.slice(0, 100).map(({ media_buy_id: id }) => id)} />;
}

/** So many creatives stand beside the figures of a campaign. */
const fewCreatives = 4;

/** The first creatives of the buys of a campaign, as pictures. */
export function CreativesOf({ buys }: { readonly buys: readonly HasId[] }) {
  const { rows, isSuccess } = useCreatives({
    media_buy_ids: buys.slice(0, 100).map(({ media_buy_id: id }) => id),
  });
  return (
    <Panel
      title="Creatives"
      acts={
        <Go to="." search={{ tab: 'Creatives' }}>
          All
        </Go>
      }
    >
      {isSuccess && rows.length === 0 && <p className="panel-small">No line has a creative yet.</p>}
      <ul className="thumbs">
        {rows.slice(0, fewCreatives).map((row) => {
          const sellers = atSellers(row).length;
          return (
            <li key={textAt(row['creative_id'])}>
              <Thumb of={row} />
              <Go to={`/creatives/${encodeURIComponent(textAt(row['creative_id']))}`}>
                <Name of={textAt(row['name']) || textAt(row['creative_id'])} most={40} />
              </Go>
              <small>
                <Name of={formatOf(row).replaceAll('_', ' ')} most={30} /> ·{' '}
                {sellers === 0 ? 'no seller' : sellers === 1 ? '1 seller' : `${sellers} sellers`}
              </small>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
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
        <EmptyState title="No line has a creative yet">
          A line gets one on the page of its buy. <Go to="/creatives">All creatives</Go>
        </EmptyState>
      }
    />
  );
}
