import { Alert, Box, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { SellerName } from '../../parts/seller-name.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { FiguresImport } from './figures-import.js';
import { isMonth, monthOf, MonthInput } from '../../parts/month.js';
import { decimal, seller, useForm } from '../../parts/forms/use-form.js';

type Break = Answer<'GET /v1/breaks'>['breaks'][number];

const columns: readonly Column<Break>[] = [
  {
    title: 'Difference',
    isNumber: true,
    text: ({ difference }) => difference,
    unit: ({ currency }) => currency,
    cell: (row) => (
      <>
        <Go to={`/reconcile/${row.break_id}`}>
          <Money amount={row.difference} currency={row.currency} />
        </Go>
        <Quiet>{row.kind.replaceAll('_', ' ')}</Quiet>
      </>
    ),
  },
  { title: 'Cause', isText: true, text: ({ cause }) => cause, cell: ({ cause }) => clean(cause, 120) },
  {
    title: 'Seller',
    text: ({ seller }) => seller,
    cell: ({ seller, client, brand }) => (
      <>
        <SellerName of={seller} />
        <Quiet>
          <Name of={client ?? brand} most={40} />
        </Quiet>
      </>
    ),
  },
  {
    title: 'Ordered',
    isNumber: true,
    text: ({ ordered }) => ordered,
    cell: ({ ordered }) => <Money amount={ordered} />,
  },
  {
    title: 'Delivered',
    isNumber: true,
    text: ({ reported }) => reported,
    cell: ({ reported, polled, third_party: counted }) => (
      <>
        <Money amount={reported} />
        {polled && (
          <Quiet>
            polled <Money amount={polled} />
          </Quiet>
        )}
        {counted && (
          <Quiet>
            third party <Money amount={counted} />
          </Quiet>
        )}
      </>
    ),
  },
  {
    title: 'Invoiced',
    isNumber: true,
    text: ({ invoiced }) => invoiced,
    cell: ({ invoiced }) => <Money amount={invoiced} />,
  },
  {
    title: 'State',
    text: ({ state }) => state,
    cell: (row) => (
      <Explained
        kind="break"
        of={row.state}
        evidence={clean(row.cause, 600)}
        cli={`npx switchyard breaks show ${row.break_id}`}
      />
    ),
  },
  {
    title: 'Owner',
    text: ({ owner }) => owner,
    cell: ({ owner, age_days: days }) => (
      <>
        <Name of={owner} most={30} />
        <Quiet>
          {days} {days === 1 ? 'day' : 'days'}
        </Quiet>
      </>
    ),
  },
];

/** All differences as a table, a comparison with its own tolerance, and figures of third parties. */
export function AllBreaksPage() {
  const [filters, set] = useFilters();
  const isAllowed = useMay()('ledger.write');
  const state = filters['state'] ?? 'open';
  const breaks = usePages('GET /v1/breaks', 'breaks', {
    ...(state !== 'all' && { state: worded(state) }),
    ...(isMonth(filters['period'] ?? '') && { period: filters['period'] }),
    ...(filters['seller'] && { seller: filters['seller'] }),
  });
  return (
    <>
      <PageHead title="All differences">
        What was ordered, delivered and invoiced, compared, of all months.
      </PageHead>
      {isAllowed && <Run period={filters['period'] ?? monthOf()} onRun={(period) => set({ period })} />}
      <Group align="flex-end" my="md" gap="sm">
        <NativeSelect
          label="State"
          data={['open', 'disputed', 'resolved', 'gone', 'all']}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
        <TextInput
          label="Only this month"
          placeholder="YYYY-MM"
          value={filters['period'] ?? ''}
          onChange={({ currentTarget }) => set({ period: currentTarget.value })}
        />
        <SellerSelect none="All" value={filters['seller'] ?? ''} onChange={(seller) => set({ seller })} />
      </Group>
      <DataTable
        label="Differences"
        pages={breaks}
        columns={columns}
        empty={
          <EmptyState title="No difference is here">
            Import the month&apos;s <Go to="/invoices">invoices</Go>, compare the month above, and then go on
            with <Go to="/close">its close</Go>.
          </EmptyState>
        }
      />
      {isAllowed && (
        <Box mt="md">
          <FiguresImport />
        </Box>
      )}
    </>
  );
}

const narrowed = {
  seller: seller({ description: 'All of them, or one', none: 'All' }),
  tolerance: decimal('Tolerance', 'In the currency; 0.01 if empty'),
  tolerance_percent: decimal('Tolerance in per cent', 'The greater of both holds'),
};

function Run({
  period: first,
  onRun,
}: {
  readonly period: string;
  readonly onRun: (period: string) => void;
}) {
  const [period, setPeriod] = useState(first);
  const form = useForm(narrowed);
  const [result, setResult] = useState<Answer<'POST /v1/reconciliations'>>();
  const open = result?.breaks.filter(({ state }) => state === 'open').length;
  const run = async (): Promise<void> => {
    setResult(undefined);
    setResult(await api('POST /v1/reconciliations', { body: { period, ...form.filled() } }));
    onRun(period);
  };
  return (
    <ActForm title="Compare a month" label="Compare" act={run} isReady={isMonth(period)}>
      <Group align="flex-start" gap="sm">
        <MonthInput value={period} onChange={setPeriod} />
        {form.inputs()}
      </Group>
      {result !== undefined && (
        <Alert color={result.breaks.length === 0 ? 'good' : 'warn'} variant="outline" role="status">
          <Text size="sm">
            {result.matched} amounts agree, {open === 1 ? '1 difference is' : `${open} differences are`} open.
          </Text>
        </Alert>
      )}
    </ActForm>
  );
}
