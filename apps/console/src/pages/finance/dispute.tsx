import { Button, CopyButton } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { HistoryList } from '../../parts/history-list.js';
import { Loaded } from '../../parts/loaded.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { saveFile } from '../../parts/save-file.js';
import { SellerName } from '../../parts/seller-name.js';
import { dayText, monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { Reach, useContacts } from '../admin/seller-contacts.js';
import { DisputeState, outcomes } from './disputes.js';
import { choice, decimal, lines, needed, text, useForm } from '../../parts/forms/use-form.js';

type Shown = Answer<'GET /v1/disputes/{id}'>;

/** One dispute: the letter, when the answer is due, what was said, and what came of it. */
export function DisputePage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/disputes/{id}', { params: { id } });
  return (
    <Loaded title="Dispute" query={query}>
      {(dispute) => <Body of={dispute} />}
    </Loaded>
  );
}

function Body({ of: dispute }: { readonly of: Shown }) {
  const { number, seller: slug, invoice, invoice_id: invoiceId, currency, period, state } = dispute;
  const may = useMay();
  return (
    <>
      <ObjectHead
        name={`Dispute ${number}`}
        pill={<DisputeState of={dispute} />}
        avatar={slug}
        parents={[{ title: 'Disputes', to: '/disputes' }]}
        facts={[
          <SellerName key="seller" of={slug} size={18} isLink />,
          monthName(period),
          `opened ${dayText(dispute.opened_at)}`,
        ]}
        acts={state === 'closed' && may('ledger.write') && <Reopen id={dispute.dispute_id} />}
      />
      <div className="columns">
        <div className="column">
          <Letter id={dispute.dispute_id} number={number} seller={slug} />
          <Panel title="What was said" about="newest first">
            {dispute.answers.length === 0 && <p className="panel-small">The seller has not answered yet.</p>}
            <HistoryList
              of={dispute.answers.map(({ at, by, from, text }) => ({
                at,
                kind: from,
                tone: from === 'seller' ? 'accent' : undefined,
                title: from === 'seller' ? 'The seller' : <Name of={by} most={60} />,
                text: <Name of={text} most={2_000} />,
              }))}
            />
          </Panel>
          {state === 'open' && may('ledger.write') && <AnswerIt id={dispute.dispute_id} />}
        </div>
        <div className="column">
          <Panel title="The dispute">
            <FactList
              of={{
                Amount: <Money amount={dispute.amount} currency={currency} />,
                'Not paid': <Money amount={dispute.held} currency={currency} />,
                Credited: dispute.credited && <Money amount={dispute.credited} currency={currency} />,
                'Answer due': dayText(dispute.due_on),
                Invoice: (
                  <Go to={`/invoices/${invoiceId}`}>
                    <Name of={invoice} />
                  </Go>
                ),
                Difference: dispute.break_id && <Go to={`/reconcile/${dispute.break_id}`}>Open it</Go>,
                Lines: dispute.lines.length > 0 && dispute.lines.join(', '),
                Reason: <Name of={dispute.reason} most={500} />,
                'Opened by': dispute.opened_by && <Name of={dispute.opened_by} most={60} />,
                Outcome: dispute.outcome && outcomes[dispute.outcome],
                Closed: dispute.closed_at && <Time at={dispute.closed_at} />,
                Note: dispute.closing_note && <Name of={dispute.closing_note} most={500} />,
              }}
            />
          </Panel>
          {state === 'open' && may('ledger.write') && <Close dispute={dispute} />}
        </div>
      </div>
    </>
  );
}

/** The letter to the seller: to copy into a mail, or as PDF. */
function Letter({
  id,
  number,
  seller,
}: {
  readonly id: string;
  readonly number: string;
  readonly seller: string;
}) {
  const billing = useContacts(seller, 'billing').data?.contacts ?? [];
  const letter = useAnswer('GET /v1/disputes/{id}/letter', { params: { id }, query: {} });
  const [isBusy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      const { file } = await api('GET /v1/disputes/{id}/letter', {
        params: { id },
        query: { format: 'pdf' },
      });
      if (file === undefined) return;
      const bytes = Uint8Array.from(atob(file.content), (character) => character.charCodeAt(0));
      saveFile(`dispute-${number}.pdf`, file.media_type, bytes);
    } finally {
      setBusy(false);
    }
  };
  if (letter.data === undefined) return undefined;
  const { subject, text } = letter.data;
  return (
    <Panel
      title="Letter to the seller"
      acts={
        <>
          <CopyButton value={`${subject}\n\n${text}`}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" leftSection={<IconCopy size={15} />} onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            leftSection={<IconDownload size={15} />}
            onClick={() => void download()}
          >
            PDF
          </Button>
        </>
      }
    >
      <b>
        <Name of={subject} most={200} />
      </b>
      <p className="panel-small" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        <Name of={text} most={5_000} />
      </p>
      {billing.length > 0 && (
        <FactList
          of={{ 'Send it to': billing.map((contact) => <Reach key={contact.contact_id} of={contact} />) }}
        />
      )}
    </Panel>
  );
}

const answered = {
  from: choice('Who said it', { seller: 'The seller', us: 'We' }),
  text: needed(lines('Words', 2_000)),
};

function AnswerIt({ id }: { readonly id: string }) {
  const form = useForm(answered);
  const answer = async (): Promise<void> => {
    await api('POST /v1/disputes/{id}/answer', { params: { id }, body: form.filled() });
    form.clear();
  };
  return (
    <ActForm title="Add what was said" label="Add" act={answer} isReady={form.isReady()}>
      {form.inputs()}
    </ActForm>
  );
}

function Close({ dispute: { dispute_id: id, amount, currency } }: { readonly dispute: Shown }) {
  const form = useForm({
    outcome: choice('Outcome', outcomes),
    amount: decimal('Credited', `In ${currency}; ${amount} is disputed`),
    credit_id: text('Id of the credit note', 'Leave empty if none came yet'),
    reason: needed(text('Reason', 'It is kept in the audit record.', { maxLength: 500 })),
  });
  const { outcome, reason, ...credit } = form.filled();
  const isCredited = outcome === 'credited' || outcome === 'partly';
  const close = (): Promise<unknown> =>
    api('POST /v1/disputes/{id}/close', {
      params: { id },
      body: { outcome, reason, ...(isCredited && credit) },
    });
  return (
    <ActForm
      title="Close the dispute"
      label="Close"
      done="The dispute is closed. The invoice can be paid again."
      act={close}
      isReady={form.isReady()}
    >
      {form.inputs(['outcome'])}
      {isCredited && form.inputs(['amount', 'credit_id'])}
      {form.inputs(['reason'])}
    </ActForm>
  );
}

function Reopen({ id }: { readonly id: string }) {
  return (
    <ConfirmButton
      label="Open it again"
      variant="default"
      reason="required"
      done="The dispute is open again."
      act={(reason) => api('POST /v1/disputes/{id}/reopen', { params: { id }, body: { reason } })}
    >
      The disputed amount is held again, and is not paid.
    </ConfirmButton>
  );
}
