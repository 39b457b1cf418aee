import { Loader, NativeSelect, Table } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { Checks, type Check } from '../../parts/checks.js';
import { useDueMonth } from '../../parts/due-month.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { decimal, micros, Money, numberText } from '../../parts/money.js';
import { isMonth, monthOf } from '../../parts/month.js';
import { Avatar } from '../../parts/avatar.js';
import { DateInput } from '../../parts/forms/date-input.js';
import { clean, Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { PageHead } from '../../parts/page-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { PrintButton } from '../../parts/print.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { Status, StatusBadge } from '../../parts/status.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';

type Month = Answer<'GET /v1/periods/{period}'>;
type Left = Answer<'GET /v1/periods/{period}/checklist'>;

/** The month that is due. */
export function ClosePage() {
  const [filters] = useFilters();
  const due = useDueMonth();
  const wanted = filters['period'] ?? '';
  if (due.isPending && !isMonth(wanted))
    return (
      <>
        <PageHead title="Month close" />
        <Loader role="status" aria-label="Loading the months" />
      </>
    );
  const month = isMonth(wanted) ? wanted : (due.month ?? monthOf(new Date(), 1));
  return <Navigate to={`/close/${month}`} search={{}} replace />;
}

/** One month: the steps to its close, its amounts by seller, and what closing fixes. */
export function MonthPage() {
  const { month: period = '' } = useParams({ strict: false }) as { readonly month?: string };
  const query = useAnswer('GET /v1/periods/{period}', { params: { period } });
  return (
    <Loaded title="Month close" query={query}>
      {(month) => <Shown month={month} />}
    </Loaded>
  );
}

const means = {
  open: 'Nobody has closed this month: figures still come into it.',
  soft_closed: 'It is marked as closed. Late figures still go to it.',
  closed: 'It is closed: later figures are posted to the open month after it.',
} as const;

function pillOf(month: Month): readonly [words: string, tone: string] {
  if (month.reopen_asked_by !== undefined) return ['Waits for a second person', 'accent'];
  if (month.state === 'closed') return ['Closed', 'good'];
  if (month.state === 'soft_closed') return ['Marked as closed', 'gray'];
  return month.period >= monthOf() ? ['Running', 'gray'] : ['Open', 'warn'];
}

function Shown({ month }: { readonly month: Month }) {
  const tab = useTab();
  const { period } = month;
  const checklist = useAnswer('GET /v1/periods/{period}/checklist', { params: { period } });
  const may = useMay();
  const [words, tone] = pillOf(month);
  const steps = checklist.data === undefined ? [] : stepsOf(month, checklist.data);
  const done = steps.filter(({ state }) => state === 'ok').length;
  const accrued = month.sellers.filter(({ accrued: amount }) => amount !== '0');
  const dueDay = month.steps
    .flatMap(({ due_on: day }) => day ?? [])
    .toSorted()
    .at(-1);
  return (
    <>
      <ObjectHead
        name={`Close ${monthName(period)}`}
        pill={
          <Status
            of={words}
            tone={tone}
            explain={{
              why: means[month.state],
              since: month.closed_at,
              next:
                month.state === 'closed'
                  ? 'Make its statement. Opening it again takes two people.'
                  : 'Do the steps, and close it once the month is over.',
              cli: `npx switchyard periods check ${period}`,
            }}
          />
        }
        facts={[
          dueDay !== undefined && `due ${dayText(dueDay)}`,
          'calendar month by UTC',
          steps.length > 0 && `${done} of ${steps.length} steps done`,
          month.closed_at !== undefined && (
            <>
              closed <Time at={month.closed_at} /> by <PrincipalName id={month.closed_by ?? ''} />
            </>
          ),
        ]}
        acts={
          <>
            <PrintButton />
            {checklist.data !== undefined && <CloseActs month={month} left={checklist.data} />}
          </>
        }
        tabs={[
          { title: 'Steps' },
          { title: 'By seller', count: month.sellers.length },
          { title: 'Accruals', count: accrued.length },
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Overview' && (
        <div className="columns">
          <div className="column">
            <Steps month={month} query={checklist} />
            <BySeller month={month} />
          </div>
          <div className="column">
            <IfYouClose month={month} />
            <Documents period={period} />
            <MonthsBefore period={period} />
          </div>
        </div>
      )}
      {tab === 'By seller' && <BySeller month={month} />}
      {tab === 'Accruals' && <Accrued month={month} />}
      {tab === 'History' && <ObjectHistory id={period} />}
    </>
  );
}

const sum = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount) ?? 0n), 0n));
const plural = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

