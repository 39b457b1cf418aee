import { Button, Loader } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Link, Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { notifications } from '@mantine/notifications';
import { useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { Avatar } from '../../parts/avatar.js';
import { Chips } from '../../parts/chips.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { decimal, micros, Money, numberText } from '../../parts/money.js';
import { isMonth, monthAfter, monthOf } from '../../parts/month.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { monthName, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { usePageKeys } from '../../parts/single-keys.js';
import { kindWords, type Break } from './break-words.js';
import { useDueMonth } from '../../parts/due-month.js';
import { BreakDetail } from './workbench-detail.js';
import './workbench.css';

/** The month that is due, to go on with. */
export function ReconcilePage() {
  const [filters] = useFilters();
  const due = useDueMonth();
  const wanted = filters['period'] ?? '';
  if (due.isPending && !isMonth(wanted))
    return (
      <>
        <PageHead title="Reconcile" />
        <Loader role="status" aria-label="Loading the months" />
      </>
    );
  const { period: _period, ...search } = filters;
  const month = isMonth(wanted) ? wanted : (due.month ?? monthOf(new Date(), 1));
  return <Navigate to={`/reconcile/${month}`} search={search} replace />;
}

/** The differences of a month, decided one after another; by the id of a difference, that one. */
export function WorkbenchPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  return isMonth(id) ? <Workbench key={id} period={id} /> : <OfBreak id={id} />;
}

function OfBreak({ id }: { readonly id: string }) {
  const query = useAnswer('GET /v1/breaks/{id}', { params: { id } });
  return (
    <Loaded title="Difference" query={query}>
      {({ period, break_id: at, state }) => (
        <Navigate
          to={`/reconcile/${period}`}
          search={{ at, ...(state !== 'open' && { show: 'decided' }) }}
          replace
        />
      )}
    </Loaded>
  );
}

const sizeOf = ({ difference }: Break): bigint => micros(difference.replace(/^-/, '')) ?? 0n;

/** Most money first; currencies are not added or compared, so the reporting currency comes first. */
export const byMoney =
  (reporting: string) =>
  (a: Break, b: Break): number => {
    if (a.currency !== b.currency) {
      if (a.currency === reporting) return -1;
      return b.currency === reporting ? 1 : a.currency.localeCompare(b.currency);
    }
    const more = sizeOf(b) - sizeOf(a);
    return more === 0n ? a.break_id.localeCompare(b.break_id) : more > 0n ? 1 : -1;
  };

/** More are not read for one month. */
const mostRows = 2_000;

function useBreaks(period: string, state: 'open' | 'disputed' | 'resolved', seller: string | undefined) {
  const pages = usePages('GET /v1/breaks', 'breaks', { period, state, ...(seller && { seller }) });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, rows } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && rows.length < mostRows) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, rows.length]);
  return pages;
}

