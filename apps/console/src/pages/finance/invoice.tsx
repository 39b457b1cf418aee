import { Box, FileInput, SimpleGrid, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { decimal, micros, Money, moneyText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { SellerName } from '../../parts/seller-name.js';
import { Stats } from '../../parts/stats.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, monthName } from '../../parts/time.js';
import { Quiet } from '../../parts/quiet.js';
import { sendFile } from '../../parts/forms/send-file.js';
import { Time } from '../../parts/time.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { BuyLink } from '../agency/buy-link.js';
import { InvoiceActs, InvoicePayments, UseCredit, type Invoice } from './invoice-acts.js';
import { day, decimal as decimalField, needed, text, useForm } from '../../parts/forms/use-form.js';

const columns: readonly Column<Invoice['lines'][number]>[] = [
  { title: 'Line', isNumber: true, cell: ({ line }) => line },
  { title: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
  {
    title: 'Buy',
    cell: ({ media_buy_id: id, seller_media_buy_id: named }) => (
      <>
        {id !== undefined && <BuyLink id={id} />}
        <Quiet>
          <Name of={named} />
        </Quiet>
      </>
    ),
  },
  { title: 'Package', cell: ({ package_id: id }) => <Name of={id} /> },
  { title: 'Purchase order', cell: ({ po_number: po }) => <Name of={po} /> },
  { title: 'Description', cell: ({ description }) => <Name of={description} /> },
  { title: 'Units', isNumber: true, cell: ({ units }) => units ?? '–' },
];

/** Approves an invoice: nothing of it is paid before. */
function Approve({ invoice }: { readonly invoice: Invoice }) {
  if (!useMay()('ledger.approve') || invoice.state !== 'imported' || invoice.total.startsWith('-'))
    return undefined;
  return (
    <Box mb="md" maw={900}>
      <ActForm
        title="Approve the invoice"
        label="Approve"
        done="The invoice is approved, and can be paid."
        act={() => api('POST /v1/invoices/{id}/approve', { params: { id: invoice.invoice_id } })}
      >
        <Text size="sm">Nothing is paid before. Another person than its importer approves it.</Text>
      </ActForm>
    </Box>
  );
}

/** Records a payment of what is open. */
function Pay({ invoice }: { readonly invoice: Invoice }) {
  const open = decimal((micros(invoice.total) ?? 0n) - (micros(invoice.paid) ?? 0n));
  const form = useForm(
    {
      date: needed(day('Day')),
      amount: needed(decimalField('Amount', `In ${invoice.currency}; ${moneyText(open)} is open`)),
      reference: text('Reference', 'For example of the bank: each is booked once', { maxLength: 100 }),
    },
    { date: new Date().toISOString().slice(0, 10), amount: open },
  );
  const isPayable = invoice.state === 'approved' || invoice.state === 'part_paid';
  if (!useMay()('ledger.write') || !isPayable || open.startsWith('-')) return undefined;
  return (
    <Box mb="md" maw={900}>
      <ActForm
        title="Record a payment"
        label="Record the payment"
        done="The payment is in the ledger."
        isReady={form.isReady()}
        act={() =>
          api('POST /v1/invoices/{id}/pay', { params: { id: invoice.invoice_id }, body: form.filled() })
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }}>{form.inputs()}</SimpleGrid>
      </ActForm>
    </Box>
  );
}

/** Stores the seller's PDF beside the invoice. */
function Attach({ id }: { readonly id: string }) {
  const [file, setFile] = useState<File | null>(null);
  if (!useMay()('ledger.write')) return undefined;
  const attach = async (of: File): Promise<void> => {
    const fileId = await sendFile(of, `npx switchyard invoices attach ${id} FILE`);
    await api('POST /v1/invoices/{id}/attachments', { params: { id }, body: { file_id: fileId } });
    setFile(null);
  };
  return (
    <Box mb="md" maw={900}>
      <ActForm
        title="Attach a PDF"
        label="Attach"
        done="The file stands beside the invoice."
        isReady={file !== null}
        act={() => (file === null ? Promise.resolve() : attach(file))}
      >
        <FileInput
          label="PDF of the seller"
          description="25 MB at most. Its bytes and their SHA-256 are stored; its amounts are not read."
          placeholder="Choose a file"
          accept=".pdf,application/pdf"
          value={file}
          onChange={setFile}
        />
      </ActForm>
    </Box>
  );
}

/** Whether somebody has to pay it, and how soon. */
export function stateOf(
  invoice: Pick<Invoice, 'state' | 'total' | 'settled_on' | 'due_on'>,
  today = new Date().toISOString().slice(0, 10),
): { readonly words: string; readonly tone: string } {
  if (invoice.state === 'voided') return { words: 'Void', tone: 'gray' };
  if (invoice.state === 'held') return { words: 'Held', tone: 'warn' };
  if (invoice.total.startsWith('-')) return { words: 'Credit note', tone: 'gray' };
  if (invoice.settled_on !== undefined) return { words: 'Paid', tone: 'good' };
  const days = Math.round((Date.parse(invoice.due_on) - Date.parse(today)) / 86_400_000);
  const count = (of: number): string => `${of} ${of === 1 ? 'day' : 'days'}`;
  if (days < 0) return { words: `${count(-days)} late`, tone: 'bad' };
  return { words: days === 0 ? 'Due today' : `Due in ${count(days)}`, tone: days < 7 ? 'warn' : 'accent' };
}

/** One invoice with its lines. */
export function InvoicePage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const lines = useRows('GET /v1/invoices/{id}', ({ lines: all }) => all, { params: { id } });
  return (
    <Loaded title="Invoice" query={lines}>
      {(invoice) => (
        <>
          <ObjectHead
            name={`Invoice ${invoice.number} of ${invoice.seller}`}
            title={
              <>
                Invoice <Name of={invoice.number} />
              </>
            }
            avatar={invoice.seller}
            acts={<InvoiceActs invoice={invoice} />}
            pill={<StatusBadge of={stateOf(invoice).words} tone={stateOf(invoice).tone} />}
            facts={[
              <SellerName key="seller" of={invoice.seller} size={18} isLink />,
              monthName(invoice.period),
              `issued ${dayText(invoice.issued_on)}`,
              <Go key="all" to="/invoices">
                All invoices
              </Go>,
            ]}
          />
          <Stats
            label="The amounts"
            of={[
              {
                label: 'Total',
                value: <Money amount={invoice.total} />,
                unit: invoice.currency,
                note: `${invoice.lines.length} ${invoice.lines.length === 1 ? 'line' : 'lines'}`,
              },
              {
                label: 'Paid',
                value: <Money amount={invoice.paid} />,
                unit: invoice.currency,
                note: invoice.settled_on === undefined ? 'so far' : `all, on ${dayText(invoice.settled_on)}`,
              },
              { label: 'Due on', value: dayText(invoice.due_on), note: stateOf(invoice).words.toLowerCase() },
            ]}
          />
          <Facts
            label="The invoice"
            of={{
              Total: <Money amount={invoice.total} currency={invoice.currency} />,
              Issued: <Time at={invoice.issued_on} dateOnly />,
              'Due on': <Time at={invoice.due_on} dateOnly />,
              Paid: <Money amount={invoice.paid} currency={invoice.currency} />,
              'Settled on': invoice.settled_on,
              'Why it is held': invoice.hold_reason,
              'Why it is void': invoice.void_reason,
              Differences: (
                <Go
                  to="/reconcile/all"
                  search={{ seller: invoice.seller, period: invoice.period, state: 'all' }}
                >
                  Those of {invoice.seller} in {invoice.period}
                </Go>
              ),
              Imported: <Time at={invoice.imported_at} />,
              File: <Name of={invoice.file} />,
              'SHA-256 of the file': <Id of={invoice.original_sha256} />,
              Attachments:
                invoice.attachments.length === 0
                  ? 'None'
                  : invoice.attachments.map(({ file_id: file, name, sha256, attached_at: at }) => (
                      <div key={file}>
                        <Name of={name} />, <Time at={at} />, SHA-256 <Id of={sha256} />
                      </div>
                    )),
              Id: <Id of={invoice.invoice_id} />,
            }}
          />
          <Approve invoice={invoice} />
          <Pay key={invoice.paid} invoice={invoice} />
          {invoice.kind === 'credit_note' && invoice.state !== 'voided' && <UseCredit invoice={invoice} />}
          <Attach id={invoice.invoice_id} />
          <DataTable
            label="Lines"
            pages={lines}
            columns={columns}
            empty={<EmptyState title="It has no lines">The seller billed nothing.</EmptyState>}
          />
          {invoice.kind === 'invoice' && <InvoicePayments invoice={invoice} />}
        </>
      )}
    </Loaded>
  );
}
