import { Loader, Table } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { may, type Me } from '../../api/session.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { PacingBar, Spark } from '../../parts/charts.js';
import { decimal, micros, Money, moneyText, percentText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Stats, type Stat } from '../../parts/stats.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';
import { MarketNow } from '../admin/market-now.js';
import { NeedsYou } from './needs-you.js';
import { PracticeMarket } from './practice-clock.js';
import {
  budgetOf,
  daysBetween,
  lastDays,
  PacePill,
  paceState,
  usePacing,
  worstFirst,
  type PaceRow,
} from './pace.js';

/** The start page of whoever buys. */
export function TraderHome({ me }: { readonly me: Me }) {
  const instance = useAnswer('GET /v1/instance', {}, may(me, 'sellers.read'));
  const count = instance.data?.sellers_live;
  return (
    <>
      {may(me, 'products.read') && (
        <Link to="/ask" search={{}} className="ask-box">
          <IconSparkles size={17} stroke={1.7} aria-hidden="true" />
          Ask {count ?? 'the'} {count === 1 ? 'seller' : 'sellers'}: goal, audience, budget, dates…
          <kbd aria-hidden="true">A</kbd>
        </Link>
      )}
      {may(me, 'ledger.read') && <Figures me={me} />}
      <div className="columns" style={{ '--right': '300px' } as never}>
        <div className="column">
          <NeedsYou />
          {may(me, 'ledger.read') && <CampaignsNow />}
        </div>
        <div className="column">
          <PracticeMarket />
          {may(me, 'sellers.read') && <MarketNow />}
          <SinceYesterday />
          {may(me, 'media_buys.write') && <Continue me={me} />}
        </div>
      </div>
    </>
  );
}

const tones = { info: 'good', warning: 'warn', critical: 'bad' } as const;

