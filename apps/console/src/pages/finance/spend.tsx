import { Button, Group, Loader, NativeSelect, Pill, Table, Text } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { DateInput, isDay } from '../../parts/forms/date-input.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { decimal, moneyText } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { csvText, saveFile } from '../../parts/save-file.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { monthName } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';
import { BuyName } from '../agency/buy-link.js';
import { dimensions, memberOf, pivot, times, totalsOf, type Dimension, type TimeStep } from './pivot.js';
import { ScrollTable } from '../../parts/scroll-table.js';

const SpendChart = lazy(() => import('./spend-chart.js'));
const none = '';

/** Spend by any dimension and time: a figure links to its rows, and those to their evidence. */
export function SpendPage() {
  const [filters, set] = useFilters();
  const nameOf = useSellerNames();
  const by = dimensions.find((dimension) => dimension === filters['by']) ?? 'seller';
  const step = times.find((time) => time === filters['step']) ?? 'month';
  const narrowed = dimensions.filter((dimension) => (filters[dimension] ?? none) !== none);
  const dimensionsChosen = [...new Set<string>([by, ...narrowed, ...(step === 'none' ? [] : [step])])].join(
    ',',
  );
  const range = {
    ...(filters['from'] && isDay(filters['from']) && { from: filters['from'] }),
    ...(filters['to'] && isDay(filters['to']) && { to: filters['to'] }),
    ...(filters['as_of'] && { as_of: filters['as_of'] }),
  };
  const spend = useAnswer('GET /v1/ledger/spend', { query: { by: dimensionsChosen, ...range } });
  const rows = useMemo(
    () =>
      (spend.data?.spend ?? []).filter((row) =>
        narrowed.every((narrowing) => memberOf(row, narrowing).key === filters[narrowing]),
      ),
    [spend.data, filters],
  );
  const made = useMemo(() => pivot(rows, by, step), [rows, by, step]);
  const currencies = [...new Set(made.rows.map(({ currency }) => currency))].sort();
  // Amounts of two currencies cannot be compared, so that of the most rows comes first.
  const rowsIn = (text: string): number => made.rows.filter((row) => row.currency === text).length;
  const currency =
    currencies.find((text) => text === filters['currency']) ??
    currencies.toSorted((a, b) => rowsIn(b) - rowsIn(a))[0] ??
    '';
  const chart = useMemo(() => {
    const totals = totalsOf(made.rows, currency);
    return {
      days: made.columns.map((day) => (day.length === 7 ? `${day}-01` : day)),
      amounts: made.columns.map((column) => decimal(totals.of(column))),
    };
  }, [made, currency]);
  const chosenName = (narrowing: Dimension): string => {
    const key = filters[narrowing] ?? '';
    if (narrowing === 'seller') return nameOf(key);
    return rows[0] ? memberOf(rows[0], narrowing).name : key;
  };
  const drill = (key: string): Record<string, string> => ({
    ...filters,
    [by]: key,
    by: dimensions[dimensions.indexOf(by) + 1] ?? 'buy',
  });
  const csv = (): void =>
    saveFile(
      `spend-by-${by}.csv`,
      'text/csv',
      csvText([
        [by, 'id', 'currency', ...made.columns, 'total'],
        ...made.rows.map((row) => [
          clean(row.name, 10_000),
          row.key,
          row.currency,
          ...made.columns.map((column) => decimal(row.cells.get(column) ?? 0n)),
          decimal(row.total),
        ]),
      ]),
    );
  return (
    <>
      <PageHead
        title="Spend"
        actions={
          <Button variant="default" size="xs" onClick={csv} disabled={made.rows.length === 0}>
            Export as CSV
          </Button>
        }
      >
        What sellers reported as delivered, as the ledger has it. Currencies are never added together.
      </PageHead>
      <Group align="flex-end" mb="md" gap="sm">
        <NativeSelect
          label="Rows"
          data={[...dimensions]}
          value={by}
          onChange={({ currentTarget }) => set({ by: currentTarget.value })}
        />
        <NativeSelect
          label="Columns"
          data={[...times]}
          value={step}
          onChange={({ currentTarget }) => set({ step: currentTarget.value })}
        />
        <DateInput
          label="From day"
          description="Of this day and later"
          value={filters['from'] ?? ''}
          onChange={(from) => set({ from })}
        />
        <DateInput
          label="To day, exclusive"
          description="Before this day"
          value={filters['to'] ?? ''}
          onChange={(to) => set({ to })}
        />
        {currencies.length > 1 && (
          <NativeSelect
            label="Currency of the chart"
            data={currencies}
            value={currency}
            onChange={({ currentTarget }) => set({ currency: currentTarget.value })}
          />
        )}
      </Group>
      <Group mb="sm" gap="xs">
        {narrowed.map((narrowing) => (
          <Pill
            key={narrowing}
            withRemoveButton
            onRemove={() => set({ [narrowing]: undefined })}
            removeButtonProps={{
              'aria-label': `Remove the filter ${narrowing}`,
              'aria-hidden': false,
              tabIndex: 0,
            }}
          >
            {narrowing}: {clean(chosenName(narrowing), 40)}
          </Pill>
        ))}
      </Group>
      {spend.isPending && <Loader role="status" aria-label="Loading spend" />}
      {spend.isError && <ErrorPanel error={spend.error} again={() => void spend.refetch()} />}
      {spend.isSuccess && made.rows.length === 0 && (
        <EmptyState title="Nothing was spent here">
          A seller&apos;s first delivery report makes the first row. Choose other days, or look at{' '}
          <Go to="/webhooks">what sellers sent</Go>.
        </EmptyState>
      )}
      {made.columns.length > 1 && step !== 'none' && (
        <Suspense fallback={<Loader role="status" aria-label="Loading the chart" />}>
          <SpendChart {...chart} currency={currency} isByMonth={step === 'month'} />
        </Suspense>
      )}
      {made.rows.length > 0 && <PivotTable {...{ made, by, step, currencies, drill }} />}
    </>
  );
}