/** A step of the close: what is left of it, and what the page says about it. */
interface Step {
  readonly key: 'invoices' | 'compared' | 'differences' | 'held' | 'campaigns' | 'accruals' | 'closed';
  readonly title: string;
  readonly state: Check['state'];
  readonly text: string;
}

/** The steps of a month, in their order. */
export function stepsOf(month: Month, left: Left): readonly Step[] {
  const isDone = (key: Step['key']): boolean =>
    month.steps.some(({ step, done_at: at }) => step === key && at !== undefined);
  const active = month.sellers.filter(({ delivered }) => delivered !== '0');
  const missing = active.filter(({ invoiced }) => invoiced === '0');
  const [open, resolved] = [
    month.sellers.reduce((all, { open_breaks: count }) => all + count, 0),
    month.sellers.reduce((all, { resolved_breaks: count }) => all + count, 0),
  ];
  const accrued = month.sellers.filter(({ accrued: amount }) => amount !== '0');
  const isNone = (count: number): Check['state'] => (count === 0 ? 'ok' : 'to do');
  return [
    {
      key: 'invoices',
      title: 'Invoices are in',
      state: missing.length === 0 || isDone('invoices') ? 'ok' : 'warn',
      text: `${active.length - missing.length} of ${plural(active.length, 'seller')} that delivered`,
    },
    {
      key: 'compared',
      title: 'Compared',
      state: left.reconciliation_due ? 'to do' : 'ok',
      text:
        month.compared === undefined
          ? 'not compared yet'
          : `${numberText(String(month.compared.matched))} ${month.compared.matched === 1 ? 'amount agrees' : 'amounts agree'}, ${
              left.reconciliation_due ? 'figures changed since' : 'nothing changed since'
            }`,
    },
    {
      key: 'differences',
      title: 'Differences decided',
      state: isNone(left.open_breaks),
      text:
        open + resolved === 0
          ? 'none was found'
          : `${resolved} of ${open + resolved}${left.open_breaks > 0 ? `, ${left.open_breaks} left` : ''}`,
    },
    {
      key: 'held',
      title: 'Held reports decided',
      state: isNone(left.quarantined_events),
      text:
        left.quarantined_events === 0
          ? 'nothing is held'
          : `${plural(left.quarantined_events, 'webhook')} may change figures`,
    },
    {
      key: 'campaigns',
      title: 'Every buy has a campaign',
      state: isNone(left.unassigned_buys),
      text: left.unassigned_buys === 0 ? 'all of them' : `${plural(left.unassigned_buys, 'buy')} without one`,
    },
    {
      key: 'accruals',
      title: 'Accruals looked at',
      state: accrued.length === 0 || isDone('accruals') ? 'ok' : 'warn',
      text:
        accrued.length === 0
          ? 'all that was delivered is invoiced'
          : `${plural(accrued.length, 'seller')} delivered more than they invoiced`,
    },
    {
      key: 'closed',
      title: month.state === 'closed' ? 'Closed' : 'Another person closes it',
      state: month.state === 'closed' ? 'ok' : 'to do',
      text:
        month.state === 'closed'
          ? 'nothing in the month changes'
          : 'one who may approve figures, and said of no step that it is done',
    },
  ];
}

