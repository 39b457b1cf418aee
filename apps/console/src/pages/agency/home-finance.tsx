import { Link } from '@tanstack/react-router';
import { useQueries } from '@tanstack/react-query';
import { api, type Answer } from '../../api/client.js';
import type { Me } from '../../api/session.js';
import { AmountBars, MonthBars } from '../../parts/charts.js';
import { Checks, type Check } from '../../parts/checks.js';
import { useDueMonth } from '../../parts/due-month.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, moneyText, ShowsCents } from '../../parts/money.js';
import { monthOf } from '../../parts/month.js';
import { Panel } from '../../parts/panel.js';
import { Stats } from '../../parts/stats.js';
import { monthName } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';
import { stepsOf } from '../finance/month-steps.js';
import { NeedsYou } from './needs-you.js';

const add = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount) ?? 0n), 0n));

/** The start page of finance: the month that is due is what it is about. */
export function FinanceHome({ me }: { readonly me: Me }) {
  const currency = me.organization.reporting_currency;
  const { month } = useDueMonth();
  const name = month === undefined ? undefined : monthName(month).split(' ')[0];
  return (
    <>
      <Figures currency={currency} month={month} />
      <div className="columns" style={{ '--right': '340px' } as never}>
        <div className="column">
          <ShowsCents value>
            <NeedsYou
              about={
                name === undefined
                  ? 'what loses money now, then by amount'
                  : `what keeps ${name} open comes with it`
              }
            />
          </ShowsCents>
          <ByMonth currency={currency} />
        </div>
        <div className="column">
          {month !== undefined && <MonthSteps month={month} />}
          <PayableByAge currency={currency} />
        </div>
      </div>
    </>
  );
}

type Period = Answer<'GET /v1/periods/{period}'>;

/** The sums of a month in one currency. */
function sumsOf(period: Period | undefined, currency: string) {
  const rows = (period?.sellers ?? []).filter((row) => row.currency === currency);
  return {
    delivered: add(rows.map(({ delivered }) => delivered)),
    invoiced: add(rows.map(({ invoiced }) => invoiced)),
    disputed: add(rows.map(({ disputed }) => disputed)),
    accrued: add(rows.map(({ accrued }) => accrued)),
    open: add(rows.map(({ open_amount: open }) => open)),
    openCount: rows.reduce((all, { open_breaks: count }) => all + count, 0),
    resolved: rows.reduce((all, { resolved_breaks: count }) => all + count, 0),
    notInvoiced: rows.filter(({ accrued }) => accrued !== '0').length,
    inDispute: rows.filter(({ disputed }) => disputed !== '0').length,
  };
}

function Figures({ currency, month }: { readonly currency: string; readonly month: string | undefined }) {
  const aging = useAnswer('GET /v1/aging', { query: { by: 'seller' } });
  const disputes = useAnswer('GET /v1/disputes', { query: { state: 'open', limit: '200' } });
  const period = useAnswer(
    'GET /v1/periods/{period}',
    { params: { period: month ?? '' } },
    month !== undefined,
  );
  if (aging.data === undefined) return undefined;
  const payable = aging.data.aging.filter((row) => row.currency === currency);
  const total = add(payable.map(({ total: all }) => all));
  const late = add(payable.map((row) => decimal((micros(row.total) ?? 0n) - (micros(row.current) ?? 0n))));
  const name = month === undefined ? '' : `, ${monthName(month).split(' ')[0] ?? month}`;
  const sums = sumsOf(period.data, currency);
  const cases = (disputes.data?.disputes ?? []).filter((row) => row.currency === currency);
  const overdue = cases.filter(({ due_on: due }) => due < new Date().toISOString().slice(0, 10)).length;
  const whole = (amount: string) => moneyText(amount, null, 'whole');
  return (
    <Stats
      label="What is open"
      of={[
        {
          label: 'Payable, not paid',
          value: <Money amount={total} show="whole" />,
          unit: currency,
          note: late === '0' ? 'nothing is overdue' : `${whole(late)} overdue`,
          tone: late === '0' ? 'good' : 'bad',
        },
        {
          label: `Open differences${name}`,
          value: <Money amount={sums.open} show="whole" />,
          unit: `${currency} in ${sums.openCount}`,
          note: `${sums.resolved} of ${sums.resolved + sums.openCount} decided`,
        },
        {
          label: `Delivered, not invoiced${name}`,
          value: <Money amount={sums.accrued} show="whole" />,
          unit: currency,
          note: `${sums.notInvoiced} ${sums.notInvoiced === 1 ? 'seller' : 'sellers'}`,
        },
        {
          label: 'In dispute',
          value: <Money amount={add(cases.map(({ amount }) => amount))} show="whole" />,
          unit: `${currency} in ${cases.length}`,
          note:
            overdue > 0
              ? `${overdue} ${overdue === 1 ? 'answer' : 'answers'} late`
              : cases.length === 0
                ? 'no dispute is open'
                : 'no answer is late',
          tone: overdue > 0 ? 'warn' : undefined,
        },
      ]}
    />
  );
}