function PivotTable({
  made,
  by,
  step,
  currencies,
  drill,
}: {
  readonly made: ReturnType<typeof pivot>;
  readonly by: Dimension;
  readonly step: TimeStep;
  readonly currencies: readonly string[];
  readonly drill: (key: string) => Record<string, string>;
}) {
  const nameOf = useSellerNames();
  const columns = step === 'none' ? [] : made.columns;
  const cents = (amount: bigint, currency: string): string =>
    moneyText(decimal(amount), currency, 'cents').split(' ')[0] ?? '';
  return (
    <>
      <ScrollTable label={`Spend by ${by}`} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th tt="capitalize">{by}</Table.Th>
            {columns.map((column) => (
              <Table.Th key={column} className="number">
                {step === 'month' ? monthName(column) : column}
              </Table.Th>
            ))}
            <Table.Th className="number">Total</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {made.rows.map((row) => (
            <Table.Tr key={`${row.key} ${row.currency}`}>
              <Table.Th scope="row">
                {by === 'buy' && row.key !== '-' ? (
                  <Go to={`/reports/entries/${encodeURIComponent(row.key)}`}>
                    <BuyName id={row.key} />
                  </Go>
                ) : (
                  <Go to="/reports" search={drill(row.key)}>
                    <Name of={by === 'seller' ? nameOf(row.key) : row.name} />
                  </Go>
                )}
              </Table.Th>
              {columns.map((column) => (
                <Table.Td key={column} className="number">
                  {row.cells.has(column) ? cents(row.cells.get(column) ?? 0n, row.currency) : '–'}
                </Table.Td>
              ))}
              <Table.Td className="number">{moneyText(decimal(row.total), row.currency, 'cents')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          {currencies.map((currency) => {
            const totals = totalsOf(made.rows, currency);
            return (
              <Table.Tr key={currency}>
                <Table.Th scope="row">All in {currency}</Table.Th>
                {columns.map((column) => (
                  <Table.Th key={column} className="number">
                    {cents(totals.of(column), currency)}
                  </Table.Th>
                ))}
                <Table.Th className="number">{moneyText(decimal(totals.all), currency, 'cents')}</Table.Th>
              </Table.Tr>
            );
          })}
        </Table.Tfoot>
      </ScrollTable>
      <Text size="xs" c="dimmed" mt={4}>
        A name opens what makes its figures.
      </Text>
    </>
  );
}
