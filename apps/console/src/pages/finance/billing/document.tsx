import { Table } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { JsonObject } from '../../../api/client.js';
import { isObject, textAt } from '../../../api/task.js';
import { Go } from '../../../parts/go.js';
import { Id } from '../../../parts/id.js';
import { Loaded } from '../../../parts/loaded.js';
import { Money } from '../../../parts/money.js';
import { clean, Name } from '../../../parts/name.js';
import { ObjectHead } from '../../../parts/object-head.js';
import { FactList, Panel } from '../../../parts/panel.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { StatusBadge } from '../../../parts/status.js';
import { dayText, monthName, Time } from '../../../parts/time.js';
import { useAnswer, useMay } from '../../../parts/use-rows.js';
import { Credit, DocumentActs, Remind, TakePayment, type ClientDocument } from './document-acts.js';
import { TakePaymentBack } from '../take-payment-back.js';
import { ShareLinks } from './share-links.js';
import { documentName, DocumentState } from './words.js';

/** One document to a client: its lines, what the run has found, its payments, files and links. */
export function ClientDocumentPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/billing/{id}', { params: { id } });
  return (
    <Loaded title="Document to a client" query={query}>
      {(document) => <Body document={document} />}
    </Loaded>
  );
}

function Body({ document }: { readonly document: ClientDocument }) {
  const may = useMay();
  const isDraft = document.state === 'draft';
  const id = document.client_invoice_id;
  const text = useAnswer('GET /v1/billing/{id}/document', { params: { id }, query: {} });
  const mayWrite = may('ledger.write');
  const isOpen = document.state === 'issued' || document.state === 'part_paid';
  return (
    <>
      <ObjectHead
        name={documentName(document)}
        pill={<DocumentState of={document} />}
        facts={[
          clean(document.client, 60),
          monthName(document.period),
          document.due_on !== undefined && `due ${dayText(document.due_on)}`,
        ]}
        acts={<DocumentActs document={document} />}
      />
      <div className="columns">
        <div className="column">
          <Lines document={document} />
          {document.checks.length > 0 && (
            <Panel title="What the run found" about="look at it before the document is issued">
              <ul className="plain-list">
                {document.checks.map(({ text: words, amount, currency }, at) => (
                  <li key={at}>
                    <Name of={words} most={400} /> <Money amount={amount} currency={currency} />
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          {document.payments.length > 0 && <Payments document={document} />}
          {mayWrite && isOpen && <TakePayment document={document} />}
          {mayWrite && !isDraft && document.kind === 'invoice' && <Credit document={document} />}
        </div>
        <div className="column">
          <Panel title="The document">
            <FactList
              of={{
                'Billed by': <Party of={document.biller} />,
                'Billed to': <Party of={document.billed} />,
                Days: `${dayText(document.service_from)} to ${dayText(document.service_to)}`,
                Issued: document.issued_on && dayText(document.issued_on),
                'Issued by': document.issued_by && <Name of={document.issued_by} most={60} />,
                'Drafted by': document.made_by && <Name of={document.made_by} most={60} />,
                Drafted: <Time at={document.made_at} />,
                Credits: document.refers_to,
                Reason: document.reason && <Name of={document.reason} most={300} />,
                Reminders: document.reminders > 0 && document.reminders,
                'Last reminder': document.reminded_on && dayText(document.reminded_on),
                'Its text, SHA-256': text.data && <Id of={text.data.digest} />,
              }}
            />
          </Panel>
          {mayWrite && isOpen && document.kind === 'invoice' && <Remind document={document} />}
          {!isDraft && <ShareLinks of={{ client_invoice_id: id }} digest={text.data?.digest} />}
        </div>
      </div>
    </>
  );
}

function Party({ of: party }: { readonly of: JsonObject }) {
  const address = isObject(party['address']) ? party['address'] : {};
  const text = (member: string): string => textAt(address[member]);
  const at = [text('street'), `${text('post_code')} ${text('city')}`.trim(), text('country')];
  return (
    <>
      <Name of={textAt(party['name'])} most={100} />
      <div className="quiet">{clean(at.filter(Boolean).join(', '), 200)}</div>
    </>
  );
}

const lineTypes = { media: 'Media', markup: 'Markup', fee: 'Fee' } as const;

function Lines({ document: { lines, currency, net, tax, gross } }: { readonly document: ClientDocument }) {
  const sums = [
    ['Without tax', net],
    ['Tax', tax],
    ['To pay', gross],
  ] as const;
  return (
    <Panel title="Lines" about="without tax" isFlush>
      <ScrollTable label="Lines of the document" className="stacks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th className="number">Tax</Table.Th>
            <Table.Th className="number">Amount</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line, at) => (
            <Table.Tr key={at}>
              <Table.Th scope="row">
                {line.campaign_id === undefined ? (
                  <Name of={line.description} most={200} />
                ) : (
                  <Go to={`/campaigns/${line.campaign_id}`}>{clean(line.description, 200)}</Go>
                )}
              </Table.Th>
              <Table.Td data-title="Kind">{lineTypes[line.type]}</Table.Td>
              <Table.Td className="number" data-title="Tax">
                {line.tax_percent}%
              </Table.Td>
              <Table.Td className="number" data-title="Amount">
                <Money amount={line.net} currency={currency} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          {sums.map(([name, amount]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" colSpan={3}>
                {name}
              </Table.Th>
              <Table.Td className="number">
                <b>
                  <Money amount={amount} currency={currency} />
                </b>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tfoot>
      </ScrollTable>
    </Panel>
  );
}

function Payments({ document: { payments, currency } }: { readonly document: ClientDocument }) {
  return (
    <Panel title="Payments" isFlush>
      <ScrollTable label="Payments of the client">
        <Table.Tbody>
          {payments.map((payment) => (
            <Table.Tr key={payment.payment_id}>
              <Table.Th scope="row">{dayText(payment.paid_on)}</Table.Th>
              <Table.Td>
                <Name of={payment.reference} most={100} />
              </Table.Td>
              <Table.Td className="number">
                <Money amount={payment.amount} currency={currency} />
              </Table.Td>
              <Table.Td>
                {payment.voided_at === undefined ? (
                  <TakePaymentBack route="POST /v1/billing/payments/{id}/void" id={payment.payment_id}>
                    The money came back, or the payment was entered wrongly. The document is open again.
                  </TakePaymentBack>
                ) : (
                  <StatusBadge of="Taken back" tone="bad" />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}
