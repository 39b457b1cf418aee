import { Group, Loader, NativeSelect, Table } from '@mantine/core';
import { IconAlertTriangle, IconArrowsExchange } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { Count, decimal, micros, Money, moneyText, percentOf, percentText } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrintButton } from '../../parts/print.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { Stats } from '../../parts/stats.js';
import { rangeText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { eventColumns } from '../admin/events.js';
import { AssignCreative } from './assign-creative.js';
import { BuyActions, type Buy } from './buy-actions.js';
import { BuyLegs } from './buy-legs.js';
import { BuyOrders } from './buy-orders.js';
import { BuyStatus, buyText, lastDayOf, ownDaysOf } from './buy-status.js';
import { BuyTimeline } from './buy-timeline.js';
import { useCampaignsOf } from './use-campaigns-of.js';

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

const sum = (amounts: readonly (string | null | undefined)[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount ?? '0') ?? 0n), 0n));

function Shown({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const tab = useTab();
  const { currency } = buy;
  const sellers = new Set(buy.sellers.map(({ seller }) => seller));
  return (
    <>
      <ObjectHead
        name={buyText(buy)}
        title={<Name of={buyText(buy)} most={80} />}
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
          ...(may('reports.read') ? [{ title: 'Reports' }] : []),
          ...(may('principals.read') ? [{ title: 'Who did what' }] : []),
        ]}
      />
      {tab === 'Reports' && <Reports buy={buy} />}
      {tab === 'Who did what' && <ObjectHistory id={buy.media_buy_id} />}
      {tab === 'Overview' && (
        <>
          {(micros(buy.not_placed) !== 0n ||
            buy.sellers.some(({ status }) => status === 'pending_creatives')) && <NotPlaced buy={buy} />}
          {buy.impairments.map((impairment) => (
            <Impairment
              key={`${impairment.reason} ${impairment.observed_at ?? ''}`}
              buy={buy}
              of={impairment}
            />
          ))}
          <div className="columns" style={{ '--right': '348px' } as never}>
            <div className="column">
              <Figures buy={buy} />
              <BuyLegs buy={buy} />
              {may('reports.read') && buy.current_total_budget !== '0' && (
                <Panel title="Pacing" about={`spent and an even spend, ${currency}`}>
                  <Suspense fallback={<Loader role="status" aria-label="Loading the chart" />}>
                    <Pacing buy={buy} />
                  </Suspense>
                </Panel>
              )}
              <Lines buy={buy} />
            </div>
            <div className="column">
              <BuyTimeline buy={buy} />
              <Panel title="Order" acts={<PrintButton />}>
                <FactList
                  of={{
                    'Order value': (
                      <Money amount={buy.current_total_budget} currency={currency} show="cents" />
                    ),
                    Campaign: (
                      <Group gap="xs">
                        {buy.campaign_id === null ? 'Not assigned' : <Name of={buy.campaign} />}
                        <MoveButton key={buy.campaign_id} buy={buy} />
                      </Group>
                    ),
                    Brand: <Name of={buy.brand_name ?? buy.brand} />,
                    Account: <Name of={buy.account} />,
                    Sellers: [...sellers].map((seller) => (
                      <div key={seller}>
                        <SellerName of={seller} size={20} isLink={may('sellers.read')} />
                      </div>
                    )),
                    Creatives: (
                      <Go to="/creatives" search={{ media_buy_id: buy.media_buy_id }}>
                        Seller by seller
                      </Go>
                    ),
                    Ledger: may('ledger.read') && (
                      <Go to={`/reports/entries/${encodeURIComponent(buy.media_buy_id)}`}>Its entries</Go>
                    ),
                  }}
                />
              </Panel>
              <BuyOrders buy={buy} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** What was ordered and does not run anywhere, in money, with what can be done about it. */
function NotPlaced({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const nameOf = useSellerNames();
  const refused = buy.sellers.filter(({ status, has_taken_it: has }) => status === 'rejected' && !has);
  const isOver = refused.length === buy.sellers.length;
  const waits = buy.sellers.filter(({ status }) => status === 'pending_creatives');
  const waiting = sum(
    buy.packages
      .filter(({ seller }) => waits.some((one) => one.seller === seller))
      .map(({ current_budget: budget }) => budget),
  );
  const still = decimal((micros(buy.not_placed) ?? 0n) + (micros(waiting) ?? 0n));
  return (
    <div className="banner" data-tone="warn" role="note">
      <IconAlertTriangle size={18} stroke={1.7} aria-hidden="true" />
      <div>
        <b>
          {moneyText(still)} of {moneyText(buy.total_budget, buy.currency)} do not run.
        </b>{' '}
        {waits.length > 0 &&
          `${waits.map(({ seller }) => clean(nameOf(seller), 60)).join(', ')} ${waits.length === 1 ? 'waits' : 'wait'} for a creative (${moneyText(waiting)})${refused.length > 0 ? ', ' : '.'}`}
        {refused.length > 0 &&
          `${refused.map(({ seller }) => clean(nameOf(seller), 60)).join(', ')} refused${isOver ? ' the whole buy' : ` (${moneyText(buy.not_placed)})`}.`}
      </div>
      {may('media_buys.write') && waits.length > 0 && (
        <a href="#lines" className="second-act">
          Assign creatives
        </a>
      )}
      {may('media_buys.write') && may('products.read') && micros(buy.not_placed) !== 0n && (
        <Link to="/ask" search={{ from: buy.media_buy_id }} className="second-act">
          <IconArrowsExchange size={15} stroke={1.7} aria-hidden="true" /> Place elsewhere
        </Link>
      )}
    </div>
  );
}

function Impairment({ buy, of }: { readonly buy: Buy; readonly of: Buy['impairments'][number] }) {
  return (
    <div className="banner" data-tone="warn" role="note">
      <IconAlertTriangle size={18} stroke={1.7} aria-hidden="true" />
      <div>
        <b>
          <Name of={of.reason} most={300} />
        </b>{' '}
        {of.remediation !== undefined && <Name of={of.remediation} most={600} />}{' '}
        {of.package_ids.length === 0 ? (
          'It affects the whole buy'
        ) : (
          <>
            Affected lines: <Name of={of.package_ids.join(', ')} most={300} />
          </>
        )}
        , since <Time at={of.observed_at} />.{' '}
        <Go to="/creatives" search={{ media_buy_id: buy.media_buy_id }}>
          Creatives of this buy
        </Go>
      </div>
    </div>
  );
}

/** Delivery against the order, and how much of the time is over. */
function Figures({ buy }: { readonly buy: Buy }) {
  const [start, end] = [Date.parse(buy.start_time), Date.parse(buy.end_time)];
  const time = end > start ? Math.min(100, Math.max(0, ((Date.now() - start) * 100) / (end - start))) : 100;
  const spent = sum(buy.packages.map(({ spend }) => spend));
  const impressions = buy.packages.reduce((all, { impressions: own }) => all + (own ?? 0), 0);
  const taken = new Set(buy.sellers.filter(({ has_taken_it: has }) => has).map(({ seller }) => seller)).size;
  const all = new Set(buy.sellers.map(({ seller }) => seller)).size;
  const cpm =
    impressions === 0 ? undefined : ((micros(spent) ?? 0n) * 1_000n) / BigInt(Math.round(impressions));
  return (
    <Stats
      label="Figures of the buy"
      of={[
        {
          label: 'Delivered',
          value: <Money amount={spent} show="whole" />,
          unit: `of ${moneyText(buy.current_total_budget, buy.currency, 'whole')}`,
          note: `${percentText(percentOf(spent, buy.current_total_budget))}; of the time ${percentText(time)}`,
        },
        {
          label: 'Impressions',
          value: <Count of={impressions} isShort />,
          note: cpm === undefined ? 'none reported' : `CPM ${moneyText(decimal(cpm), buy.currency, 'cents')}`,
        },
        {
          label: 'Not delivered yet',
          value: (
            <Money
              amount={decimal((micros(buy.current_total_budget) ?? 0n) - (micros(spent) ?? 0n))}
              show="whole"
            />
          ),
          unit: buy.currency,
          note: rangeText(buy.start_time.slice(0, 10), lastDayOf(buy)),
        },
        {
          label: 'Sellers',
          value: taken,
          unit: `of ${all} took it`,
          note: taken === all ? 'all of them' : `${all - taken} did not, or not yet`,
          tone: taken === all ? undefined : 'warn',
        },
      ]}
    />
  );
}

/** The lines: one product each, with its days and figures. */
function Lines({ buy }: { readonly buy: Buy }) {
  return (
    <Panel title="Lines" about={`one product each, ${buy.currency}`} isFlush id="lines">
      <ScrollTable label="Lines, a table" className="stacks">
        <Table.Thead>
          <Table.Tr>
            {['Line', 'Seller', 'Budget', 'Spent', 'Impressions'].map((title) => (
              <Table.Th
                key={title}
                className={['Budget', 'Spent', 'Impressions'].includes(title) ? 'number' : ''}
              >
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buy.packages.map((part) => (
            <Table.Tr key={part.package_id}>
              <Table.Td>
                <Name of={part.product_id} />
                <Quiet>
                  {ownDaysOf(part, buy) !== '' && (
                    <div>
                      <Name of={ownDaysOf(part, buy)} />
                    </div>
                  )}
                  <Id of={part.package_id} short />
                  {part.canceled === true && (
                    <Explained
                      kind="package"
                      of="canceled"
                      cli={`npx switchyard buys show ${buy.media_buy_id}`}
                    />
                  )}
                </Quiet>
              </Table.Td>
              <Table.Td data-title="Seller">
                <SellerName of={part.seller} />
              </Table.Td>
              <Table.Td className="number" data-title="Budget">
                <Money amount={part.current_budget} />
              </Table.Td>
              <Table.Td className="number" data-title="Spent">
                <Money amount={part.spend} />
              </Table.Td>
              <Table.Td className="number" data-title="Impressions">
                {part.impressions === undefined ? '–' : <Count of={part.impressions} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      <div className="panel-body">
        <AssignCreative buy={buy} />
      </div>
    </Panel>
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

/** Moves a buy to a campaign of its brand, or to none. */
function MoveButton({ buy }: { readonly buy: Buy }) {
  const [to, setTo] = useState(buy.campaign_id ?? '');
  const refresh = useRefresh();
  const mayMove = useMay()('clients.write');
  const campaigns = useCampaignsOf(buy.brand, mayMove) ?? [];
  if (!mayMove) return undefined;
  const move = async (reason: string): Promise<void> => {
    const from = buy.campaign_id;
    const body = { media_buy_id: buy.media_buy_id, ...(reason !== '' && { reason }) };
    if (to !== '') await api('POST /v1/campaigns/{id}/assign', { params: { id: to }, body });
    else if (from !== null) await api('POST /v1/campaigns/{id}/unassign', { params: { id: from }, body });
    await refresh();
  };
  return (
    <ConfirmButton
      label={buy.campaign_id === null ? 'Assign' : 'Move'}
      size="compact-xs"
      variant="default"
      reason="optional"
      blocked={to === (buy.campaign_id ?? '') ? 'It stands there already.' : undefined}
      act={move}
      done="The buy is moved; the ledger has the move."
    >
      <NativeSelect
        label="Campaign"
        description="Of the brand of the buy. Its spend goes with it."
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        data={[
          { value: '', label: 'None' },
          ...campaigns
            .filter(({ status, campaign_id: id }) => id === buy.campaign_id || status !== 'closed')
            .map(({ campaign_id: value, name }) => ({ value, label: clean(name, 60) })),
        ]}
      />
    </ConfirmButton>
  );
}
