import { Loader } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { Panel } from '../../parts/panel.js';
import { rangeText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { eventColumns } from '../admin/events.js';
import { AssignCreative } from './assign-creative.js';
import { BuyActions, type Buy } from './buy-actions.js';
import { BuyBanners } from './buy-banners.js';
import { BuyFigures } from './buy-figures.js';
import { BuyLegs } from './buy-legs.js';
import { BuyLines } from './buy-lines.js';
import { BuyMoney, OrderPanel } from './buy-money.js';
import { BuyStatus, lastDayOf, useBuyText } from './buy-status.js';
import { BuyTimeline } from './buy-timeline.js';
import { CampaignCreatives, CreativesOf } from './campaign-tabs.js';

const Pacing = lazy(async () => ({ default: (await import('./pacing.js')).Pacing }));

/** One media buy: its terms, what it waits for, pacing, packages, and its history. */
export function BuyPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useAnswer('GET /v1/buys/{id}', { params: { id } });
  return (
    <Loaded title="Buy" query={query}>
      {(buy) => <Shown buy={buy} />}
    </Loaded>
  );
}

function Shown({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const tab = useTab();
  const { currency } = buy;
  const nameOf = useBuyText();
  const { data } = useAnswer(
    'GET /v1/pacing',
    { query: { media_buy_id: buy.media_buy_id, by: 'buy', days: 'true' } },
    may('ledger.read'),
  );
  const [pace] = data?.pacing ?? [];
  return (
    <>
      <ObjectHead
        name={nameOf(buy)}
        title={<Name of={nameOf(buy)} most={80} />}
        pill={<BuyStatus buy={buy} />}
        parents={
          buy.campaign_id === null || buy.campaign === null
            ? []
            : [{ title: buy.campaign, to: `/campaigns/${buy.campaign_id}` }]
        }
        facts={[
          buy.campaign_id !== null && (
            <Go to={`/campaigns/${buy.campaign_id}`}>
              <Name of={buy.campaign} most={60} />
            </Go>
          ),
          <Name key="client" of={buy.client ?? buy.brand_name ?? buy.brand} most={60} />,
          rangeText(buy.start_time.slice(0, 10), lastDayOf(buy)),
          <>
            ordered by <Name of={buy.created_by} most={40} />, <Time at={buy.created_at} />
          </>,
          <Id key="id" of={buy.media_buy_id} short />,
        ]}
        acts={
          <>
            <BuyActions buy={buy} />
          </>
        }
        tabs={[
          { title: 'Overview' },
          ...(may('creatives.read') ? [{ title: 'Creatives' }] : []),
          ...(may('reports.read') ? [{ title: 'Reports' }] : []),
          { title: 'Money' },
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Reports' && <Reports buy={buy} />}
      {tab === 'Creatives' && (
        <>
          <CampaignCreatives buys={[buy]} />
          <AssignCreative buy={buy} />
        </>
      )}
      {tab === 'Money' && <BuyMoney buy={buy} />}
      {tab === 'History' && <ObjectHistory id={buy.media_buy_id} />}
      {tab === 'Overview' && (
        <>
          <BuyBanners buy={buy} />
          <div className="columns" style={{ '--right': '348px' } as never}>
            <div className="column">
              <BuyFigures buy={buy} pace={pace} />
              <BuyLegs buy={buy} />
              <div className="two-columns">
                {may('creatives.read') && <CreativesOf buys={[buy]} />}
                <OrderPanel buy={buy} />
              </div>
              {may('reports.read') && buy.current_total_budget !== '0' && (
                <Panel title="Pacing" about={`spent and an even spend, ${currency}`}>
                  <Suspense fallback={<Loader role="status" aria-label="Loading the chart" />}>
                    <Pacing buy={buy} />
                  </Suspense>
                </Panel>
              )}
              <BuyLines buy={buy} />
            </div>
            <div className="column">
              <BuyTimeline buy={buy} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** What its sellers sent about it. */
function Reports({ buy }: { readonly buy: Buy }) {
  const events = usePages('GET /v1/events', 'events', { media_buy_id: buy.media_buy_id, counts: 'no' });
  return (
    <DataTable
      label="Reports"
      pages={events}
      columns={eventColumns.filter(({ title }) => title !== 'For')}
      empty={<EmptyState title="No report came yet">Its sellers report once it delivers.</EmptyState>}
    />
  );
}
