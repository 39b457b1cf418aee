import { Button, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileInvoice, IconShoppingCart, IconTruckDelivery } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { DayBars } from '../../parts/charts.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, moneyText, numberText } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { FactList, Panel } from '../../parts/panel.js';
import { SellerName } from '../../parts/seller-name.js';
import { usePageKeys } from '../../parts/single-keys.js';
import { Status } from '../../parts/status.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { BuyLink } from '../agency/buy-link.js';
import { booksText, breakTitle, decisions, type Break, type Decision, type Evidence } from './break-words.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** One difference: its cause, its three figures with their sources, its days, and its decision. */
export function BreakDetail({
  of,
  chosen,
  alike,
  choose,
  onDecided,
}: {
  readonly of: Break;
  /** Ids of differences that are decided together; empty for this one alone. */
  readonly chosen: readonly string[];
  /** The other open ones with the same cause. */
  readonly alike: readonly Break[];
  readonly choose: (ids: readonly string[]) => void;
  readonly onDecided: (ids: readonly string[]) => void;
}) {
  const evidence = useAnswer('GET /v1/breaks/{id}/evidence', { params: { id: of.break_id } });
  const may = useMay();
  return (
    <>
      <article className="panel" aria-label="One difference">
        <header className="bench-title">
          <div>
            <p>
              <SellerName of={of.seller} size={18} isLink={may('sellers.read')} />
              {of.campaign !== null && <Name of={of.campaign} most={60} />}
              {of.client !== null && <Name of={of.client} most={40} />}
              {monthName(of.period)}
            </p>
            <h2>{breakTitle(of)}</h2>
            <p className="bench-cause">{clean(of.cause, 1_000)}</p>
          </div>
          <StatePill of={of} />
        </header>
        <ThreeFigures of={of} evidence={evidence.data} />
        <Days of={of} evidence={evidence.data} />
        {evidence.isError && <ErrorPanel error={evidence.error} again={() => void evidence.refetch()} />}
        {of.state === 'open' && may('ledger.write') && evidence.data !== undefined && (
          <Decide of={of} evidence={evidence.data} {...{ chosen, alike, choose, onDecided }} />
        )}
        {(of.state === 'resolved' || of.state === 'disputed') && (
          <div className="bench-decided">
            <FactList
              of={{
                Decision: decisions.find(({ as }) => as === of.resolution)?.title ?? of.resolution,
                Reason: of.reason !== undefined && clean(of.reason, 1_000),
                'Decided by': of.resolved_by !== undefined && <Name of={of.resolved_by} />,
                'Decided at': of.resolved_at !== undefined && <Time at={of.resolved_at} />,
              }}
            />
            {of.dispute_id !== undefined && <Case id={of.dispute_id} />}
          </div>
        )}
      </article>
      <Notes of={of} />
    </>
  );
}

/** The case with the seller: its number, what is held, and until when the seller has to answer. */
function Case({ id }: { readonly id: string }) {
  const { data } = useAnswer('GET /v1/disputes/{id}', { params: { id } });
  if (data === undefined) return undefined;
  return (
    <div className="bench-case">
      <FactList
        of={{
          Case: <Name of={data.number} most={40} />,
          'Not paid': <Money amount={data.held} currency={data.currency} show="cents" />,
          'Answer due': dayText(data.due_on),
          State:
            data.outcome === undefined ? data.state : `${data.state}, ${data.outcome.replaceAll('_', ' ')}`,
        }}
      />
    </div>
  );
}

const pillOf = ({ state, resolution, age_days: days }: Break): string => {
  if (state === 'open') return days === 0 ? 'Open' : `Open, ${days} ${days === 1 ? 'day' : 'days'}`;
  if (state === 'disputed' || resolution === 'dispute') return 'In dispute';
  if (resolution === 'write-off') return 'Written off';
  if (resolution === 'expected') return 'Expected next month';
  return 'Corrected';
};

function StatePill({ of }: { readonly of: Break }) {
  return (
    <Status
      of={pillOf(of)}
      tone={of.state === 'open' || of.resolution === 'dispute' ? 'warn' : 'gray'}
      explain={{
        why:
          of.state === 'open'
            ? 'The amounts differ by more than the tolerance, and nobody has decided about it.'
            : 'Somebody decided about it, and the ledger has the decision.',
        since: of.resolved_at,
        evidence: clean(of.cause, 1_000),
        next:
          of.state === 'open'
            ? 'Decide below. A month with open differences is not closed.'
            : 'Nothing: the close of the month does not wait for it.',
        cli: `npx switchyard breaks show ${of.break_id}`,
      }}
    />
  );
}

