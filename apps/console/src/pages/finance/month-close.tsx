import { IconLock } from '@tabler/icons-react';
import { Loader } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { useDueMonth } from '../../parts/due-month.js';
import { useFilters } from '../../parts/filters.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Loaded } from '../../parts/loaded.js';
import { isMonth, monthOf } from '../../parts/month.js';
import { clean } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { PageHead } from '../../parts/page-head.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { PrintButton } from '../../parts/print.js';
import { Status } from '../../parts/status.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { Accrued, BySeller, Documents, IfYouClose, MonthsBefore } from './month-figures.js';
import { plural, Steps, stepsOf } from './month-steps.js';

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
          'days as each seller counts them',
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

function CloseActs({ month, left }: { readonly month: Month; readonly left: Left }) {
  const { period, state } = month;
  const isAllowed = useMay()('ledger.approve');
  const hasAsked = useMe().data?.principal_id === month.reopen_asked_by;
  if (!isAllowed) return undefined;
  const name = monthName(period);
  const count = [left.open_breaks, left.quarantined_events, left.unassigned_buys].filter(
    (of) => of > 0,
  ).length;
  const steps = count + Number(left.reconciliation_due);
  const close = (isSoft: boolean) =>
    api('POST /v1/periods/{period}/close', { params: { period }, body: isSoft ? { soft: true } : {} });
  const reopen = (reason: string) =>
    api('POST /v1/periods/{period}/reopen', { params: { period }, body: { reason } });
  const isAsked = month.reopen_asked_by !== undefined;
  const withdraw = isAsked && (
    <ConfirmButton
      variant="default"
      size="sm"
      label={hasAsked ? 'Withdraw the request' : 'Refuse the request'}
      act={() => api('POST /v1/periods/{period}/withdraw', { params: { period } })}
      done={`${name} stays closed.`}
    >
      The month stays closed. It can be asked for again.
    </ConfirmButton>
  );
  if (state === 'closed')
    return (
      <>
        {withdraw}
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
      </>
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
        {...((steps > 0 || period >= monthOf()) && {
          variant: 'default',
          leftSection: <IconLock size={15} stroke={1.7} aria-hidden="true" />,
        })}
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