function Steps({
  month,
  query,
}: {
  readonly month: Month;
  readonly query: ReturnType<typeof useAnswer<'GET /v1/periods/{period}/checklist'>>;
}) {
  const { data: left } = query;
  const { period } = month;
  const may = useMay();
  const refresh = useRefresh();
  const nameOf = useSellerNames();
  const open = useAnswer('GET /v1/breaks', { query: { period, state: 'open', limit: '200' } });
  if (left === undefined) return <Loader role="status" aria-label="Loading the steps" />;
  const steps = stepsOf(month, left);
  const isSaid = (key: Step['key']): boolean =>
    month.steps.some(({ step, done_at: at }) => step === key && at !== undefined);
  const done = steps.filter(({ state }) => state === 'ok').length;
  const missing = month.sellers.filter(({ delivered, invoiced }) => delivered !== '0' && invoiced === '0');
  const owners = [...new Set((open.data?.breaks ?? []).flatMap(({ owner }) => owner ?? []))];
  const compare = async (): Promise<string> => {
    const { matched, breaks } = await api('POST /v1/reconciliations', { body: { period } });
    await refresh();
    return `${plural(matched, 'amount agrees', 'amounts agree')}, ${plural(breaks.length, 'difference is', 'differences are')} open.`;
  };
  const more: Readonly<Record<Step['key'], { readonly detail?: ReactNode; readonly act?: ReactNode }>> = {
    invoices: {
      detail: missing.length > 0 && `. Missing: ${missing.map(({ seller }) => nameOf(seller)).join(', ')}`,
      act: missing.length > 0 && may('ledger.write') && <Go to="/invoices">Import</Go>,
    },
    compared: {
      detail: month.compared !== undefined && (
        <>
          , <Time at={month.compared.at} ago />
        </>
      ),
      act: left.reconciliation_due && may('ledger.write') && (
        <ConfirmButton label="Compare it" variant="default" act={compare} done="It is compared.">
          All amounts of {monthName(period)} are compared by the tolerances that are set.
        </ConfirmButton>
      ),
    },
    differences: {
      detail: owners.length > 0 && `. Owners: ${owners.map((owner) => clean(owner, 40)).join(', ')}`,
      act: left.open_breaks > 0 && <Go to={`/reconcile/${period}`}>Decide {left.open_breaks}</Go>,
    },
    held: {
      act: left.quarantined_events > 0 && (
        <Go to="/webhooks/held" search={{ period }}>
          Decide {left.quarantined_events}
        </Go>
      ),
    },
    campaigns: {
      detail:
        left.unassigned_buys > 0 && !may('clients.write') && '. A trader or an administrator assigns them',
      act: left.unassigned_buys > 0 && may('clients.write') && <Go to="/campaigns">Assign</Go>,
    },
    accruals: {
      act: month.sellers.some(({ accrued }) => accrued !== '0') && (
        <Go to={`/close/${period}`} search={{ tab: 'Accruals' }}>
          Look
        </Go>
      ),
    },
    closed: {
      detail: month.closed_at !== undefined && (
        <>
          , <Time at={month.closed_at} />
        </>
      ),
    },
  };
  return (
    <Panel
      title="Steps"
      acts={
        <span className="step-bar">
          <progress value={done} max={steps.length} aria-label="Steps done" />
          {done} of {steps.length}
        </span>
      }
    >
      <div role="group" aria-label="Checklist" className="close-steps">
        <Checks
          of={steps.map(({ key, title, state, text }) => ({
            title,
            state,
            detail: (
              <>
                {text}
                {more[key].detail}
              </>
            ),
            repair: (
              <>
                <StepOwner month={month} step={key} title={title} />
                <span className="step-act">
                  {more[key].act}
                  {byHand.has(key) && (state !== 'ok' || isSaid(key)) && (
                    <StepDone month={month} step={key} title={title} />
                  )}
                </span>
              </>
            ),
          }))}
        />
      </div>
    </Panel>
  );
}

