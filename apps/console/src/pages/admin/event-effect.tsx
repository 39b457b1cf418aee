import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, moneyText } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { dayText, monthName } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Effect = Answer<'GET /v1/events/{id}/effect'>;
type Change = Effect['changes'][number];

const changed = {
  padding: '2px 6px',
  borderRadius: 4,
  background: 'var(--sy-accent-soft)',
  color: 'var(--sy-accent-text)',
};

/** So many lines of a report are set beside the books; the body has all. */
const mostLines = 20;

/** What a report would change in the books if it were taken over, and what follows from that. */
export function EventEffect({ id }: { readonly id: string }) {
  const { data, error } = useAnswer(
    'GET /v1/events/{id}/effect',
    { params: { id } },
    useMay()('ledger.read'),
  );
  if (error !== null) return <ErrorPanel error={error} />;
  if (data === undefined) return undefined;
  const { changes, problems, books, outcome } = data;
  return (
    <>
      {changes.length > 0 ? (
        changes
          .slice(0, mostLines)
          .map((change) => (
            <OneChange
              key={`${change.media_buy_id} ${change.package_id} ${change.period_start}`}
              change={change}
            />
          ))
      ) : (
        <Panel title="What would change">
          <p className="panel-small">
            {problems.length > 0
              ? `It cannot be taken over. ${clean(problems.join(' '), 1_000)}`
              : (noChange[outcome] ?? 'Nothing.')}
          </p>
        </Panel>
      )}
      {changes.length > mostLines && (
        <p className="panel-small">
          {changes.length - mostLines} more figures are not shown here; the body has all of them.
        </p>
      )}
      {changes.length > 0 && <WhatFollows books={books} />}
    </>
  );
}

const noChange: Readonly<Record<string, string>> = {
  duplicate: 'Nothing: the books have these figures already.',
  nothing: 'Nothing: it has no figures.',
  deferred: 'Nothing can be said yet: its buy has no answer of the seller.',
};

interface Row {
  readonly title: string;
  readonly now: ReactNode;
  readonly then: ReactNode;
  /** Undefined where the two are the same. */
  readonly change: ReactNode;
}

/** The figures of one line and time: what counts now, what the report says, and the difference. */
function OneChange({ change }: { readonly change: Change }) {
  const rows = rowsOf(change);
  const differ = rows.filter((row) => row.change !== undefined).length;
  return (
    <Panel
      title="What would change"
      about={`${daysOf(change)}, ${change.package_id === '' ? 'the whole buy' : `line ${clean(change.package_id, 60)}`}`}
      acts={
        <span className="panel-about">
          {differ} of {rows.length} values differ
        </span>
      }
      isFlush
    >
      <ScrollTable label={`What would change, ${daysOf(change)}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Value</Table.Th>
            <Table.Th className="number">Now in the books</Table.Th>
            <Table.Th className="number">In this report</Table.Th>
            <Table.Th className="number">Change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ title, now, then, change: by }) => (
            <Table.Tr key={title}>
              <Table.Th scope="row">{title}</Table.Th>
              <Table.Td className="number">{now}</Table.Td>
              <Table.Td className="number">
                {by === undefined ? then : <mark style={changed}>{then}</mark>}
              </Table.Td>
              <Table.Td className="number">{by ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}

function rowsOf({ now, in_report: then, currency }: Change): readonly Row[] {
  const money = (amount: string | undefined): ReactNode =>
    amount === undefined ? 'nothing' : <Money amount={amount} currency={currency} show="cents" />;
  const count = (value: string | null | undefined): ReactNode =>
    value === undefined || value === null ? 'not said' : moneyText(value, null, 'whole');
  const less = (a: string | null | undefined, b: string | null | undefined): string | undefined => {
    const [one, other] = [micros(a ?? ''), micros(b ?? '')];
    return one === undefined || one === other ? undefined : decimal(one - (other ?? 0n));
  };
  const spend = less(then.spend, now?.spend);
  const counts = (title: string, a: string | null, b: string | null | undefined): Row => {
    const by = less(a, b);
    return { title, now: count(b), then: count(a), change: by && signed(by) };
  };
  const kind = (figure: Change['now']): string =>
    figure === null ? 'nothing' : clean(figure.notification_type.replaceAll('_', ' '), 40);
  return [
    {
      title: 'Spend',
      now: money(now?.spend),
      then: money(then.spend),
      change: spend === undefined ? undefined : <Money amount={spend} show="cents" isDifference />,
    },
    counts('Impressions', then.impressions, now?.impressions),
    counts('Clicks', then.clicks, now?.clicks),
    {
      title: 'Kind of report',
      now: kind(now),
      then: kind(then),
      change: kind(now) === kind(then) ? undefined : 'other kind',
    },
  ];
}

const signed = (amount: string): string =>
  `${amount.startsWith('-') ? '−' : '+'}${moneyText(amount.replace('-', ''), null, 'whole')}`;

/** The days of a figure; its end is not included. */
function daysOf({ period_start: from, period_end: to }: Change): string {
  const last = new Date(Date.parse(to) - 1).toISOString();
  return from.slice(0, 10) === last.slice(0, 10) ? dayText(from) : `${dayText(from)} to ${dayText(last)}`;
}

/** What follows in the books if it is taken over. */
function WhatFollows({ books }: { readonly books: Effect['books'] }) {
  return (
    <Panel title="What follows" about="if you take it over">
      {books.map((row) => (
        <div key={`${row.media_buy_id} ${row.month} ${row.currency}`} className="deed">
          <b>
            Books: spend of <Go to={`/buys/${encodeURIComponent(row.media_buy_id)}`}>the buy</Go> in{' '}
            {monthName(row.month)} <Money amount={row.before} show="cents" /> →{' '}
            <Money amount={row.after} currency={row.currency} show="cents" />
          </b>
          <small>One correcting entry; the first report stays visible.</small>
        </div>
      ))}
      {books.length === 0 && (
        <div className="deed">
          <b>Books: no sum changes</b>
          <small>The figures are recorded, and the spend stays as it is.</small>
        </div>
      )}
      <div className="deed">
        <b>Who is sent reports of the buy gets the new figures</b>
        <small>
          A difference to an invoice of the seller shows in <Go to="/reconcile">Reconcile</Go> with the next
          comparison.
        </small>
      </div>
    </Panel>
  );
}