const monthsShown = 5;

/** What was delivered and invoiced in each of the last months, as the ledger has it. */
function ByMonth({ currency }: { readonly currency: string }) {
  const months = Array.from({ length: monthsShown }, (_, at) => monthOf(new Date(), monthsShown - 1 - at));
  const periods = useQueries({
    queries: months.map((period) => ({
      queryKey: ['periods', 'GET /v1/periods/{period}', { params: { period } }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api('GET /v1/periods/{period}', { params: { period }, signal }),
    })),
  });
  if (periods.some(({ data }) => data === undefined)) return undefined;
  const rows = periods.map(({ data }, at) => {
    const month = months[at] ?? '';
    const name = monthName(month).slice(0, 3);
    return { label: at === monthsShown - 1 ? `${name} so far` : name, ...sumsOf(data, currency) };
  });
  const shown = rows.filter(({ delivered, invoiced }) => delivered !== '0' || invoiced !== '0');
  if (shown.length === 0) return undefined;
  const last = shown.at(-1);
  return (
    <Panel
      title="Delivered and invoiced by month"
      about={`${currency}, as the ledger has it`}
      acts={
        <span className="legend">
          <span style={{ '--legend': 'var(--sy-chart-1)' } as never}>Delivered</span>
          <span style={{ '--legend': 'var(--sy-chart-2)' } as never}>Invoiced</span>
          <span style={{ '--legend': 'var(--sy-bad-mark)' } as never}>In dispute</span>
        </span>
      }
    >
      <MonthBars
        rows={shown}
        message={`In ${last?.label ?? ''}, ${moneyText(last?.delivered ?? '0', currency, 'whole')} were delivered and ${moneyText(last?.invoiced ?? '0', currency, 'whole')} invoiced.`}
      />
    </Panel>
  );
}

/** What is left before a month can be closed. */
export function MonthSteps({ month }: { readonly month: string }) {
  const params = { period: month };
  const { data: left } = useAnswer('GET /v1/periods/{period}/checklist', { params });
  const { data: figures } = useAnswer('GET /v1/periods/{period}', { params });
  if (left === undefined || figures === undefined) return undefined;
  const places: Readonly<Record<string, readonly [to: string, search: Readonly<Record<string, string>>]>> = {
    compared: [`/reconcile/${month}`, {}],
    differences: [`/reconcile/${month}`, {}],
    held: ['/webhooks/held', { period: month }],
    campaigns: ['/campaigns', {}],
  };
  const checks = stepsOf(figures, left).map(({ key, title, state, text }): Check => {
    const [to, search] = places[key] ?? [];
    return {
      title,
      state,
      detail:
        state === 'ok' || to === undefined ? (
          text
        ) : (
          <Go to={to} search={search ?? {}}>
            {text}
          </Go>
        ),
    };
  });
  const done = checks.filter(({ state }) => state === 'ok').length;
  return (
    <Panel title={`${monthName(month).split(' ')[0] ?? month} close`} acts={`${done} of ${checks.length}`}>
      <div className="close-panel">
        <div className="thin-bar" aria-hidden="true">
          <i style={{ width: `${(100 * done) / checks.length}%` }} />
        </div>
        <Checks of={checks} />
        <Link to={`/close/${month}`} search={{}} className="wide-act">
          Open the close
        </Link>
      </div>
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