function ThreeFigures({ of, evidence }: { readonly of: Break; readonly evidence: Evidence | undefined }) {
  const delivered = evidence?.delivered;
  const units = (evidence?.lines ?? []).reduce((sum, { units: own = '0' }) => sum + BigInt(own), 0n);
  return (
    <dl className="bench-figures">
      <Figure
        icon={<IconShoppingCart size={14} stroke={1.7} aria-hidden="true" />}
        label="Ordered"
        amount={of.ordered}
        currency={of.currency}
        note="budget of the line"
        source={of.buy !== null && <BuyLink id={of.buy} />}
      />
      <Figure
        icon={<IconTruckDelivery size={14} stroke={1.7} aria-hidden="true" />}
        label="Delivered"
        amount={delivered?.amount ?? of.reported ?? of.polled}
        currency={of.currency}
        note={
          <>
            {delivered !== undefined &&
              delivered.units !== '0' &&
              `${numberText(delivered.units)} impressions`}
            {of.third_party !== undefined && (
              <>
                {' '}
                <Money amount={of.third_party} show="cents" /> by{' '}
                <Name of={of.third_party_source} most={40} />
              </>
            )}
          </>
        }
        source={
          of.buy !== null &&
          delivered !== undefined && (
            <Go to="/webhooks" search={{ media_buy_id: of.buy, seller: of.seller }}>
              {delivered.reports} {delivered.reports === 1 ? 'report' : 'reports'}
            </Go>
          )
        }
      />
      <Figure
        icon={<IconFileInvoice size={14} stroke={1.7} aria-hidden="true" />}
        label="Invoiced"
        amount={of.invoiced}
        currency={of.currency}
        note={
          units > 0n ? `${numberText(String(units))} impressions` : of.invoiced === null && 'no invoice yet'
        }
        source={(evidence?.lines ?? []).slice(0, 3).map(({ invoice_id: id, number, line }) => (
          <Go key={`${id} ${line}`} to={`/invoices/${id}`}>
            <Name of={number} most={30} />, line {line}
          </Go>
        ))}
      />
    </dl>
  );
}

function Figure({
  icon,
  label,
  amount,
  currency,
  note,
  source,
}: {
  readonly icon: ReactNode;
  readonly label: string;
  readonly amount: string | null | undefined;
  readonly currency: string;
  readonly note: ReactNode;
  readonly source: ReactNode;
}) {
  return (
    <div>
      <dt>
        {icon} {label}
      </dt>
      <dd>
        <span className="stat-value">
          <Money amount={amount} show="cents" />
        </span>{' '}
        <span className="stat-unit">{currency}</span>
        <span className="stat-note">{note}</span>
        <span className="bench-source">{source}</span>
      </dd>
    </div>
  );
}

const sumOf = (days: readonly { readonly amount: string }[]): string =>
  decimal(days.reduce((sum, { amount }) => sum + (micros(amount) ?? 0n), 0n));

function Days({ of, evidence }: { readonly of: Break; readonly evidence: Evidence | undefined }) {
  const days = evidence?.delivered?.days ?? [];
  if (!days.some(({ amount }) => amount !== '0')) return undefined;
  const missing = days.filter(({ is_invoiced: isInvoiced }) => !isInvoiced);
  const text = (some: typeof days): string => moneyText(sumOf(some), null, 'cents');
  const billed = days.filter(({ is_invoiced: isInvoiced }) => isInvoiced);
  return (
    <div className="bench-days">
      <p>
        <span>Delivered per day, {of.currency}, and what is invoiced</span>
        {billed.length > 0 && <span data-series="1">invoiced, {text(billed)}</span>}
        {missing.length > 0 && <span data-series="3">not invoiced, {text(missing)}</span>}
      </p>
      <DayBars
        rows={days.map(({ day, amount, is_invoiced: isInvoiced }) => ({
          day,
          amount,
          isMarked: !isInvoiced,
        }))}
        marked="not invoiced"
        message={
          missing.length === 0
            ? `All ${days.length} days are invoiced.`
            : `${missing.length} of ${days.length} days ${missing.length === 1 ? 'is' : 'are'} not invoiced${
                missing.length > 4 ? '' : `: ${missing.map(({ day }) => dayText(day)).join(', ')}`
              }.`
        }
      />
    </div>
  );
}