function Workbench({ period }: { readonly period: string }) {
  const [filters, setFilters] = useFilters();
  const navigate = useNavigate();
  const me = useMe().data;
  const isAllowed = useMay()('ledger.write');
  const seller = filters['seller'];
  const open = useBreaks(period, 'open', seller);
  const disputed = useBreaks(period, 'disputed', seller);
  const resolved = useBreaks(period, 'resolved', seller);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const reporting = me?.organization.reporting_currency ?? 'USD';
  const show = filters['show'] ?? 'open';
  const lists: Readonly<Record<string, readonly Break[]>> = useMemo(() => {
    const byAmount = byMoney(reporting);
    const all = open.rows.toSorted(byAmount);
    const decided = [...disputed.rows, ...resolved.rows].toSorted(byAmount);
    return {
      open: all,
      mine: all.filter(({ owner }) => owner === me?.name),
      disputed: decided.filter(({ resolution }) => resolution === 'dispute'),
      decided,
    };
  }, [open.rows, disputed.rows, resolved.rows, me?.name, reporting]);
  const rows = lists[show] ?? [];
  const asked = filters['at'];
  const at = Math.max(
    0,
    rows.findIndex(({ break_id: id }) => id === asked),
  );
  const here = rows[at];
  const goTo = (row: Break | undefined): void => {
    if (row !== undefined) setFilters({ at: row.break_id });
  };
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  usePageKeys({
    j: () => goTo(rows[at + 1]),
    k: () => goTo(rows[at - 1]),
    x: () => {
      if (here?.state === 'open' && isAllowed) toggle(here.break_id);
    },
  });
  const decidedSome = (done: readonly string[]): void => {
    setChosen(new Set());
    const left = rows.filter(({ break_id: id }) => !done.includes(id));
    const next = rows.slice(at + 1).find(({ break_id: id }) => !done.includes(id)) ?? left[0];
    void navigate({
      to: '.',
      search: { ...filters, at: next?.break_id },
      replace: true,
    });
  };
  const titleOf = (name: string, count: number): { readonly title: string; readonly count: number } => ({
    title: name,
    count,
  });
  return (
    <>
      <PageHead
        title={`Reconcile ${monthName(period)}`}
        name={monthName(period)}
        beside={<OtherMonths period={period} />}
        actions={<HeadFigures period={period} open={lists['open'] ?? []} currency={reporting} />}
      />
      {open.isError && <ErrorPanel error={open.error} again={() => void open.refetch()} />}
      {open.isPending ? (
        <Loader role="status" aria-label="Loading differences" />
      ) : (
        <div className="bench" data-detail={asked === undefined ? undefined : 'true'}>
          <section className="panel bench-list" aria-label="Differences">
            <div className="bench-chips">
              <Chips
                label="Which differences"
                value={show}
                options={[
                  { value: 'open', ...titleOf('Open', lists['open']?.length ?? 0) },
                  { value: 'mine', ...titleOf('Mine', lists['mine']?.length ?? 0) },
                  { value: 'disputed', ...titleOf('Disputed', lists['disputed']?.length ?? 0) },
                ]}
                onChange={(value) =>
                  setFilters({ show: value === 'open' ? undefined : value, at: undefined })
                }
              />
              <span>most money first</span>
            </div>
            {seller !== undefined && (
              <p className="bench-filter">
                Only <SellerName of={seller} />
                <button
                  type="button"
                  className="text-button"
                  onClick={() => setFilters({ seller: undefined })}
                >
                  Show all sellers
                </button>
              </p>
            )}
            <ul>
              {rows.map((row) => (
                <Row
                  key={row.break_id}
                  row={row}
                  isHere={row.break_id === here?.break_id}
                  isChosen={chosen.has(row.break_id)}
                />
              ))}
            </ul>
            {rows.length === 0 && <NothingHere show={show} period={period} />}
            <p className="bench-foot">
              {lists['decided']?.length ?? 0} decided, {lists['disputed']?.length ?? 0} of them disputed
              <Go to={`/reconcile/${period}`} search={{ show: 'decided' }}>
                Show
              </Go>
            </p>
            <p className="bench-foot">
              <Go to="/reconcile/all" search={{ period, state: 'all' }}>
                All as a table
              </Go>
              <span className="bench-keys">
                <kbd>J</kbd> <kbd>K</kbd> next, previous <kbd>X</kbd> select <kbd>?</kbd> all keys
              </span>
            </p>
          </section>
          {here !== undefined && (
            <div className="bench-detail">
              <nav className="bench-way" aria-label="Differences, one by one">
                <button type="button" className="text-button" onClick={() => setFilters({ at: undefined })}>
                  ‹ {rows.length} {show === 'open' ? 'open' : 'in the list'}
                </button>
                <span>
                  {at + 1} of {rows.length}
                </span>
                <span>
                  <button type="button" className="text-button" onClick={() => goTo(rows[at - 1])}>
                    Previous
                  </button>{' '}
                  <button type="button" className="text-button" onClick={() => goTo(rows[at + 1])}>
                    Next
                  </button>
                </span>
              </nav>
              <BreakDetail
                key={here.break_id}
                of={here}
                chosen={[...chosen]}
                alike={(lists['open'] ?? []).filter((row) => isAlike(row, here))}
                choose={(ids) => setChosen(new Set(ids))}
                onDecided={decidedSome}
              />
            </div>
          )}
        </div>
      )}
    </>
  );
}

/** The same cause at the same seller, with the same sign. */
const isAlike = (a: Break, b: Break): boolean =>
  a.break_id !== b.break_id &&
  a.kind === b.kind &&
  a.seller === b.seller &&
  a.difference.startsWith('-') === b.difference.startsWith('-');

