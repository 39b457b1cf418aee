import { may, type Me } from '../../api/session.js';
import { AmountBars } from '../../parts/charts.js';
import { Checks, type Check } from '../../parts/checks.js';
import { useDueMonth } from '../../parts/due-month.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, moneyText } from '../../parts/money.js';
import { Panel } from '../../parts/panel.js';
import { Stats } from '../../parts/stats.js';
import { monthName } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';
import { NeedsYou } from './home.js';

const add = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount) ?? 0n), 0n));
const without = (amount: string): string => amount.replace(/^-/, '');

/** The start page of finance: the month that is due is what it is about. */
export function FinanceHome({ me }: { readonly me: Me }) {
  const currency = me.organization.reporting_currency;
  const { month } = useDueMonth();
  return (
    <>
      <Figures me={me} currency={currency} />
      <div className="columns">
        <div className="column">
          <NeedsYou />
        </div>
        <div className="column">
          {month !== undefined && <MonthSteps month={month} />}
          <PayableByAge currency={currency} />
        </div>
      </div>
    </>
  );
}

function Figures({ me, currency }: { readonly me: Me; readonly currency: string }) {
  const aging = useAnswer('GET /v1/aging', { query: { by: 'seller' } });
  const breaks = useAnswer('GET /v1/breaks', { query: { state: 'open', limit: '200' } });
  const events = useAnswer(
    'GET /v1/events',
    { query: { state: 'quarantined', counts: 'no', limit: '50' } },
    may(me, 'reports.read'),
  );
  if (aging.data === undefined || breaks.data === undefined) return undefined;
  const payable = aging.data.aging.filter((row) => row.currency === currency);
  const total = add(payable.map(({ total: all }) => all));
  const late = add(payable.map((row) => decimal((micros(row.total) ?? 0n) - (micros(row.current) ?? 0n))));
  const open = breaks.data.breaks.filter((row) => row.currency === currency);
  const missing = open.filter(({ kind }) => kind === 'missing_invoice' || kind === 'missing_package');
  const held = events.data?.events.length ?? 0;
  return (
    <Stats
      label="What is open"
      of={[
        {
          label: 'Payable, not paid',
          value: <Money amount={total} show="cents" />,
          unit: currency,
          note: late === '0' ? 'nothing is overdue' : `${moneyText(late, null, 'cents')} overdue`,
          tone: late === '0' ? 'good' : 'bad',
        },
        {
          label: 'Open differences',
          value: <Money amount={add(open.map(({ difference }) => without(difference)))} show="cents" />,
          unit: `${currency} in ${open.length}`,
          note:
            breaks.data.breaks.length > open.length
              ? `${breaks.data.breaks.length - open.length} in other currencies`
              : 'in all months',
        },
        {
          label: 'Delivered, not invoiced',
          value: <Money amount={add(missing.map(({ difference }) => without(difference)))} show="cents" />,
          unit: currency,
          note: `${new Set(missing.map(({ seller }) => seller)).size} sellers`,
        },
        {
          label: 'Held webhooks',
          value: held,
          unit: 'to decide',
          note: held === 0 ? 'nothing waits' : 'each may change figures',
          tone: held === 0 ? undefined : 'warn',
        },
      ]}
    />
  );
}

/** What is left before a month can be closed. */
export function MonthSteps({ month }: { readonly month: string }) {
  const { data: left } = useAnswer('GET /v1/periods/{period}/checklist', { params: { period: month } });
  if (left === undefined) return undefined;
  const step = (title: string, count: number, unit: string, to: string, search = {}): Check => ({
    title,
    state: count === 0 ? 'ok' : 'to do',
    detail: count === 0 ? 'nothing left' : <Go to={to} search={search}>{`${count} ${unit}`}</Go>,
  });
  const checks: readonly Check[] = [
    {
      title: 'Compared',
      state: left.reconciliation_due ? 'to do' : 'ok',
      detail: left.reconciliation_due ? (
        <Go to={`/reconcile/${month}`}>compare it</Go>
      ) : (
        'nothing changed since'
      ),
    },
    step('Differences resolved', left.open_breaks, 'left', `/reconcile/${month}`),
    step('Held webhooks decided', left.quarantined_events, 'left', '/webhooks/held', { period: month }),
    step('Every buy has a campaign', left.unassigned_buys, 'without', '/campaigns'),
  ];
  const done = checks.filter(({ state }) => state === 'ok').length;
  return (
    <Panel
      title={`${monthName(month).split(' ')[0] ?? month} close`}
      about={`${done} of ${checks.length}`}
      acts={<Go to={`/close/${month}`}>Open the close</Go>}
    >
      <Checks of={checks} />
    </Panel>
  );
}

function PayableByAge({ currency }: { readonly currency: string }) {
  const { data } = useAnswer('GET /v1/aging', { query: { by: 'seller' } });
  const rows = data?.aging.filter((row) => row.currency === currency) ?? [];
  if (rows.length === 0) return undefined;
  const of = (pick: 'current' | 'days_1_30' | 'days_31_60' | 'days_61_90' | 'over_90'): string =>
    add(rows.map((row) => row[pick]));
  return (
    <Panel title="Payable by age" about={currency} acts={<Go to="/invoices/age">All</Go>}>
      <AmountBars
        currency={currency}
        rows={[
          { label: 'Not due', amount: of('current') },
          { label: '1 to 30 days late', amount: of('days_1_30'), tone: 'warn' },
          {
            label: 'Over 30 days late',
            amount: add([of('days_31_60'), of('days_61_90'), of('over_90')]),
            tone: 'bad',
          },
        ]}
      />
    </Panel>
  );
}