function Decide({
  of,
  evidence,
  chosen,
  alike,
  choose,
  onDecided,
}: {
  readonly of: Break;
  readonly evidence: Evidence;
  readonly chosen: readonly string[];
  readonly alike: readonly Break[];
  readonly choose: (ids: readonly string[]) => void;
  readonly onDecided: (ids: readonly string[]) => void;
}) {
  const proposal = evidence.proposal;
  const [as, setAs] = useState<Decision | undefined>(proposal?.as);
  const [typed, setTyped] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const usual = proposal !== undefined && proposal.as === as ? proposal.because : clean(of.cause, 400);
  const reason = typed ?? usual;
  const targets = chosen.length > 0 ? chosen : [of.break_id];
  const resolve = async (): Promise<void> => {
    if (as === undefined || isBusy) return;
    setBusy(true);
    setError(undefined);
    const done: string[] = [];
    try {
      for (const id of targets) {
        const body = { as, ...(reason.trim() !== '' && { reason: reason.trim() }) };
        await api('POST /v1/breaks/{id}/resolve', { params: { id }, body });
        done.push(id);
      }
      const title = decisions.find((one) => one.as === as)?.title ?? as;
      notifications.show({
        color: 'good',
        message: done.length === 1 ? `Decided: ${title}.` : `${done.length} decided: ${title}.`,
      });
      onDecided(done);
      await refresh();
    } catch (failure) {
      setError(failure);
      choose(targets.filter((id) => !done.includes(id)).slice(0, chosen.length));
      if (done.length > 0) await refresh();
    } finally {
      setBusy(false);
    }
  };
  usePageKeys({
    ...Object.fromEntries(decisions.map(({ as: own, key }) => [key.toLowerCase(), () => setAs(own)])),
    enter: () => void resolve(),
  });
  const postings = evidence.decisions.find((one) => one.as === as)?.postings;
  const label = targets.length > 1 ? `Decide ${targets.length}, next` : 'Decide, next';
  return (
    <section className="bench-decide" aria-label="Decision">
      <h3>Decide{targets.length > 1 && ` ${targets.length} together`}</h3>
      <div className="bench-choices" role="group" aria-label="Decision">
        {decisions.map(({ as: own, key, title, text }, place) => (
          <button
            key={own}
            type="button"
            aria-pressed={own === as}
            onClick={() => setAs(own)}
            {...(place > 3 && { className: 'seldom' })}
          >
            <b>
              {title} <kbd aria-hidden="true">{key}</kbd>
            </b>
            <span>
              {text}
              {proposal?.as === own && '. Usual for this cause'}
            </span>
          </button>
        ))}
      </div>
      <div className="bench-act">
        <TextInput
          aria-label="Reason"
          placeholder="Reason"
          value={reason}
          maxLength={500}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button loading={isBusy} aria-disabled={as === undefined} onClick={() => void resolve()}>
          {label} <kbd aria-hidden="true">Ctrl ↵</kbd>
        </Button>
      </div>
      {error !== undefined && <ErrorPanel error={error} />}
      <p className="bench-books" role="status">
        {as === undefined ? 'Choose a decision first.' : booksText(postings, of.currency)}{' '}
        {chosen.length === 0 && alike.length > 0 && (
          <button
            type="button"
            className="text-button"
            onClick={() => choose([of.break_id, ...alike.map(({ break_id: id }) => id)])}
          >
            Decide the same for {alike.length} {alike.length === 1 ? 'other' : 'others'} with this cause
          </button>
        )}
        {chosen.length > 0 && (
          <button type="button" className="text-button" onClick={() => choose([])}>
            Decide this one alone
          </button>
        )}
      </p>
    </section>
  );
}

/** Whose it is, and what people wrote about it. */
function Notes({ of }: { readonly of: Break }) {
  const me = useMe().data?.name ?? '';
  const isAllowed = useMay()('ledger.write') && of.state === 'open';
  const { data } = useAnswer('GET /v1/breaks/{id}', { params: { id: of.break_id } });
  const [owner, setOwner] = useState(of.owner ?? me);
  const [comment, setComment] = useState('');
  const params = { id: of.break_id };
  const comments = data?.comments ?? [];
  return (
    <Panel title="Owner and notes">
      <FactList of={{ Owner: of.owner === null ? 'nobody yet' : <Name of={of.owner} /> }} />
      <ul className="plain-list" aria-label="Notes">
        {comments.map(({ by, at, text }) => (
          <li key={`${at} ${by}`}>
            <small>
              <Name of={by} most={40} />, <Time at={at} />
            </small>
            <div className="name">{clean(text, 5_000)}</div>
          </li>
        ))}
      </ul>
      {isAllowed && (
        <div className="bench-notes">
          <ActForm
            label="Assign"
            done="It is assigned."
            isReady={owner.trim() !== ''}
            act={() => api('POST /v1/breaks/{id}/assign', { params, body: { owner: owner.trim() } })}
          >
            <TextInput label="Owner" description="A person's name" {...bindText(owner, setOwner)} />
          </ActForm>
          <ActForm
            label="Add the note"
            done="The note is kept."
            isReady={comment.trim() !== ''}
            act={async () => {
              await api('POST /v1/breaks/{id}/comment', { params, body: { text: comment.trim() } });
              setComment('');
            }}
          >
            <Textarea
              label="Note"
              autosize
              minRows={1}
              maxLength={4_000}
              {...bindText(comment, setComment)}
            />
          </ActForm>
        </div>
      )}
    </Panel>
  );
}
