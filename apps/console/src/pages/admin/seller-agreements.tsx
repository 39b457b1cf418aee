import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { monthName, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';
import { choice, decimal, needed, text, useForm } from '../../parts/forms/use-form.js';

type Agreement = Answer<'GET /v1/agreements'>['agreements'][number];

const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** What an agreement says, a line for each part. */
function saidOf({
  bills,
  commission,
  capped,
  fees,
  counted_by: counts,
  variance,
}: Agreement): readonly string[] {
  return [
    bills !== undefined && `${bills === 'net' ? 'Net of' : 'Gross, with'} ${commission ?? ''}% commission`,
    capped === true && 'Nothing above the order is paid',
    capped === false && 'What is above the order is paid',
    fees !== undefined && `Fees up to ${fees}% of media`,
    counts === 'third_party' && 'The count of the third party is paid',
    counts === 'seller' && 'The count of the seller is paid',
    variance !== undefined && `The counts may differ by ${variance}%`,
  ].filter((part) => part !== false);
}

const columns: readonly Column<Agreement>[] = [
  {
    title: 'For',
    cell: ({ media_buy_id: buy, insertion_order: order }) =>
      buy === undefined && order === undefined ? (
        'Every buy'
      ) : (
        <Name of={[order, buy].filter(Boolean).join(', ')} />
      ),
  },
  {
    title: 'Agreed',
    cell: (agreement) => (
      <>
        {saidOf(agreement).map((part) => (
          <div key={part}>{part}</div>
        ))}
        <Quiet>
          <Name of={agreement.reason} most={300} />
        </Quiet>
      </>
    ),
  },
  { title: 'From', cell: ({ first_month: month }) => monthName(month) },
  { title: 'Until', cell: ({ last_month: month }) => (month === undefined ? '–' : monthName(month)) },
  {
    title: 'Set',
    cell: ({ set_by: by, set_at: at }) => (
      <>
        <Name of={by} most={60} /> <Time at={at} ago />
      </>
    ),
  },
  { title: 'Act', cell: (agreement) => <End agreement={agreement} /> },
];

/** Commission, net or gross, cap, fees and whose count: what a seller gets beside what it delivers. */
export function SellerAgreements({ slug }: { readonly slug: string }) {
  const may = useMay();
  const pages = usePages('GET /v1/agreements', 'agreements', { seller: slug });
  return (
    <div className="column">
      <Panel
        title="How it bills"
        about="invoices are compared by it"
        acts={<Go to="/inbox/approvals">What waits for a second person</Go>}
        isFlush
      >
        <DataTable
          label="Agreements with the seller"
          pages={pages}
          columns={columns}
          empty={
            <EmptyState title="Nothing is agreed">
              Media is paid as it was delivered, and every fee is a difference.
            </EmptyState>
          }
        />
      </Panel>
      {may('ledger.write') && <Agree slug={slug} />}
    </div>
  );
}

function End({ agreement }: { readonly agreement: Agreement }) {
  const [month, setMonth] = useState(new Date().toISOString().slice(0, 7));
  const mayWrite = useMay()('ledger.write');
  if (agreement.last_month !== undefined || !mayWrite) return '–';
  return (
    <ConfirmButton
      label="End"
      size="compact-xs"
      variant="default"
      done="Its last month is set."
      blocked={isMonth(month) ? undefined : 'Write a month as 2026-11.'}
      act={async () => {
        const params = { id: agreement.agreement_id };
        await api('POST /v1/agreements/{id}/end', { params, body: { last_month: month } });
      }}
    >
      <TextInput label="Last month" description="As 2026-11" {...bindText(month, setMonth)} />
    </ConfirmButton>
  );
}

const asked = {
  bills: choice(
    'Its invoices are',
    { '': 'Not said', net: 'Net', gross: 'Gross' },
    'With the commission, or without it',
  ),
  commission: decimal('Commission', 'In percent, as 15'),
  capped: choice(
    'Above the order',
    { '': 'Not said', yes: 'Is not paid', no: 'Is paid' },
    'What is delivered beyond it',
  ),
  fees: decimal('Fees up to', 'In percent of media'),
  counted_by: choice(
    'Whose count is paid',
    { '': 'As the package says', seller: 'The seller’s', third_party: 'The third party’s' },
    'Before what a package says',
  ),
  variance: decimal('Counts may differ by', 'In percent'),
  media_buy_id: text('Only the buy', 'Its id; every buy unless set'),
  insertion_order: text('Only the insertion order', 'Its number'),
  first_month: needed(text('From', 'Month, as 2026-11', { fits: isMonth })),
  last_month: text('Until', 'Month; open unless set', { fits: isMonth }),
  reason: needed(text('Where it is written', 'Contract or mail')),
};

function Agree({ slug }: { readonly slug: string }) {
  const form = useForm(asked);
  const agree = async (): Promise<void> => {
    const { capped, ...agreed } = form.filled();
    await api('POST /v1/agreements', {
      body: { seller: slug, ...agreed, ...(capped !== undefined && { capped: capped === 'yes' }) },
    });
    form.clear();
  };
  return (
    <ActForm
      title="Enter what was agreed"
      label="Ask for it"
      done="It holds from its first month on."
      act={agree}
      isReady={form.isReady()}
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>{form.inputs()}</SimpleGrid>
    </ActForm>
  );
}
