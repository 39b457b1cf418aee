import { Button, Loader, Table, TextInput, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { AdviceDialog, useAdvice, useAdviceTitle, whyOf } from '../../parts/advice.js';
import { LineArea, PacingBar, Spark } from '../../parts/charts.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { decimal, micros, Money, moneyText, percentOf, percentText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrintButton } from '../../parts/print.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Avatar } from '../../parts/avatar.js';
import { StatusBadge } from '../../parts/status.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { Stats } from '../../parts/stats.js';
import { dayText, rangeText } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { BuyStatus, buyText } from './buy-status.js';
import { buyColumns, buyPeek } from './buys.js';
import { CampaignCalendar, CampaignCreatives } from './campaign-tabs.js';
import { EditCampaign } from './edit-campaign.js';
import { budgetOf, daysBetween, lastDays, PacePill, paceState, type PaceRow } from './pace.js';

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
            <EditCampaign campaign={campaign} isLarge />
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
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Overview' && <Overview campaign={campaign} row={row} today={today} buys={buys.rows} />}
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
      {tab === 'Calendar' && <CampaignCalendar campaign={campaign} buys={buys.rows} />}
      {tab === 'Creatives' && <CampaignCreatives buys={buys.rows} />}
      {tab === 'Money' && <MoneyTab campaign={campaign} row={row} />}
      {tab === 'History' && <ObjectHistory id={campaign.campaign_id} />}
    </>
  );
}

const minus = (a: string, b: string): string => decimal((micros(a) ?? 0n) - (micros(b) ?? 0n));
const whole = (amount: string): string => moneyText(amount, null, 'whole');

