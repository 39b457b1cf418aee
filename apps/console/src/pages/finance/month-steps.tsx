import { Loader, NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { Checks, type Check } from '../../parts/checks.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { numberText } from '../../parts/money.js';
import { Avatar } from '../../parts/avatar.js';
import { DateInput } from '../../parts/forms/date-input.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';

type Month = Answer<'GET /v1/periods/{period}'>;
type Left = Answer<'GET /v1/periods/{period}/checklist'>;

/** A count with its noun. */
export const plural = (count: number, one: string, more = `${one}s`): string =>
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

/** The steps of a month, each with its owner, its day and what is left of it. */
export function Steps({
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
            label="Assign"
            size="compact-xs"
            variant="subtle"
            act={save}
            done="The step is assigned."
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
