import { FileInput, NativeSelect, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import type { Schemas } from '../../generated/routes.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay, useRefresh, useRows } from '../../parts/use-rows.js';
import { day, needed, seller, useForm } from '../../parts/forms/use-form.js';

type Run = Schemas['payment_run'];
type Imported = Answer<'POST /v1/payments/import'>;
type Entry = Answer<'GET /v1/payments/entries'>['entries'][number];
type BankAccount = Answer<'GET /v1/bank-accounts'>['bank_accounts'][number];

const states: Readonly<Record<Run['state'], readonly [words: string, tone: string]>> = {
  proposed: ['Waits for a second person', 'accent'],
  approved: ['Approved', 'good'],
  exported: ['At the bank', 'good'],
  withdrawn: ['Withdrawn', 'gray'],
};

export function RunState({ of: state }: { readonly of: Run['state'] }) {
  const [words, tone] = states[state];
  return <StatusBadge of={words} tone={tone} />;
}

/** The sum of each currency; they are never added. */
export function Amounts({ of: amounts }: { readonly of: Run['amounts'] }) {
  return Object.entries(amounts).map(([currency, amount]) => (
    <div key={currency}>
      <Money amount={amount} currency={currency} />
    </div>
  ));
}

const columns: readonly Column<Run>[] = [
  {
    title: 'Proposal',
    cell: ({ payment_run_id: id, number }) => (
      <Go to={`/payments/${id}`}>
        <Name of={number} />
      </Go>
    ),
  },
  { title: 'State', cell: ({ state }) => <RunState of={state} /> },
  { title: 'Transfers', isNumber: true, cell: ({ transfers }) => transfers },
  { title: 'Amount', isNumber: true, cell: ({ amounts }) => <Amounts of={amounts} /> },
  { title: 'Pay on', cell: ({ pay_on: day }) => dayText(day) },
  {
    title: 'Proposed',
    cell: ({ proposed_by: by, proposed_at: at }) => (
      <>
        <Name of={by} most={60} /> <Time at={at} ago />
      </>
    ),
  },
];

const bankColumns: readonly Column<BankAccount>[] = [
  {
    title: 'Account',
    cell: ({ name, iban }) => (
      <>
        <b>
          <Name of={name} most={80} />
        </b>
        <div className="quiet">{clean(iban, 40)}</div>
      </>
    ),
  },
  {
    title: 'Of',
    cell: ({ seller: slug }) => (slug === undefined ? 'our organization' : <SellerName of={slug} />),
  },
  { title: 'Currency', cell: ({ currency }) => currency ?? 'any' },
  { title: 'BIC', cell: ({ bic }) => bic ?? '–' },
  { title: 'Usable from', cell: ({ usable_from: at }) => <Time at={at} /> },
];

/** What is to be paid to sellers: proposals, the accounts they go to, and what the bank booked. */
export function PaymentsPage() {
  const may = useMay();
  const runs = usePages('GET /v1/payments', 'payments', {});
  const accounts = useRows('GET /v1/bank-accounts', (answer) => answer.bank_accounts);
  return (
    <>
      <PageHead title="Payments">
        Approved invoices become a proposal, another person approves it, and the bank gets one file.
      </PageHead>
      <div className="column">
        <Panel title="Proposals" isFlush>
          <DataTable
            label="Proposals of payments"
            pages={runs}
            columns={columns}
            empty={
              <EmptyState title="Nothing was proposed yet">
                A proposal takes the approved invoices that are due.
              </EmptyState>
            }
          />
        </Panel>
        {may('ledger.write') && (
          <div className="two-columns">
            <Propose />
            <BankImport />
          </div>
        )}
        <BankEntries />
        <Panel
          title="Bank accounts"
          about="a new one is agreed by two people, and usable after 24 hours"
          isFlush
        >
          <DataTable
            label="Bank accounts"
            pages={accounts}
            columns={bankColumns}
            empty={
              <EmptyState title="No bank account is here">
                Add ours and those of the sellers that are paid.
              </EmptyState>
            }
          />
        </Panel>
        {may('ledger.write') && <AddBankAccount />}
      </div>
    </>
  );
}

/** An open transaction is set aside where it is no payment; one that was set aside is brought back. */
function MoveEntry({ entry: { entry_id: id, reason: aside } }: { readonly entry: Entry }) {
  const refresh = useRefresh();
  if (!useMay()('ledger.write')) return undefined;
  const bringBack = async (): Promise<void> => {
    await api('POST /v1/payments/entries/{id}/bring-back', { params: { id } });
    await refresh();
  };
  const setAside = async (reason: string): Promise<void> => {
    await api('POST /v1/payments/entries/{id}/set-aside', { params: { id }, body: { reason } });
    await refresh();
  };
  const small = { size: 'compact-xs', variant: 'default' } as const;
  return aside === undefined ? (
    <ConfirmButton
      {...small}
      label="Set aside"
      reason="required"
      done="It is set aside."
      act={setAside}
      undo={bringBack}
    >
      It is no payment, such as a fee of the bank.
    </ConfirmButton>
  ) : (
    <ConfirmButton {...small} label="Bring back" done="It is among the open ones again." act={bringBack}>
      It is listed again as a transaction that belongs to nothing.
    </ConfirmButton>
  );
}

const entryColumns: readonly Column<Entry>[] = [
  { title: 'Booked', cell: ({ booked_on: day }) => dayText(day) },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: 'Text',
    cell: ({ text, reason }) => (
      <>
        <Name of={text} most={120} />
        {reason !== undefined && <div className="quiet">{clean(reason, 120)}</div>}
      </>
    ),
  },
  { title: 'Act', cell: (entry) => <MoveEntry entry={entry} /> },
];

