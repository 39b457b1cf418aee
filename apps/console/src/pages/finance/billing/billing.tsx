import { Button, Group, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../../api/client.js';
import { Chips } from '../../../parts/chips.js';
import { DataTable, type Column } from '../../../parts/data-table.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters, worded } from '../../../parts/filters.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { Go } from '../../../parts/go.js';
import { Money } from '../../../parts/money.js';
import { isMonth, monthOf, MonthInput } from '../../../parts/month.js';
import { Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { Panel } from '../../../parts/panel.js';
import { Quiet } from '../../../parts/quiet.js';
import { dayText, monthName } from '../../../parts/time.js';
import { usePages } from '../../../parts/use-pages.js';
import { useMay } from '../../../parts/use-rows.js';
import { documentName, DocumentState, kindsOfDocument, type ClientInvoice } from './words.js';
import { client, currency, decimal, needed, text, useForm } from '../../../parts/forms/use-form.js';

type Ran = Answer<'POST /v1/billing/run'>;

const columns: readonly Column<ClientInvoice>[] = [
  {
    title: 'Document',
    cell: (row) => (
      <>
        <Go to={`/billing/${row.client_invoice_id}`}>
          <Name of={row.number ?? 'Draft'} />
        </Go>
        <Quiet>{kindsOfDocument[row.kind]}</Quiet>
      </>
    ),
    text: ({ number }) => number ?? '',
  },
  {
    title: 'Client',
    cell: ({ client, entity }) => (
      <>
        <Name of={client} most={60} />
        <Quiet>
          by <Name of={entity} most={60} />
        </Quiet>
      </>
    ),
    text: ({ client }) => client,
  },
  { title: 'Month', cell: ({ period }) => monthName(period), text: ({ period }) => period },
  ...(['net', 'tax', 'gross', 'open'] as const).map((member) => ({
    title: { net: 'Net', tax: 'Tax', gross: 'Gross', open: 'Open' }[member],
    isNumber: true,
    cell: (row: ClientInvoice) => <Money amount={row[member]} currency={row.currency} />,
    text: (row: ClientInvoice) => row[member],
    unit: ({ currency }: ClientInvoice) => currency,
  })),
  {
    title: 'Due',
    cell: ({ due_on: due }) => (due === undefined ? '–' : dayText(due)),
    text: ({ due_on: due }) => due,
  },
  { title: 'State', cell: (row) => <DocumentState of={row} />, text: ({ state }) => state },
];

/** Invoices and credit notes to clients, and the run of a month that drafts them. */
export function BillingPage() {
  const [{ state = 'all', period = '' }, set] = useFilters();
  const may = useMay();
  const pages = usePages('GET /v1/billing', 'billing', {
    state: state === 'all' ? undefined : worded(state),
    ...(isMonth(period) && { period }),
  });
  return (
    <>
      <PageHead title="Client billing">
        What clients pay. A run drafts what a month brought, another person issues it under the next number.
      </PageHead>
      <div className="column">
        {may('ledger.write') && <Run />}
        <Group align="flex-end">
          <Chips
            label="State"
            value={state}
            options={[
              { value: 'all', title: 'All' },
              { value: 'draft', title: 'Drafts' },
              { value: 'issued', title: 'Issued' },
              { value: 'part_paid', title: 'Paid in part' },
              { value: 'paid', title: 'Paid' },
            ]}
            onChange={(value) => set({ state: value })}
          />
          <TextInput
            label="Only this month"
            placeholder="YYYY-MM"
            value={period}
            onChange={({ currentTarget }) => set({ period: currentTarget.value })}
          />
        </Group>
        <DataTable
          label="Documents to clients"
          pages={pages}
          columns={columns}
          empty={
            <EmptyState title="No client was billed yet">
              A client is billed by a company and a rule: <Go to="/billing/rules">set both</Go>, and run a
              month.
            </EmptyState>
          }
        />
      </div>
    </>
  );
}

const month = { client_id: needed(client()) };
const oneLine = {
  description: text('A line beside the rules', 'Optional, for example hours of a workshop', {
    maxLength: 200,
  }),
  amount: decimal('Its amount without tax', 'As 500.00'),
  currency: currency('Its currency', 'As EUR'),
};

/** Drafts what a client owes for a month, and shows the drafts with what was found on the way. */
function Run() {
  const form = useForm(month);
  const [period, setPeriod] = useState(monthOf(new Date(), 1));
  const line = useForm(oneLine);
  const [ran, setRan] = useState<Ran>();
  const { description, amount, currency: of } = line.filled();
  const isWhole = [description, amount, of].every((text) => (text === undefined) === (amount === undefined));
  const run = async (): Promise<void> => {
    setRan(undefined);
    const lines =
      description === undefined || amount === undefined || of === undefined
        ? {}
        : { lines: [{ description, amount, currency: of }] };
    setRan(await api('POST /v1/billing/run', { body: { ...form.filled(), period, ...lines } }));
    line.clear();
  };
  return (
    <>
      <ActForm
        title="Run a month"
        label="Draft it"
        act={run}
        isReady={form.isReady() && isMonth(period) && line.isReady() && isWhole}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {form.inputs()}
          <MonthInput value={period} onChange={setPeriod} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>{line.inputs()}</SimpleGrid>
      </ActForm>
      {ran !== undefined && <Drafted of={ran} />}
    </>
  );
}

function Drafted({ of: { invoices, checks } }: { readonly of: Ran }) {
  const found = [...checks, ...invoices.flatMap((one) => one.checks)];
  const texts = [...new Set(found.map(({ text }) => text))];
  return (
    <Panel
      title="Drafted"
      about={invoices.length === 0 ? 'everything is billed' : 'a new run of the month replaces drafts'}
    >
      <div role="status">
        {invoices.map((one) => (
          <Group key={one.client_invoice_id} justify="space-between">
            <Go to={`/billing/${one.client_invoice_id}`}>{documentName(one)}</Go>
            <span>
              {one.lines.length} {one.lines.length === 1 ? 'line' : 'lines'},{' '}
              <Money amount={one.gross} currency={one.currency} />
            </span>
            <Button
              size="xs"
              variant="default"
              component="a"
              href={`/console/billing/${one.client_invoice_id}`}
            >
              Look at it
            </Button>
          </Group>
        ))}
        {texts.map((text) => (
          <p key={text} className="panel-small">
            <Name of={text} most={400} />
          </p>
        ))}
      </div>
    </Panel>
  );
}