/** What the reader was told since yesterday evening. */
function SinceYesterday() {
  const since = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 6 * 3_600_000).toISOString();
  const { data } = useAnswer('GET /v1/notices', { query: { since, limit: '8' } });
  const notices = data?.notices ?? [];
  if (notices.length === 0) return undefined;
  return (
    <Panel title="Since yesterday 18:00">
      <ol className="lately">
        {notices.slice(0, 5).map(({ notice_id: id, severity, title, text, at }) => (
          <li key={id} data-tone={tones[severity]}>
            <Name of={title} most={100} />
            <small>{text === undefined ? <Time at={at} ago /> : <Name of={text} most={80} />}</small>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The plans that the reader began and did not buy yet. */
function Continue({ me }: { readonly me: Me }) {
  const { data } = useAnswer('GET /v1/plans', {
    query: { state: 'draft', made_by_id: me.principal_id, limit: '4' },
  });
  const plans = data?.plans ?? [];
  if (plans.length === 0) return undefined;
  return (
    <Panel title="Continue" acts={<Go to="/plans">All plans</Go>}>
      <ul className="plain-list">
        {plans.map((plan) => (
          <li key={plan.plan_id}>
            <Go to={`/plans/${plan.plan_id}`}>
              <Name of={plan.name} most={60} />
            </Go>
            <Quiet>
              {plan.lines} {plan.lines === 1 ? 'line' : 'lines'}
              {Object.entries(plan.totals).map(([currency, total]) => (
                <span key={currency}> · {moneyText(total, currency, 'whole')}</span>
              ))}
            </Quiet>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const sum = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount) ?? 0n), 0n));

/** Four figures of the running campaigns in the currency of the reports. Others are named, and never added. */
function Figures({ me }: { readonly me: Me }) {
  const pacing = usePacing();
  const today = pacing.data?.date ?? '';
  const currency = me.organization.reporting_currency;
  const running = (pacing.data?.pacing ?? []).filter(({ ends_on: end }) => end >= today);
  const own = running.filter((row) => row.currency === currency);
  if (own.length === 0) return undefined;
  const others = running.length - own.length;
  const elsewhere =
    others === 0 ? undefined : `${others} ${others === 1 ? 'campaign' : 'campaigns'} in another currency`;
  return <Stats label="Running campaigns" of={figuresOf(own, today, currency, elsewhere)} />;
}

function figuresOf(
  rows: readonly PaceRow[],
  today: string,
  currency: string,
  elsewhere: string | undefined,
): readonly Stat[] {
  const byDay = new Map<string, bigint>();
  for (const { days = [] } of rows)
    for (const { day, delivered } of days)
      if (day < today) byDay.set(day, (byDay.get(day) ?? 0n) + (micros(delivered) ?? 0n));
  const days = [...byDay].toSorted(([a], [b]) => (a < b ? -1 : 1)).filter(([, amount]) => amount > 0n);
  const [day, amount] = days.at(-1) ?? ['', 0n];
  const before = days.at(-2)?.[1] ?? 0n;
  const isYesterday = day !== '' && daysBetween(day, today) === 1;
  const change = before === 0n ? undefined : Number(((amount - before) * 1_000n) / before) / 10;
  const month = today.slice(0, 7);
  const inMonth = (pick: 'planned' | 'delivered', through: string): string =>
    sum(
      rows.flatMap(({ days: own = [] }) =>
        own.filter((one) => one.day.startsWith(month) && one.day <= through).map((one) => one[pick] ?? '0'),
      ),
    );
  const [planned, plannedNow, delivered] = [
    inMonth('planned', '9'),
    inMonth('planned', day),
    inMonth('delivered', today),
  ];
  const behind = decimal((micros(plannedNow) ?? 0n) - (micros(delivered) ?? 0n));
  const isBehind = !behind.startsWith('-') && behind !== '0';
  const off = rows.filter((row) => Math.abs(Number(row.difference_percent ?? 0)) > 5).length;
  const whole = (text: string) => moneyText(text, null, 'whole');
  return [
    {
      label: isYesterday ? 'Delivered yesterday' : `Delivered, ${day === '' ? 'no day yet' : dayText(day)}`,
      value: <Money amount={decimal(amount)} show="whole" />,
      unit: currency,
      series: days.slice(-8).map(([, one]) => Number(one / 1_000_000n)),
      note:
        change === undefined
          ? 'the newest day with figures'
          : `${change < 0 ? '' : '+'}${percentText(change)} against the day before`,
      tone: change === undefined ? undefined : change < 0 ? 'warn' : 'good',
    },
    {
      label: 'Running, all campaigns',
      value: <Money amount={sum(rows.map(({ committed }) => committed))} show="whole" />,
      unit: `${currency} booked`,
      note: elsewhere ?? `${rows.length} ${rows.length === 1 ? 'campaign' : 'campaigns'}`,
    },
    {
      label: `${monthName(month).split(' ')[0] ?? ''}, delivered of plan`,
      value: <Money amount={delivered} show="whole" />,
      unit: `of ${whole(planned)} ${currency}`,
      note: isBehind
        ? `${whole(behind)} behind, ${daysBetween(today, `${month}-${String(new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate())}`) + 1} days left`
        : 'as planned',
      tone: isBehind ? 'warn' : 'good',
    },
    {
      label: 'Forecast, all budgets',
      value: <Money amount={sum(rows.map(({ forecast }) => forecast))} show="whole" />,
      unit: `of ${whole(sum(rows.map(budgetOf)))} ${currency}`,
      note: `${off} ${off === 1 ? 'campaign' : 'campaigns'} more than 5% off plan`,
    },
  ];
}

/** The running campaigns against their plan, worst first. */
function CampaignsNow() {
  const pacing = usePacing();
  const today = pacing.data?.date ?? '';
  const rows = worstFirst(
    (pacing.data?.pacing ?? []).filter(({ ends_on: end }) => end >= today),
    today,
  );
  return (
    <Panel
      title="Campaigns"
      about={rows.length === 0 ? undefined : `${Math.min(8, rows.length)} of ${rows.length}, the worst first`}
      acts={<Go to="/campaigns">All campaigns</Go>}
      isFlush
    >
      {pacing.isPending && <Loader role="status" size="sm" m="md" aria-label="Loading the pacing" />}
      {pacing.isError && <ErrorPanel error={pacing.error} again={() => void pacing.refetch()} />}
      {pacing.isSuccess && rows.length === 0 && (
        <EmptyState title="No campaign runs">
          <Go to="/campaigns">Make one</Go>, and what it delivers is shown against its plan.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ScrollTable label="Pacing of campaigns" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Campaign</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Pacing</Table.Th>
              <Table.Th className="number">Delivered of budget</Table.Th>
              <Table.Th className="number">Days left</Table.Th>
              <Table.Th>8 days</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, 8).map((row) => (
              <Table.Tr key={`${row.campaign_id ?? ''} ${row.currency}`}>
                <Table.Td>
                  <Go to={`/campaigns/${row.campaign_id ?? ''}`}>
                    <Name of={row.campaign ?? row.campaign_id} most={60} />
                  </Go>
                  <Quiet>
                    <Name of={row.client} most={60} />
                  </Quiet>
                </Table.Td>
                <Table.Td data-title="State">
                  <PacePill row={row} today={today} />
                </Table.Td>
                <Table.Td data-title="Pacing">
                  <PacingBar
                    delivered={row.delivered}
                    planned={row.planned_through}
                    forecast={row.forecast}
                    budget={budgetOf(row)}
                    currency={row.currency}
                  />
                </Table.Td>
                <Table.Td className="number" data-title="Delivered of budget">
                  <b>
                    <Money amount={row.delivered} show="whole" />
                  </b>{' '}
                  <span className="quiet">
                    of <Money amount={budgetOf(row)} currency={row.currency} show="whole" />
                  </span>
                </Table.Td>
                <Table.Td className="number" data-title="Days left">
                  {daysBetween(today, row.ends_on)}
                </Table.Td>
                <Table.Td data-title="8 days">
                  <Spark
                    of={lastDays(row, 8)}
                    tone={
                      paceState(row, today).code === 'no_report_for_days'
                        ? 'quiet'
                        : paceState(row, today).tone === 'bad'
                          ? 'bad'
                          : 'plain'
                    }
                    label="Delivered on the last 8 days with figures"
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}
