import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { useTyped } from '../../parts/forms/use-typed.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { monthName, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

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

const nothing = {
  buy: '',
  order: '',
  commission: '',
  fees: '',
  variance: '',
  from: '',
  until: '',
  reason: '',
};

function Agree({ slug }: { readonly slug: string }) {
  const { field, filled, clear, typed } = useTyped(nothing);
  const [bills, setBills] = useState('');
  const [capped, setCapped] = useState('');
  const [counts, setCounts] = useState('');
  const agree = async (): Promise<void> => {
    const { buy, order, commission, fees, variance, until } = filled();
    await api('POST /v1/agreements', {
      body: {
        ...{ seller: slug, first_month: typed.from.trim(), reason: typed.reason.trim() },
        ...(buy !== undefined && { media_buy_id: buy }),
        ...(order !== undefined && { insertion_order: order }),
        ...(bills !== '' && { bills: bills as 'net' }),
        ...(commission !== undefined && { commission }),
        ...(capped !== '' && { capped: capped === 'yes' }),
        ...(fees !== undefined && { fees }),
        ...(counts !== '' && { counted_by: counts as 'seller' }),
        ...(variance !== undefined && { variance }),
        ...(until !== undefined && { last_month: until }),
      },
    });
    clear();
  };
  const isReady = isMonth(typed.from.trim()) && typed.reason.trim() !== '';
  return (
    <ActForm
      title="Enter what was agreed"
      label="Ask for it"
      done="It holds from its first month on."
      act={agree}
      isReady={isReady}
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        <NativeSelect
          label="Its invoices are"
          description="With the commission, or without it"
          data={[
            { value: '', label: 'Not said' },
            { value: 'net', label: 'Net' },
            { value: 'gross', label: 'Gross' },
          ]}
          {...bindText(bills, setBills)}
        />
        <TextInput
          label="Commission"
          description="In percent, as 15"
          inputMode="decimal"
          {...field('commission')}
        />
        <NativeSelect
          label="Above the order"
          description="What is delivered beyond it"
          data={[
            { value: '', label: 'Not said' },
            { value: 'yes', label: 'Is not paid' },
            { value: 'no', label: 'Is paid' },
          ]}
          {...bindText(capped, setCapped)}
        />
        <TextInput
          label="Fees up to"
          description="In percent of media"
          inputMode="decimal"
          {...field('fees')}
        />
        <NativeSelect
          label="Whose count is paid"
          description="Before what a package says"
          data={[
            { value: '', label: 'As the package says' },
            { value: 'seller', label: 'The seller’s' },
            { value: 'third_party', label: 'The third party’s' },
          ]}
          {...bindText(counts, setCounts)}
        />
        <TextInput
          label="Counts may differ by"
          description="In percent"
          inputMode="decimal"
          {...field('variance')}
        />
        <TextInput label="Only the buy" description="Its id; every buy unless set" {...field('buy')} />
        <TextInput label="Only the insertion order" description="Its number" {...field('order')} />
        <TextInput label="From" description="Month, as 2026-11" required {...field('from')} />
        <TextInput label="Until" description="Month; open unless set" {...field('until')} />
        <TextInput label="Where it is written" description="Contract or mail" required {...field('reason')} />
      </SimpleGrid>
    </ActForm>
  );
}