/** Transactions of the bank that belong to no payment we know, or that were set aside. */
function BankEntries() {
  const [state, setState] = useState<'open' | 'aside'>('open');
  const entries = useRows('GET /v1/payments/entries', (answer) => answer.entries, { query: { state } });
  return (
    <Panel
      title="Transactions without a payment"
      about="of the bank statements that were read"
      acts={
        <NativeSelect
          aria-label="Which transactions"
          size="xs"
          data={[
            { value: 'open', label: 'Open' },
            { value: 'aside', label: 'Set aside' },
          ]}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value === 'aside' ? 'aside' : 'open')}
        />
      }
      isFlush
    >
      <DataTable
        label="Transactions of the bank without a payment"
        pages={entries}
        columns={entryColumns}
        empty={
          state === 'open' ? (
            <EmptyState title="Every transaction belongs to a payment">
              What a bank statement has beyond them stands here.
            </EmptyState>
          ) : (
            <EmptyState title="Nothing is set aside">A fee of the bank can be set aside.</EmptyState>
          )
        }
      />
    </Panel>
  );
}

const proposed = {
  due_until: needed(day('Due until')),
  pay_on: day('Pay on'),
  seller: seller({ none: 'All sellers' }),
};

function Propose() {
  const form = useForm(proposed, { due_until: new Date().toISOString().slice(0, 10) });
  const navigate = useNavigate();
  const propose = async (): Promise<void> => {
    const made = await api('POST /v1/payments', { body: form.filled() });
    await navigate({ to: `/payments/${made.payment_run_id}` });
  };
  return (
    <ActForm title="Propose payments" label="Propose" act={propose} isReady={form.isReady()}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>{form.inputs(['due_until', 'pay_on'])}</SimpleGrid>
      {form.inputs(['seller'])}
    </ActForm>
  );
}

const entryStates: Readonly<Record<Imported['entries'][number]['state'], readonly [string, string]>> = {
  booked: ['Booked', 'good'],
  returned: ['Came back', 'bad'],
  open: ['Belongs to nothing yet', 'warn'],
  known: ['Was here before', 'gray'],
};

/** Reads a statement of the bank; what belongs to a payment is booked, the rest stays open. */
function BankImport() {
  const [file, setFile] = useState<File | null>(null);
  const [imported, setImported] = useState<Imported>();
  const send = async (): Promise<void> => {
    if (file === null) return;
    setImported(
      await api('POST /v1/payments/import', { body: { file: { name: file.name, text: await file.text() } } }),
    );
    setFile(null);
  };
  return (
    <ActForm title="Read a bank statement" label="Read" act={send} isReady={file !== null}>
      <FileInput
        label="Statement"
        description="camt.053 or MT940, as your bank gives it"
        placeholder="Choose a file"
        value={file}
        onChange={setFile}
      />
      {imported !== undefined && (
        <>
          <Text size="sm" role="status">
            {imported.entries.length} {imported.entries.length === 1 ? 'entry' : 'entries'} of{' '}
            {imported.format}
            {imported.pending > 0 && `; ${imported.pending} are not final and were left out`}
          </Text>
          <ScrollTable label="Entries of the bank statement">
            <Table.Tbody>
              {imported.entries.map((entry, at) => (
                <Table.Tr key={at}>
                  <Table.Th scope="row">{dayText(entry.booked_on)}</Table.Th>
                  <Table.Td className="number">
                    <Money amount={entry.amount} currency={entry.currency} />
                  </Table.Td>
                  <Table.Td>
                    <Name of={entry.text} most={120} />
                    {(entry.proposals ?? []).map(({ invoice_id: id, number }) => (
                      <div key={id}>
                        maybe <Go to={`/invoices/${id}`}>{clean(number, 60)}</Go>
                      </div>
                    ))}
                  </Table.Td>
                  <Table.Td>
                    <StatusBadge of={entryStates[entry.state][0]} tone={entryStates[entry.state][1]} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </ScrollTable>
        </>
      )}
    </ActForm>
  );
}

const nothingTyped = { name: '', iban: '', bic: '', currency: '' };

function AddBankAccount() {
  const [slug, setSlug] = useState('');
  const [typed, setTyped] = useState(nothingTyped);
  const set = (member: keyof typeof nothingTyped) => ({
    value: typed[member],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      setTyped((old) => ({ ...old, [member]: value })),
  });
  const add = async (): Promise<void> => {
    await api('POST /v1/bank-accounts', {
      body: {
        name: typed.name.trim(),
        iban: typed.iban.replaceAll(/\s/g, ''),
        ...(slug === '' ? { currency: typed.currency.trim().toUpperCase() } : { seller: slug }),
        ...(typed.bic.trim() !== '' && { bic: typed.bic.trim() }),
      },
    });
    setTyped(nothingTyped);
  };
  return (
    <ActForm
      title="Add or change a bank account"
      label="Ask for it"
      done="The account is entered."
      act={add}
      isReady={
        typed.name.trim() !== '' &&
        typed.iban.trim() !== '' &&
        (slug !== '' || /^[a-z]{3}$/i.test(typed.currency.trim()))
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 5 }}>
        <SellerSelect label="Whose" none="Our organization" value={slug} onChange={setSlug} />
        <TextInput label="Account holder" required maxLength={140} {...set('name')} />
        <TextInput label="IBAN" required maxLength={60} {...set('iban')} />
        <TextInput label="BIC" maxLength={11} {...set('bic')} />
        {slug === '' && <TextInput label="Currency" required maxLength={3} {...set('currency')} />}
      </SimpleGrid>
    </ActForm>
  );
}
