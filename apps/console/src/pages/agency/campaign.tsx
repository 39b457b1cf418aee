import { Loader } from '@mantine/core';
import { IconShare } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import type { Answer } from '../../api/client.js';
import { LineArea } from '../../parts/charts.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState, MayNot } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { Count, Money, moneyText, percentOf, percentText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { NoneYet } from '../../parts/none-yet.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrintButton } from '../../parts/print.js';
import { Stats } from '../../parts/stats.js';
import { dayText, rangeText } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { buyColumns, buyPeek } from './buys.js';
import { WhatToDo } from './campaign-deeds.js';
import { MoneyTab } from './campaign-money.js';
import { CampaignNotes, useNotes } from './campaign-notes.js';
import { PauseCampaign, usePauses } from './campaign-pause.js';
import { WhereItRuns } from './campaign-runs.js';
import { CampaignCalendar, CampaignCreatives, CreativesOf } from './campaign-tabs.js';
import { EditCampaign } from './edit-campaign.js';
import { budgetOf, cpmOf, daysBetween, lessText, PacePill, type PaceRow } from './pace.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Buy = Answer<'GET /v1/buys'>['media_buys'][number];

/** One campaign: its figures, its plan day by day, where its money runs, its buys and what was done with it. */
export function CampaignPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useAnswer('GET /v1/campaigns/{id}', { params: { id } });
  return (
    <Loaded title="Campaign" query={query}>
      {(campaign) => <Shown campaign={campaign} />}
    </Loaded>
  );
}

function usePace(campaign: Campaign): { readonly row: PaceRow | undefined; readonly today: string } {
  const may = useMay();
  const { data } = useAnswer(
    'GET /v1/pacing',
    { query: { campaign_id: campaign.campaign_id, by: 'campaign', days: 'true' } },
    may('ledger.read'),
  );
  return {
    row: data?.pacing.find(({ currency }) => currency === campaign.currency) ?? data?.pacing[0],
    today: data?.date ?? new Date().toISOString().slice(0, 10),
  };
}

function Shown({ campaign }: { readonly campaign: Campaign }) {
  const tab = useTab();
  const may = useMay();
  const { row, today } = usePace(campaign);
  const buys = usePages(
    'GET /v1/buys',
    'media_buys',
    { campaign: campaign.campaign_id },
    may('media_buys.read'),
  );
  const notes = useNotes(campaign.campaign_id);
  const pauses = usePauses(campaign.campaign_id);
  const left = daysBetween(today, campaign.to);
  const count = buys.isSuccess && !buys.hasNextPage ? buys.rows.length : undefined;
  return (
    <>
      <ObjectHead
        name={campaign.name}
        avatar={campaign.client}
        pill={
          campaign.status !== 'active' || row === undefined ? (
            <Explained
              kind="campaign"
              of={campaign.status}
              cli={`npx switchyard campaigns show ${campaign.campaign_id}`}
            />
          ) : (
            <PacePill row={row} today={today} />
          )
        }
        parents={[{ title: campaign.client, to: `/clients/${campaign.client_id}` }]}
        facts={[
          <Go key="client" to={`/clients/${campaign.client_id}`}>
            <Name of={campaign.client} most={60} />
          </Go>,
          <Name key="brand" of={campaign.brand} most={60} />,
          `${rangeText(campaign.from, campaign.to)}${left >= 0 ? `, ${left} ${left === 1 ? 'day' : 'days'} left` : ''}`,
          campaign.po_number !== null && (
            <>
              PO <Name of={campaign.po_number} most={40} />
            </>
          ),
          campaign.owner !== null && <Name key="owner" of={campaign.owner} most={40} />,
        ]}
        acts={
          <>
            {may('ledger.read') && (
              <Link
                to="/reports/statements"
                search={{
                  scope: `campaign:${campaign.campaign_id}`,
                  period: (row?.through ?? today).slice(0, 7),
                }}
                className="second-act"
              >
                <IconShare size={15} stroke={1.7} aria-hidden /> Client report
              </Link>
            )}
            {pauses !== undefined && pauses.running.length > 0 ? (
              <PauseCampaign campaignId={campaign.campaign_id} deed="pause" of={pauses.running} />
            ) : (
              pauses !== undefined &&
              pauses.paused.length > 0 && (
                <PauseCampaign campaignId={campaign.campaign_id} deed="resume" of={pauses.paused} />
              )
            )}
            {may('products.read') && (
              <Link to="/ask" search={{ brand: campaign.brand }} className="main-act">
                Ask the market
              </Link>
            )}
          </>
        }
        tabs={[
          { title: 'Overview' },
          ...(may('media_buys.read') ? [{ title: 'Buys', count }, { title: 'Calendar' }] : []),
          ...(may('creatives.read') ? [{ title: 'Creatives' }] : []),
          { title: 'Money' },
          { title: 'Notes', count: notes.isSuccess && !notes.hasNextPage ? notes.rows.length : undefined },
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Overview' && (
        <Overview campaign={campaign} row={row} today={today} buys={buys.rows} pauses={pauses} />
      )}
      {tab === 'Buys' && (
        <DataTable
          label="Buys of the campaign"
          peek={buyPeek}
          pages={buys}
          columns={buyColumns.filter(({ title }) => title !== 'Campaign')}
          empty={
            <EmptyState title="Nothing was bought yet">
              <Go to="/ask">Ask the market</Go>, and put the buy under this campaign.
            </EmptyState>
          }
        />
      )}
      {(tab === 'Calendar' || tab === 'Creatives') && !buys.isSuccess && (
        <NoneYet query={buys}>{undefined}</NoneYet>
      )}
      {tab === 'Calendar' && buys.isSuccess && <CampaignCalendar campaign={campaign} buys={buys.rows} />}
      {tab === 'Creatives' && buys.isSuccess && <CampaignCreatives buys={buys.rows} />}
      {tab === 'Money' && <MoneyTab campaign={campaign} row={row} />}
      {tab === 'Notes' && <CampaignNotes campaign={campaign} notes={notes} />}
      {tab === 'History' && <ObjectHistory id={campaign.campaign_id} />}
    </>
  );
}

