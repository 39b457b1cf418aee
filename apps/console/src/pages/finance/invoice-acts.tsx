import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText } from '../../parts/time.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { TakePaymentBack } from './take-payment-back.js';
import { bindText } from '../../parts/forms/bind-text.js';

export type Invoice = Answer<'GET /v1/invoices/{id}'>;
type Payment = Answer<'GET /v1/invoices/{id}/payments'>['payments'][number];

/** What can be done with the document of a seller as a whole, by its state. */
export function InvoiceActs({ invoice: { invoice_id: id, state, kind } }: { readonly invoice: Invoice }) {
  const may = useMay();
  const params = { id };
  const release = () => api('POST /v1/invoices/{id}/release', { params });
  const isInvoice = kind === 'invoice';
  const isOpen = state === 'imported' || state === 'approved' || state === 'part_paid';
  const asked = { variant: 'default', reason: 'required' } as const;
  return (
    <>
      {isInvoice && isOpen && may('ledger.write') && (
        <ConfirmButton
          {...asked}
          label="Hold"
          done="It is held: nothing of it is paid."
          act={(reason) => api('POST /v1/invoices/{id}/hold', { params, body: { reason } })}
          undo={release}
        >
          Nothing of it is paid until somebody releases it.
        </ConfirmButton>
      )}
      {state === 'held' && may('ledger.write') && (
        <ConfirmButton label="Release" done="It is released." act={release}>
          It can be paid again, once it is approved and due.
        </ConfirmButton>
      )}
      {state === 'approved' && may('ledger.approve') && (
        <ConfirmButton
          label="Take the approval back"
          variant="default"
          done="Its approval is taken back."
          act={() => api('POST /v1/invoices/{id}/unapprove', { params })}
        >
          Nothing of it is paid until another person than its importer approves it again.
        </ConfirmButton>
      )}
      {state === 'part_paid' && may('ledger.write') && (
        <ConfirmButton
          {...asked}
          label="Write off the rest"
          done="The rest is written off."
          act={(reason) => api('POST /v1/invoices/{id}/write-off', { params, body: { reason } })}
        >
          What is left open is not paid: an entry of the ledger settles it. Another person approves that.
        </ConfirmButton>
      )}
      {(isOpen || state === 'held') && may('ledger.write') && (
        <ConfirmButton
          {...asked}
          label={isInvoice ? 'Void the invoice' : 'Void the credit note'}
          done="It is void: an entry takes it back, and its number is free again."
          act={(reason) => api('POST /v1/invoices/{id}/void', { params, body: { reason } })}
        >
          It was imported wrongly. An entry takes it back, and its number can be imported again. Another
          person approves it.
        </ConfirmButton>
      )}
    </>
  );
}

const paymentColumns: readonly Column<Payment>[] = [
  { title: 'Day', cell: ({ paid_on: day }) => dayText(day) },
  { title: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
  { title: 'Reference', cell: ({ reference }) => <Name of={reference} /> },
  {
    title: 'State',
    cell: ({ voided_at: voided, written_off: isWrittenOff }) => {
      if (voided !== undefined) return <StatusBadge of="Taken back" tone="gray" />;
      return <StatusBadge of={isWrittenOff === true ? 'Written off' : 'Paid'} tone="good" />;
    },
  },
  {
    title: 'Act',
    cell: ({ payment_id: id, voided_at: voided }) =>
      voided === undefined && (
        <TakePaymentBack route="POST /v1/payments/{id}/void" id={id}>
          The bank returned it, or it was entered wrongly. What it paid is open again.
        </TakePaymentBack>
      ),
  },
];

/** What was paid of it, and what was written off. */
export function InvoicePayments({ invoice: { invoice_id: id } }: { readonly invoice: Invoice }) {
  const payments = useRows('GET /v1/invoices/{id}/payments', (answer) => answer.payments, { params: { id } });
  return (
    <Panel title="Payments" isFlush>
      <DataTable
        label="Payments"
        pages={payments}
        columns={paymentColumns}
        empty={
          <EmptyState title="Nothing is paid yet">
            A payment is entered by hand, or read from the bank.
          </EmptyState>
        }
      />
    </Panel>
  );
}

/** Uses a credit note for an invoice of the same seller, and takes that back. */
export function UseCredit({ invoice }: { readonly invoice: Invoice }) {
  const { invoice_id: id, seller, currency } = invoice;
  const { data } = useRows('GET /v1/invoices', (answer) => answer.invoices, {
    query: { seller, limit: '200' },
  });
  const [chosen, setChosen] = useState('');
  const [amount, setAmount] = useState('');
  if (!useMay()('ledger.write')) return undefined;
  const invoices = (data?.invoices ?? []).filter(
    (one) => one.kind === 'invoice' && one.currency === currency && one.state !== 'voided',
  );
  return (
    <ActForm
      title="Use it for an invoice"
      label="Use it"
      done="The credit note is used for the invoice."
      isReady={chosen !== ''}
      act={() =>
        api('POST /v1/credits/{id}/apply', {
          params: { id },
          body: { invoice: chosen, ...(amount !== '' && { amount }) },
        })
      }
      also={
        <ConfirmButton
          label="Take back what was used"
          variant="default"
          done="Nothing of it is used for that invoice any more."
          {...(chosen === '' && { blocked: 'Choose the invoice first.' })}
          act={() => api('POST /v1/credits/{id}/unapply', { params: { id }, body: { invoice: chosen } })}
        >
          What it paid of the invoice is open again, and the credit note can be used for another one.
        </ConfirmButton>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Invoice"
          description="The newest 200 of the seller in this currency"
          data={[
            { value: '', label: 'Choose' },
            ...invoices.map(({ invoice_id: value, number }) => ({ value, label: clean(number, 60) })),
          ]}
          {...bindText(chosen, setChosen)}
        />
        <TextInput
          label="Amount"
          description={`In ${currency}; empty: as much as both leave open`}
          inputMode="decimal"
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value.trim())}
        />
      </SimpleGrid>
    </ActForm>
  );
}
