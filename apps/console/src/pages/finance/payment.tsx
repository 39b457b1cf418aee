import { Button, Table } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { saveFile } from '../../parts/save-file.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { Amounts, RunState } from './payments.js';
import { TakePaymentBack } from './take-payment-back.js';

type Run = Answer<'GET /v1/payments/{id}'>;
type Order = Run['orders'][number];

const orderStates: Readonly<Record<Order['state'], readonly [words: string, tone: string]>> = {
  proposed: ['Proposed', 'accent'],
  exported: ['At the bank', 'good'],
  booked: ['Paid', 'good'],
  void: ['Came back', 'bad'],
  withdrawn: ['Withdrawn', 'gray'],
};

/** One proposal: its transfers with their invoices, what is not paid and why, and who approves. */
export function PaymentPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/payments/{id}', { params: { id } });
  return (
    <Loaded title="Payment" query={query}>
      {(run) => <Body run={run} />}
    </Loaded>
  );
}

function Body({ run }: { readonly run: Run }) {
  return (
    <>
      <ObjectHead
        name={`Payments ${run.number}`}
        pill={<RunState of={run.state} />}
        parents={[{ title: 'Payments', to: '/payments' }]}
        facts={[`pay on ${dayText(run.pay_on)}`, `due until ${dayText(run.due_until)}`]}
        acts={<Acts run={run} />}
      />
      <div className="columns">
        <div className="column">
          <Panel
            title="Transfers"
            about={`${run.orders.length} ${run.orders.length === 1 ? 'seller' : 'sellers'}`}
            isFlush
          >
            <ScrollTable label="Transfers">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Seller</Table.Th>
                  <Table.Th>Invoices</Table.Th>
                  <Table.Th className="number">Amount</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Act</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {run.orders.map((order) => (
                  <Table.Tr key={order.payment_id}>
                    <Table.Th scope="row">
                      <SellerName of={order.seller} />
                    </Table.Th>
                    <Table.Td>
                      {order.invoices.map(({ invoice_id: id, number, discount, credits }) => (
                        <div key={id}>
                          <Go to={`/invoices/${id}`}>{clean(number, 60)}</Go>
                          {discount !== undefined && <span className="quiet"> discount {discount}</span>}
                          {credits.length > 0 && <span className="quiet"> with a credit note</span>}
                        </div>
                      ))}
                    </Table.Td>
                    <Table.Td className="number">
                      <Money amount={order.amount} currency={order.currency} />
                    </Table.Td>
                    <Table.Td>
                      <StatusBadge of={orderStates[order.state][0]} tone={orderStates[order.state][1]} />
                      {order.booked_on !== undefined && (
                        <div className="quiet">{dayText(order.booked_on)}</div>
                      )}
                      {order.void_reason !== undefined && (
                        <div className="quiet">
                          <Name of={order.void_reason} most={120} />
                        </div>
                      )}
                    </Table.Td>
                    <Table.Td>
                      <OrderActs order={order} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </ScrollTable>
          </Panel>
          {run.held.length > 0 && (
            <Panel title="Not in it" about="due, and not paid by this proposal">
              <ul className="plain-list">
                {run.held.map(({ invoice_id: id, number, amount, currency, reason }) => (
                  <li key={`${id} ${reason}`}>
                    <Go to={`/invoices/${id}`}>{clean(number, 60)}</Go>{' '}
                    <Money amount={amount} currency={currency} />
                    <div className="quiet">
                      <Name of={reason} most={300} />
                    </div>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
        </div>
        <div className="column">
          <Panel title="The proposal">
            <FactList
              of={{
                Amount: <Amounts of={run.amounts} />,
                'Proposed by': run.proposed_by && <Name of={run.proposed_by} most={60} />,
                Proposed: <Time at={run.proposed_at} />,
                'Approved by': run.approved_by && <Name of={run.approved_by} most={60} />,
                Approved: run.approved_at && <Time at={run.approved_at} />,
                Exported: run.exported_at && <Time at={run.exported_at} />,
                'As file': run.format,
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

function Acts({ run: { payment_run_id: id, state, number } }: { readonly run: Run }) {
  const may = useMay();
  const refresh = useRefresh();
  const [error, setError] = useState<unknown>();
  const save = async (format: 'pain.001' | 'csv'): Promise<void> => {
    setError(undefined);
    try {
      const made = await api('POST /v1/payments/{id}/export', { params: { id }, body: { format } });
      saveFile(`payments-${number}.${format === 'csv' ? 'csv' : 'xml'}`, made.media_type, made.file);
      await refresh();
    } catch (failure) {
      setError(failure);
    }
  };
  const canExport = (state === 'approved' || state === 'exported') && may('ledger.write');
  return (
    <>
      {state === 'proposed' && may('ledger.approve') && (
        <ConfirmButton
          label="Approve"
          done="The payments are approved. Export them for the bank."
          act={() => api('POST /v1/payments/{id}/approve', { params: { id } })}
        >
          Another person than who proposed them approves them. Nothing is paid before the file is at the bank.
        </ConfirmButton>
      )}
      {canExport &&
        (['pain.001', 'csv'] as const).map((format) => (
          <Button
            key={format}
            size="xs"
            variant={format === 'csv' ? 'default' : 'filled'}
            leftSection={<IconDownload size={15} />}
            onClick={() => void save(format)}
          >
            {format === 'csv' ? 'CSV' : 'File for the bank'}
          </Button>
        ))}
      {(state === 'proposed' || state === 'approved') && may('ledger.write') && (
        <ConfirmButton
          label="Withdraw"
          variant="default"
          done="The proposal is withdrawn."
          act={() => api('POST /v1/payments/{id}/withdraw', { params: { id } })}
        >
          Nothing of it is paid. Its invoices can be proposed again.
        </ConfirmButton>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </>
  );
}

/** What the bank did with one transfer, where no statement says it. */
function OrderActs({ order: { payment_id: id, state } }: { readonly order: Order }) {
  if (!useMay()('ledger.write')) return '–';
  const today = new Date().toISOString().slice(0, 10);
  if (state === 'exported')
    return (
      <ConfirmButton
        label="It was paid today"
        size="compact-xs"
        variant="default"
        done="The payment is in the books."
        act={() => api('POST /v1/payments/{id}/record', { params: { id }, body: { date: today } })}
      >
        The bank booked it on {dayText(today)}. Read the bank statement instead if you have it.
      </ConfirmButton>
    );
  if (state === 'booked')
    return (
      <TakePaymentBack route="POST /v1/payments/{id}/void" id={id} label="It came back">
        The bank returned the money. The invoices are open again.
      </TakePaymentBack>
    );
  return '–';
}