const whole = (amount: string): string => moneyText(amount, null, 'whole');

function Overview({
  campaign,
  row,
  today,
  buys,
  pauses,
}: {
  readonly campaign: Campaign;
  readonly row: PaceRow | undefined;
  readonly today: string;
  readonly buys: readonly Buy[];
  readonly pauses: ReturnType<typeof usePauses>;
}) {
  const may = useMay();
  if (row === undefined)
    return may('ledger.read') ? (
      <Loader role="status" aria-label="Loading the figures" />
    ) : (
      <MayNot what="see its figures" needs="ledger.read" />
    );
  const budget = budgetOf(row);
  const currency = row.currency;
  const behind =
    row.planned_through === undefined ? undefined : lessText(row.planned_through, row.delivered_through);
  const isBehind = behind !== undefined && !behind.startsWith('-') && behind !== '0';
  const unspent = lessText(budget, row.forecast);
  const isOver = unspent.startsWith('-');
  const free = lessText(budget, row.committed);
  const through = row.through;
  const cpm = cpmOf([row]);
  const waits = row.pending === '0' ? '' : `, ${whole(row.pending)} waits for approval`;
  return (
    <>
      <Stats
        label="Figures of the campaign"
        of={[
          {
            label: `Delivered${through === undefined ? '' : ` to ${dayText(through).slice(0, -5)}`}`,
            value: <Money amount={row.delivered} show="whole" />,
            unit: `of ${whole(budget)} ${currency}`,
            note: `${percentText(percentOf(row.delivered, budget))} of the budget`,
          },
          {
            label: 'Planned by then',
            value: <Money amount={row.planned_through} show="whole" />,
            unit: currency,
            note:
              behind === undefined
                ? undefined
                : isBehind
                  ? `${whole(behind)} behind`
                  : `${whole(behind.replace('-', ''))} ahead`,
            tone: isBehind && percentOf(behind, budget) > 5 ? 'warn' : undefined,
          },
          {
            label: `Forecast, ${dayText(row.ends_on).slice(0, -5)}`,
            value: <Money amount={row.forecast} show="whole" />,
            unit: currency,
            note: isOver
              ? `${whole(unspent.replace('-', ''))} over the budget`
              : `${whole(unspent)} would stay unspent`,
            tone: isOver ? 'bad' : percentOf(unspent, budget) > 5 ? 'warn' : undefined,
          },
          {
            label: 'Booked',
            value: <Money amount={row.committed} show="whole" />,
            unit: currency,
            note: free.startsWith('-')
              ? `${whole(free.replace('-', ''))} above the budget`
              : `${whole(free)} free to book${waits}`,
            tone: free.startsWith('-') ? 'bad' : undefined,
          },
          {
            label: 'Impressions · CPM',
            value: row.impressions === undefined ? '–' : <Count of={row.impressions} isShort />,
            unit: cpm === undefined ? undefined : moneyText(cpm, currency, 'cents'),
            note:
              row.impressions === undefined ? 'no seller has reported them all' : 'of the reports that count',
          },
        ]}
      />
      <div className="columns">
        <div className="column">
          <Panel title="Pacing" about={`delivered and planned, ${currency}, sum of all days`}>
            {(row.days ?? []).length === 0 || through === undefined ? (
              <p className="panel-small">There are no figures by day yet.</p>
            ) : (
              <LineArea
                days={row.days ?? []}
                through={through}
                endsOn={row.ends_on}
                budget={row.planned}
                forecast={row.forecast}
                currency={currency}
                message={`${whole(row.delivered)} of ${whole(budget)} ${currency} are delivered to ${dayText(through)}; the forecast is ${whole(row.forecast)}.`}
              />
            )}
          </Panel>
          <WhereItRuns campaign={campaign} buys={buys} pauses={pauses} />
        </div>
        <div className="column">
          <WhatToDo row={row} campaign={campaign} today={today} />
          {may('creatives.read') && buys.length > 0 && <CreativesOf buys={buys} />}
          <Panel
            title="The campaign"
            acts={
              <>
                <EditCampaign campaign={campaign} label="Edit" /> <PrintButton />
              </>
            }
          >
            <FactList
              of={{
                Reference: campaign.reference,
                'Insertion order': campaign.insertion_order,
                Estimate: campaign.estimate,
                'Above the budget': campaign.above_budget ?? 'as the organization sets',
                'Outside the days': campaign.outside_flight ?? 'as the organization sets',
                Calendar: (
                  <Go
                    to="/campaigns/calendar"
                    search={{ campaign: campaign.campaign_id, from: campaign.from.slice(0, 7) }}
                  >
                    Days of its buys
                  </Go>
                ),
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}