function Row({
  row,
  isHere,
  isChosen,
}: {
  readonly row: Break;
  readonly isHere: boolean;
  readonly isChosen: boolean;
}) {
  const nameOf = useSellerNames();
  const [filters] = useFilters();
  const name = nameOf(row.seller);
  return (
    <li data-here={isHere || undefined} data-chosen={isChosen || undefined}>
      <Avatar of={name} size={26} />
      <div>
        <Link
          to="."
          search={{ ...filters, at: row.break_id }}
          replace={filters['at'] !== undefined}
          resetScroll={false}
          {...(isHere && { 'aria-current': 'true' as const })}
        >
          {kindWords(row)}
          {isChosen && <span className="unseen">, selected</span>}
        </Link>
        <span>
          <Name of={name} most={40} /> · <bdi>{clean(row.cause.split(/[.;](?:\s|$)/)[0] ?? '', 60)}</bdi>
        </span>
      </div>
      <div className="bench-money" data-tone={row.kind === 'duplicate_invoice' ? 'bad' : undefined}>
        <b>
          <Money amount={row.difference} isDifference show="cents" />
        </b>
        <span>{row.currency}</span>
      </div>
    </li>
  );
}

function NothingHere({ show, period }: { readonly show: string; readonly period: string }) {
  if (show !== 'open') return <p className="bench-empty">Nothing under this filter.</p>;
  return (
    <p className="bench-empty">
      No difference is open. Import the <Go to="/invoices">invoices</Go> of the month and compare it, or go on
      with <Go to={`/close/${period}`}>its close</Go>.
    </p>
  );
}

function OtherMonths({ period }: { readonly period: string }) {
  return (
    <span className="bench-months">
      {([-1, 1] as const).map((by) => {
        const month = monthAfter(period, by);
        const Icon = by === -1 ? IconChevronLeft : IconChevronRight;
        return (
          <Link
            key={by}
            to={`/reconcile/${month}`}
            search={{}}
            className="icon-button"
            aria-label={monthName(month)}
          >
            <Icon size={17} stroke={1.7} aria-hidden="true" />
          </Link>
        );
      })}
    </span>
  );
}

/** What the comparison found, and its button. */
function HeadFigures({
  period,
  open,
  currency,
}: {
  readonly period: string;
  readonly open: readonly Break[];
  readonly currency: string;
}) {
  const isAllowed = useMay()('ledger.write');
  const month = useAnswer('GET /v1/periods/{period}', { params: { period } }).data;
  const refresh = useRefresh();
  const [isBusy, setBusy] = useState(false);
  const inCurrency = open.filter((row) => row.currency === currency);
  const others = open.length - inCurrency.length;
  const compare = async (): Promise<void> => {
    setBusy(true);
    try {
      const { matched, breaks } = await api('POST /v1/reconciliations', { body: { period } });
      const left = breaks.filter(({ state }) => state === 'open').length;
      notifications.show({
        color: left === 0 ? 'good' : 'warn',
        message: `${matched} amounts agree, ${left === 1 ? '1 difference is' : `${left} differences are`} open.`,
      });
    } catch (failure) {
      const message = failure instanceof Error ? failure.message : String(failure);
      notifications.show({ color: 'bad', message, autoClose: false });
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  return (
    <div className="bench-head">
      {month?.compared !== undefined && (
        <span>
          <b>{numberText(String(month.compared.matched))}</b> lines match
        </span>
      )}
      <span>
        <b data-tone={open.length === 0 ? 'good' : 'warn'}>{open.length}</b> open
        {inCurrency.length > 0 && (
          <>
            ,{' '}
            <Money
              amount={decimal(inCurrency.reduce((sum, row) => sum + sizeOf(row), 0n))}
              currency={currency}
              show="cents"
            />
          </>
        )}
        {others > 0 && ` and ${others} in other currencies`}
      </span>
      {month?.compared !== undefined && (
        <span>
          compared <Time at={month.compared.at} ago />
        </span>
      )}
      {isAllowed && (
        <Button variant="default" loading={isBusy} onClick={() => void compare()}>
          {month?.compared === undefined ? 'Compare' : 'Compare again'}
        </Button>
      )}
    </div>
  );
}