/** Steps of which no figure says that they are done. */
const byHand: ReadonlySet<Step['key']> = new Set(['invoices', 'accruals']);
/** Steps that the server counts by itself where nobody is named. */
const byItself: ReadonlySet<Step['key']> = new Set(['compared', 'campaigns']);

interface OfStep {
  readonly month: Month;
  readonly step: Step['key'];
  readonly title: string;
}

/** Whose a step is and until when; who may write figures gives it to a person. */
function StepOwner({ month, step, title }: OfStep) {
  const may = useMay();
  const known = month.steps.find((one) => one.step === step);
  const [owner, setOwner] = useState(known?.owner_id ?? '');
  const [due, setDue] = useState(known?.due_on ?? '');
  const me = useMe().data;
  const people = useAnswer(
    'GET /v1/principals',
    { query: { kind: 'person', revoked: 'false', limit: '200' } },
    may('principals.read'),
  );
  const refresh = useRefresh();
  const mayChange = may('ledger.write') && month.state !== 'closed';
  const others = (people.data?.principals ?? []).filter(({ principal_id: id }) => id !== me?.principal_id);
  const choices = [
    { value: '', label: 'Nobody' },
    ...(me === null || me === undefined
      ? []
      : [{ value: me.principal_id, label: `${clean(me.name, 60)} (you)` }]),
    ...(known?.owner_id !== undefined &&
    known.owner_id !== me?.principal_id &&
    !others.some(({ principal_id: id }) => id === known.owner_id)
      ? [{ value: known.owner_id, label: clean(known.owner ?? known.owner_id, 60) }]
      : []),
    ...others.map(({ principal_id: value, name }) => ({ value, label: clean(name, 60) })),
  ];
  const save = async (): Promise<void> => {
    const body = {
      step,
      owner_id: owner === '' ? null : owner,
      due_on: due === '' ? null : due,
    };
    await api('POST /v1/periods/{period}/steps', { params: { period: month.period }, body });
    await refresh();
  };
  return (
    <>
      <span className="step-owner">
        {known?.owner === undefined ? (
          <span className="quiet">{byItself.has(step) ? 'by itself' : 'nobody'}</span>
        ) : (
          <span className="with-avatar">
            <Avatar of={known.owner} size={22} isPerson />
            <Name of={known.owner} most={40} />
          </span>
        )}
      </span>
      <span className="step-due">
        {known?.done_at === undefined ? (
          known?.due_on !== undefined && dayText(known.due_on).slice(0, -5)
        ) : (
          <>done {dayText(known.done_at).slice(0, -5)}</>
        )}
        {mayChange && (
          <ConfirmButton
            label="Give"
            size="compact-xs"
            variant="subtle"
            act={save}
            done="The step is given."
            about={title}
          >
            <NativeSelect
              label="Owner"
              value={owner}
              data={choices}
              onChange={({ currentTarget }) => setOwner(currentTarget.value)}
            />
            <DateInput label="Until" value={due} onChange={setDue} />
          </ConfirmButton>
        )}
      </span>
    </>
  );
}

/** Says that a step is done, or takes it back. Who says so does not close the month. */
function StepDone({ month, step, title }: OfStep) {
  const refresh = useRefresh();
  const isAllowed = useMay()('ledger.write') && month.state !== 'closed';
  const isDone = month.steps.some((one) => one.step === step && one.done_at !== undefined);
  if (!isAllowed) return undefined;
  const set = async (done: boolean): Promise<void> => {
    await api('POST /v1/periods/{period}/steps', {
      params: { period: month.period },
      body: { step, done },
    });
    await refresh();
  };
  return (
    <ConfirmButton
      label={isDone ? 'Take it back' : 'Mark as done'}
      size="compact-sm"
      variant="default"
      act={() => set(!isDone)}
      undo={() => set(isDone)}
      done={isDone ? 'The step is open again.' : 'The step is done.'}
      about={title}
    >
      {isDone
        ? 'The step is open again.'
        : 'Your name stands beside it, and another person closes the month.'}
    </ConfirmButton>
  );
}