function Overview({
  campaign,
  row,
  today,
  buys,
}: {
  readonly campaign: Campaign;
  readonly row: PaceRow | undefined;
  readonly today: string;
  readonly buys: readonly Buy[];
}) {
  const may = useMay();
  if (row === undefined)
    return may('ledger.read') ? (
      <Loader role="status" aria-label="Loading the figures" />
    ) : (
      <EmptyState title="You may not see its figures">They need the permission ledger.read.</EmptyState>
    );
  const budget = budgetOf(row);
  const currency = row.currency;
  const behind =
    row.planned_through === undefined ? undefined : minus(row.planned_through, row.delivered_through);
  const isBehind = behind !== undefined && !behind.startsWith('-') && behind !== '0';
  const unspent = minus(budget, row.forecast);
  const isOver = unspent.startsWith('-');
  const free = minus(budget, row.committed);
  const through = row.through;
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
              : `${whole(free)} free to book`,
            tone: free.startsWith('-') ? 'bad' : undefined,
          },
          {
            label: 'Waits for approval',
            value: <Money amount={row.pending} show="whole" />,
            unit: currency,
            note: 'not booked yet',
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
          <WhereItRuns campaign={campaign} buys={buys} />
        </div>
        <div className="column">
          <WhatToDo row={row} campaign={campaign} today={today} />
          <Panel title="The campaign" acts={<PrintButton />}>
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

const deeds: Readonly<Record<string, readonly [title: string, text: string]>> = {
  over_budget: ['Lower or cancel buys', 'More was delivered than the budget allows.'],
  will_overspend: ['Lower budgets', 'The forecast is above the budget.'],
  no_report_for_days: ['Ask the seller for its reports', 'Without figures the forecast means nothing.'],
  not_started: ['Ask the seller why nothing runs', 'Its first day is over, and nothing was delivered.'],
  behind: ['Raise budgets where a seller can deliver', 'Money would stay unspent.'],
  ahead: ['Look whether the budget lasts', 'It is delivered faster than planned.'],
};

/** What a person does about the alerts, the one that costs most first. */
function WhatToDo({
  row,
  campaign,
  today,
}: {
  readonly row: PaceRow;
  readonly campaign: Campaign;
  readonly today: string;
}) {
  const nameOf = useSellerNames();
  const { code: first } = paceState(row, today);
  const codes = row.alerts
    .map(({ code }) => code)
    .toSorted((a, b) => Number(b === first) - Number(a === first));
  const may = useMay();
  const advice = useAdvice(campaign.campaign_id, may('ledger.read')).data?.advice;
  const titleOf = useAdviceTitle();
  const [isOpen, dialog] = useDisclosure();
  if (codes.length === 0 && !advice) return undefined;
  return (
    <Panel
      title="What to do"
      about={advice ? `worth ${moneyText(advice.amount, advice.currency, 'whole')}` : undefined}
    >
      {advice && (
        <div className="deed">
          <b>{titleOf(advice)}</b>
          {advice.changes.slice(0, 3).map((change) => (
            <small key={`${change.media_buy_id} ${change.package_id}`}>
              <Name of={nameOf(change.seller)} most={60} />: {whyOf(change)}
            </small>
          ))}
          {may('media_buys.write') && (
            <Button size="compact-sm" variant="default" onClick={dialog.open}>
              Show the change
            </Button>
          )}
          {isOpen && (
            <AdviceDialog campaignId={campaign.campaign_id} name={campaign.name} onClose={dialog.close} />
          )}
        </div>
      )}
      {codes.map((code) => {
        const [title, text] = deeds[code] ?? [code.replaceAll('_', ' '), ''];
        return (
          <div key={code} className="deed">
            <b>{title}</b>
            <small>
              {text} {row.alerts.find((alert) => alert.code === code)?.message}
            </small>
            <Go to="." search={{ tab: 'Buys' }}>
              Its buys
            </Go>
          </div>
        );
      })}
      <div className="deed">
        <Go to="/reports" search={{ campaign: campaign.campaign_id, by: 'buy' }}>
          Figures by buy
        </Go>
      </div>
    </Panel>
  );
}

interface Running {
  readonly key: string;
  readonly sellers: readonly string[];
  readonly buys: readonly Buy[];
  readonly paces: readonly PaceRow[];
}

/** The buys by who has them: those at one seller together, one over several sellers by itself. */
function runningOf(paces: readonly PaceRow[], buys: readonly Buy[]): readonly Running[] {
  const found = new Map<string, Running>();
  for (const pace of paces) {
    const buy = buys.find(({ media_buy_id: id }) => id === pace.media_buy_id);
    const sellers = [...new Set((buy?.sellers ?? []).map(({ seller }) => seller))];
    const key = `${sellers.length === 1 ? (sellers[0] ?? '') : (pace.media_buy_id ?? '')} ${pace.currency}`;
    const before = found.get(key);
    found.set(key, {
      key,
      sellers,
      buys: [...(before?.buys ?? []), ...(buy === undefined ? [] : [buy])],
      paces: [...(before?.paces ?? []), pace],
    });
  }
  return [...found.values()];
}

const sumOf = (paces: readonly PaceRow[], pick: (row: PaceRow) => string | undefined): string =>
  decimal(paces.reduce((all, row) => all + (micros(pick(row) ?? '0') ?? 0n), 0n));

/** How far what runs at a seller is from its plan, in percent of the plan; negative when it is behind. */
const offPlan = ({ paces }: Running): number => {
  const planned = sumOf(paces, ({ planned_through: due }) => due);
  return planned === '0'
    ? 0
    : percentOf(
        minus(
          sumOf(paces, ({ delivered_through: done }) => done),
          planned,
        ),
        planned,
      );
};

/** The state of what runs at a seller: what it lacks first, then its distance from the plan. */
function RunningState({ of }: { readonly of: Running }) {
  const [buy] = of.buys;
  const lacks = of.buys.find(({ status }) => status === 'pending_creatives');
  if (lacks !== undefined) return <StatusBadge of="No creative" tone="bad" />;
  if (buy !== undefined && of.buys.every(({ status }) => status !== 'active')) return <BuyStatus buy={buy} />;
  const off = offPlan(of);
  if (off <= -5) return <StatusBadge of={`Behind by ${percentText(-off)}`} tone="warn" />;
  if (off >= 10) return <StatusBadge of={`Ahead by ${percentText(off)}`} tone="warn" />;
  return <StatusBadge of="On plan" tone="good" />;
}

/** Where the budget of the campaign runs, seller by seller, what is most behind first. */
function WhereItRuns({ campaign, buys }: { readonly campaign: Campaign; readonly buys: readonly Buy[] }) {
  const pace = useAnswer('GET /v1/pacing', {
    query: { campaign_id: campaign.campaign_id, by: 'buy', days: 'true', limit: '100' },
  });
  const nameOf = useSellerNames();
  const rows = runningOf(pace.data?.pacing ?? [], buys).toSorted((a, b) => offPlan(a) - offPlan(b));
  const sellers = new Set(rows.flatMap((row) => row.sellers)).size;
  const count = rows.reduce((all, row) => all + row.paces.length, 0);
  return (
    <Panel
      title="Where the money runs"
      about={`${count} ${count === 1 ? 'buy' : 'buys'} at ${sellers} ${sellers === 1 ? 'seller' : 'sellers'}, ${campaign.currency}`}
      isFlush
    >
      {rows.length === 0 ? (
        <p className="panel-note">Nothing is bought yet.</p>
      ) : (
        <ScrollTable label="Buys of the campaign against their plan" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Seller</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Pacing</Table.Th>
              <Table.Th className="number">Delivered</Table.Th>
              <Table.Th className="number">Booked</Table.Th>
              <Table.Th>14 days</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const [first] = row.buys;
              const planned = sumOf(row.paces, ({ planned_through: due }) => due);
              const series = seriesOf(row.paces, 14);
              return (
                <Table.Tr key={row.key}>
                  <Table.Td>
                    <span className="with-avatar">
                      {row.sellers.slice(0, 3).map((seller) => (
                        <Avatar key={seller} of={nameOf(seller)} size={26} />
                      ))}
                      <span>
                        {row.buys.length === 1 && first !== undefined ? (
                          <Go to={`/buys/${encodeURIComponent(first.media_buy_id)}`}>
                            <Name of={row.sellers.map(nameOf).join(', ')} most={60} />
                          </Go>
                        ) : (
                          <Go to="." search={{ tab: 'Buys' }}>
                            <Name of={row.sellers.map(nameOf).join(', ')} most={60} />
                          </Go>
                        )}
                        <Quiet>
                          {row.paces.length === 1 ? '1 buy' : `${row.paces.length} buys`}
                          {first !== undefined && (
                            <>
                              {' '}
                              · <Name of={buyText(first)} most={40} />
                            </>
                          )}
                        </Quiet>
                      </span>
                    </span>
                  </Table.Td>
                  <Table.Td data-title="State">
                    <RunningState of={row} />
                  </Table.Td>
                  <Table.Td data-title="Pacing">
                    <PacingBar
                      delivered={sumOf(row.paces, ({ delivered }) => delivered)}
                      planned={planned === '0' ? undefined : planned}
                      budget={sumOf(row.paces, budgetOf)}
                      currency={row.paces[0]?.currency ?? campaign.currency}
                      width={96}
                    />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={sumOf(row.paces, ({ delivered }) => delivered)} show="whole" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Booked">
                    <Money
                      amount={sumOf(row.paces, ({ committed }) => committed)}
                      currency={row.paces[0]?.currency === campaign.currency ? null : row.paces[0]?.currency}
                      show="whole"
                    />
                  </Table.Td>
                  <Table.Td data-title="14 days">
                    {series.length > 1 ? (
                      <Spark of={series} label="Delivered on the last 14 days with figures" />
                    ) : (
                      '–'
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}

/** What several rows delivered on each of the last days, for drawing. */
function seriesOf(paces: readonly PaceRow[], count: number): readonly number[] {
  const all = paces.map((row) => lastDays(row, count));
  const most = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) =>
    all.reduce((sum, days) => sum + (days[at - most + days.length] ?? 0), 0),
  );
}

function MoneyTab({ campaign, row }: { readonly campaign: Campaign; readonly row: PaceRow | undefined }) {
  const months = Object.entries(campaign.plan);
  return (
    <div className="columns">
      <div className="column">
        <Panel title="Plan by month" isFlush>
          {months.length === 0 ? (
            <p className="panel-note">It has no plan by month: its budget is spread evenly over its days.</p>
          ) : (
            <ScrollTable label="Plan by month">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Month</Table.Th>
                  <Table.Th className="number">Part of the budget</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {months.map(([month, part]) => (
                  <Table.Tr key={month}>
                    <Table.Td>{month}</Table.Td>
                    <Table.Td className="number">{part}%</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </ScrollTable>
          )}
        </Panel>
      </div>
      <div className="column">
        <Rules campaign={campaign} />
        <Panel title="Budget">
          <FactList
            of={{
              Budget: campaign.budget !== null && (
                <Money amount={campaign.budget} currency={campaign.currency} show="cents" />
              ),
              Booked: row && <Money amount={row.committed} currency={row.currency} show="cents" />,
              Delivered: row && <Money amount={row.delivered} currency={row.currency} show="cents" />,
              Forecast: row && <Money amount={row.forecast} currency={row.currency} show="cents" />,
            }}
          />
        </Panel>
      </div>
    </div>
  );
}

/** Which buys go under the campaign by themselves: those of a brand, or whose reference begins so. */
function Rules({ campaign }: { readonly campaign: Campaign }) {
  const id = campaign.campaign_id;
  const { data } = useAnswer('GET /v1/campaigns/{id}/rules', { params: { id } });
  const mayWrite = useMay()('clients.write');
  const refresh = useRefresh();
  const [start, setStart] = useState('');
  const rules = data?.rules ?? [];
  const add = async (): Promise<void> => {
    const reference = start.trim();
    await api('POST /v1/campaigns/{id}/rules', {
      params: { id },
      body: reference === '' ? { brand: campaign.brand } : { reference_start: reference },
    });
    setStart('');
    await refresh();
  };
  return (
    <Panel title="Rules" about="which buys come here by themselves">
      <ul className="plain-list" aria-label="Rules of the campaign">
        {rules.map((rule) => (
          <li key={rule.rule_id}>
            <Group gap="xs" justify="space-between" wrap="nowrap">
              <span>
                {rule.brand !== null && (
                  <>
                    Buys of <Name of={rule.brand} most={60} />
                  </>
                )}
                {rule.reference_start !== null && (
                  <>
                    References that begin with <Name of={rule.reference_start} most={60} />
                  </>
                )}
              </span>
              {mayWrite && (
                <ConfirmButton
                  label="Remove the rule"
                  size="compact-xs"
                  variant="default"
                  done="The rule is removed."
                  act={async () => {
                    await api('DELETE /v1/campaigns/{id}/rules/{rule}', {
                      params: { id, rule: rule.rule_id },
                    });
                    await refresh();
                  }}
                >
                  New buys are not put here by it any more. What stands here stays.
                </ConfirmButton>
              )}
            </Group>
          </li>
        ))}
        {data !== undefined && rules.length === 0 && <li>None: buys are put here by a person.</li>}
      </ul>
      {mayWrite && (
        <ActForm title="Add a rule" label="Add the rule" act={add} done="The rule holds for new buys.">
          <TextInput
            label="Reference begins with"
            description="Empty: every new buy of the brand"
            value={start}
            maxLength={100}
            onChange={({ currentTarget }) => setStart(currentTarget.value)}
          />
        </ActForm>
      )}
    </Panel>
  );
}
