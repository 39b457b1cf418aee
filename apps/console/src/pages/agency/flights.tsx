import { Button, Group, Loader, NativeSelect, Stack, Table, Text } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { Quiet } from '../../parts/quiet.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { isMonth, monthAfter, monthOf, MonthInput } from '../../parts/month.js';
import { LinkToBuy } from './buy-link.js';
import { BuyStatus, lastDayOf } from './buy-status.js';
import { ClientCampaignSelects } from './client-campaign-selects.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type Buy = Answer<'GET /v1/buys'>['media_buys'][number];

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** The weeks of some months: the Mondays from the one on or before the first day, as milliseconds since 1970. */
export function weeksOf(month: string, months: number): readonly number[] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const end = Date.parse(`${monthAfter(month, months)}-01T00:00:00Z`);
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * dayMs;
  return Array.from({ length: Math.ceil((end - monday) / weekMs) }, (_, at) => monday + at * weekMs);
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The flight of each buy as a bar over the weeks, campaign by campaign. */
export function FlightsPage() {
  const [filters, setFilters] = useFilters();
  const { client, campaign } = filters;
  const typed = filters['from'] ?? monthOf(new Date(), 1);
  const from = isMonth(typed) ? typed : monthOf();
  const months = Number(filters['months'] ?? '4') || 4;
  const weeks = weeksOf(from, months);
  const [start = 0] = weeks;
  const end = start + weeks.length * weekMs;
  const pages = usePages('GET /v1/buys', 'media_buys', {
    client,
    campaign,
    runs_from: isoDay(start),
    runs_to: isoDay(end - dayMs),
  });
  const shown = pages.rows.toSorted((a, b) =>
    a.campaign === b.campaign
      ? Date.parse(a.start_time) - Date.parse(b.start_time)
      : (a.campaign ?? '\uffff') < (b.campaign ?? '\uffff')
        ? -1
        : 1,
  );
  return (
    <Stack>
      <PageHead title="Calendar" actions={<PrintButton />}>
        When each buy runs, week by week from Monday (UTC). <Go to="/buys">All buys</Go>
      </PageHead>
      <Group align="flex-start" gap="xs" role="search" aria-label="Filters of flights">
        <MonthInput label="From" value={typed} onChange={(value) => setFilters({ from: value })} />
        <NativeSelect
          label="Over"
          description="As far as you plan"
          value={String(months)}
          onChange={({ currentTarget }) => setFilters({ months: currentTarget.value })}
          data={['2', '4', '6', '12'].map((value) => ({ value, label: `${value} months` }))}
        />
        <ClientCampaignSelects description="Whose buys" />
      </Group>
      {pages.isPending && <Loader role="status" aria-label="Loading flights" />}
      {pages.isError && <ErrorPanel error={pages.error} again={() => void pages.refetch()} />}
      {pages.isSuccess && shown.length === 0 && (
        <EmptyState title="Nothing runs in these weeks">
          Choose other months, or another client or campaign. <Go to="/ask">Ask the market</Go> to plan
          something.
        </EmptyState>
      )}
      {shown.length > 0 && <Calendar buys={shown} weeks={weeks} />}
      {pages.isSuccess && shown.length > 0 && (
        <Group gap="xs">
          <Text size="xs" c="dimmed" role="status">
            {shown.length} flights{pages.hasNextPage && ': the newest buys that run in these weeks'}
          </Text>
          {pages.hasNextPage && (
            <Button
              size="compact-xs"
              variant="default"
              loading={pages.isFetchingNextPage}
              onClick={() => void pages.fetchNextPage()}
            >
              Read 100 more
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}

export function Calendar({
  buys,
  weeks,
}: {
  readonly buys: readonly Buy[];
  readonly weeks: readonly number[];
}) {
  return (
    <ScrollTable label="Flights, a table">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Buy</Table.Th>
          <Table.Th className="flight" abbr="Flight">
            <Weeks of={weeks} />
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {buys.map((buy) => (
          <Table.Tr key={buy.media_buy_id}>
            <Table.Th scope="row" className="buy-name">
              <LinkToBuy buy={buy} />
              <Quiet>
                <Name of={buy.campaign ?? 'No campaign'} most={60} />,{' '}
                <Money amount={buy.current_total_budget} currency={buy.currency} />
              </Quiet>
              <BuyStatus buy={buy} />
            </Table.Th>
            <Table.Td className="flight">
              <Bar buy={buy} weeks={weeks} />
              <Quiet>
                <Time at={buy.start_time} dateOnly /> – <Time at={lastDayOf(buy)} dateOnly />
              </Quiet>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

/** The Mondays, as wide as their weeks in the bars below; each month above its first. */
function Weeks({ of: weeks }: { readonly of: readonly number[] }) {
  return (
    <div className="weeks" style={{ gridTemplateColumns: `repeat(${weeks.length}, 1fr)` }}>
      {weeks.map((at, index) => {
        const [day, before] = [isoDay(at), weeks[index - 1]];
        const isFirst = before === undefined || !isoDay(before).startsWith(day.slice(0, 7));
        // A month with one week would lie under the next one.
        const isAlone = !isoDay(weeks[index + 1] ?? at).startsWith(day.slice(0, 7));
        return (
          <div key={at}>
            <div className="month">{isFirst && !isAlone ? day.slice(0, 7) : '\u00a0'}</div>
            <span title={`Week of ${day}`}>{day.slice(8)}</span>
          </div>
        );
      })}
    </div>
  );
}

/** The weeks as fields, and over them the flight; the line is today. */
function Bar({ buy, weeks }: { readonly buy: Buy; readonly weeks: readonly number[] }) {
  const [start = 0] = weeks;
  const days = weeks.length * 7;
  const dayOf = (at: number): number => Math.min(days, Math.max(0, (at - start) / dayMs));
  const first = dayOf(Date.parse(buy.start_time));
  const last = dayOf(Date.parse(buy.end_time));
  const today = (Date.now() - start) / dayMs;
  const text = `Runs from ${buy.start_time.slice(0, 10)} to ${lastDayOf(buy)}`;
  return (
    <svg
      viewBox={`0 0 ${days} 14`}
      preserveAspectRatio="none"
      width="100%"
      height="16"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      {weeks.map((at, index) =>
        index % 2 === 0 ? (
          <rect key={at} x={index * 7} width="7" height="14" fill="var(--mantine-color-default-hover)" />
        ) : undefined,
      )}
      <rect
        x={first}
        y="2"
        width={Math.max(0.5, last - first)}
        height="10"
        fill={
          ['completed', 'canceled', 'rejected'].includes(buy.status)
            ? 'var(--mantine-color-dimmed)'
            : 'var(--mantine-primary-color-filled)'
        }
      />
      {today >= 0 && today <= days && (
        <rect x={today} width={days / 600} height="14" fill="var(--mantine-color-text)" />
      )}
    </svg>
  );
}