function CloseActs({ month, left }: { readonly month: Month; readonly left: Left }) {
  const { period, state } = month;
  const isAllowed = useMay()('ledger.approve');
  const hasAsked = useMe().data?.principal_id === month.reopen_asked_by;
  const refresh = useRefresh();
  if (!isAllowed) return undefined;
  const name = monthName(period);
  const count = [left.open_breaks, left.quarantined_events, left.unassigned_buys].filter(
    (of) => of > 0,
  ).length;
  const steps = count + Number(left.reconciliation_due);
  const close = async (isSoft: boolean): Promise<void> => {
    await api('POST /v1/periods/{period}/close', { params: { period }, body: isSoft ? { soft: true } : {} });
    await refresh();
  };
  const reopen = async (reason: string): Promise<void> => {
    await api('POST /v1/periods/{period}/reopen', { params: { period }, body: { reason } });
    await refresh();
  };
  const isAsked = month.reopen_asked_by !== undefined;
  if (state === 'closed')
    return (
      <ConfirmButton
        variant="default"
        size="sm"
        reason="required"
        label={isAsked ? `Agree to open ${name}` : `Ask to open ${name} again`}
        act={reopen}
        blocked={isAsked && hasAsked ? 'You asked for it: another person has to agree.' : undefined}
        done={isAsked ? `${name} is open.` : 'Another person is asked now.'}
      >
        {isAsked
          ? `Asked for because: ${clean(month.reopen_reason ?? '')}`
          : 'Another person has to agree before it is open.'}
      </ConfirmButton>
    );
  return (
    <>
      {state === 'open' && (
        <ConfirmButton
          variant="default"
          size="sm"
          label="Mark as closed"
          act={() => close(true)}
          done={`${name} is marked as closed.`}
        >
          Only a mark: late figures still go to this month.
        </ConfirmButton>
      )}
      <ConfirmButton
        size="sm"
        label={`Close ${name}`}
        act={() => close(false)}
        blocked={
          period >= monthOf()
            ? 'The month is not over yet (UTC). Do the steps that are left until then.'
            : steps > 0
              ? `${plural(steps, 'step is', 'steps are')} left before you can close.`
              : undefined
        }
        done={`${name} is closed.`}
      >
        What was delivered and not invoiced is posted as accruals. Later figures go to the next month. Opening
        it again takes two people.
      </ConfirmButton>
    </>
  );
}

/** The amounts of each currency that closing would fix. */
function IfYouClose({ month }: { readonly month: Month }) {
  const currencies = [...new Set(month.sellers.map(({ currency }) => currency))];
  const isClosed = month.state === 'closed';
  return (
    <Panel
      title={isClosed ? 'What is fixed' : 'If you close now'}
      about={isClosed ? undefined : 'what is fixed'}
    >
      {currencies.length === 0 && <p className="panel-small">No seller has figures in this month.</p>}
      {currencies.map((currency) => {
        const rows = month.sellers.filter((row) => row.currency === currency);
        const of = (pick: (row: Month['sellers'][number]) => string): ReactNode => (
          <Money amount={sum(rows.map(pick))} currency={currency} show="cents" />
        );
        const unexplained = sum(rows.map(({ open_amount: amount }) => amount));
        return (
          <div key={currency} className="permission">
            <FactList
              of={{
                Delivered: of(({ delivered }) => delivered),
                Invoiced: of(({ invoiced }) => invoiced),
                Accrued: of(({ accrued }) => accrued),
                'In dispute': of(({ disputed }) => disputed),
                'Not explained': (
                  <b className="toned" data-tone={unexplained === '0' ? 'good' : 'bad'}>
                    {of(({ open_amount: amount }) => amount)}
                  </b>
                ),
              }}
            />
          </div>
        );
      })}
      <p className="panel-small">
        Nothing in {monthName(month.period).split(' ')[0]} changes after closing. A late figure goes to the
        next open month and names this one.
      </p>
    </Panel>
  );
}

function Documents({ period }: { readonly period: string }) {
  return (
    <Panel title="Documents">
      <ul className="plain-list">
        <li>
          <Go to="/reports/statements" search={{ period }}>
            Make a statement
          </Go>
        </li>
        <li>
          <Go to={`/close/${period}`} search={{ tab: 'Accruals' }}>
            Accruals
          </Go>
        </li>
        <li>
          <Go to="/reports" search={{ by: 'client,seller', from: period, to: period }}>
            Spend of the month
          </Go>
        </li>
      </ul>
    </Panel>
  );
}

function MonthsBefore({ period }: { readonly period: string }) {
  const { data } = useAnswer('GET /v1/periods');
  const others = (data?.periods ?? []).filter((other) => other.period !== period).slice(0, 6);
  if (others.length === 0) return undefined;
  return (
    <Panel title="Other months">
      <ul className="plain-list" aria-label="Periods">
        {others.map((other) => (
          <li key={other.period}>
            <Go to={`/close/${other.period}`}>{monthName(other.period)}</Go>
            <small>
              {' '}
              {other.state === 'closed' && other.closed_at !== undefined
                ? `closed ${dayText(other.closed_at)}`
                : other.state.replace('_', ' ')}
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function BySeller({ month }: { readonly month: Month }) {
  const rows = month.sellers.toSorted((a, b) => b.open_breaks - a.open_breaks);
  return (
    <Panel title={`${monthName(month.period).split(' ')[0] ?? ''} by seller`} isFlush>
      {rows.length === 0 ? (
        <p className="panel-note">No seller has figures in this month.</p>
      ) : (
        <ScrollTable label="The month by seller" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Seller</Table.Th>
              {['Delivered', 'Invoiced', 'Difference', 'Accrued'].map((title) => (
                <Table.Th key={title} className="number">
                  {title}
                </Table.Th>
              ))}
              <Table.Th>Currency</Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const difference = decimal((micros(row.invoiced) ?? 0n) - (micros(row.delivered) ?? 0n));
              return (
                <Table.Tr key={`${row.seller} ${row.currency}`}>
                  <Table.Td>
                    <SellerName of={row.seller} />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={row.delivered} show="cents" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Invoiced">
                    <Money amount={row.invoiced} show="cents" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Difference">
                    <Money amount={difference} show="cents" isDifference />
                  </Table.Td>
                  <Table.Td className="number" data-title="Accrued">
                    {row.accrued === '0' ? '–' : <Money amount={row.accrued} show="cents" />}
                  </Table.Td>
                  <Table.Td data-title="Currency">{row.currency}</Table.Td>
                  <Table.Td data-title="State">
                    {row.open_breaks > 0 ? (
                      <StatusBadge of={`${row.open_breaks} open`} tone="warn" />
                    ) : row.disputed !== '0' ? (
                      <StatusBadge of="In dispute" tone="warn" />
                    ) : row.invoiced === '0' ? (
                      <StatusBadge of="Not invoiced" tone="gray" />
                    ) : (
                      <StatusBadge of="Agrees" tone="good" />
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

/** What was delivered by the end of the month and is not invoiced. */
function Accrued({ month }: { readonly month: Month }) {
  const rows = month.sellers.filter(({ accrued }) => accrued !== '0');
  if (rows.length === 0)
    return (
      <EmptyState title="Nothing is left without an invoice">
        All that was delivered by the end of {monthName(month.period)} is billed, or nothing was delivered.
      </EmptyState>
    );
  return (
    <Panel title="Delivered and not invoiced" about="posted when the month is closed" isFlush>
      <ScrollTable label="Accruals">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Seller</Table.Th>
            <Table.Th className="number">Accrued</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.seller} ${row.currency}`}>
              <Table.Td>
                <SellerName of={row.seller} />
              </Table.Td>
              <Table.Td className="number">
                <Money amount={row.accrued} currency={row.currency} show="cents" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}
