import { Button, CopyButton, SimpleGrid, Textarea } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../../api/client.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { clean } from '../../../parts/name.js';
import { saveBase64 } from '../../../parts/save-base64.js';
import { useMay } from '../../../parts/use-rows.js';
import { day, decimal, needed, text, useForm } from '../../../parts/forms/use-form.js';

export type ClientDocument = Answer<'GET /v1/billing/{id}'>;
type Reminder = Answer<'POST /v1/billing/{id}/remind'>;

const formats = { pdf: 'PDF', ubl: 'E-invoice (UBL)', xlsx: 'XLSX' } as const;

/** What can be done with a document as a whole: issue a draft or remove it, and its files. */
export function DocumentActs({
  document: { client_invoice_id: id, state, kind },
}: {
  readonly document: ClientDocument;
}) {
  const may = useMay();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const isDraft = state === 'draft';
  const save = async (format: keyof typeof formats): Promise<void> => {
    setError(undefined);
    try {
      const { file } = await api('GET /v1/billing/{id}/document', { params: { id }, query: { format } });
      if (file !== undefined) saveBase64(file.name, file.media_type, file.content);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      {isDraft && may('ledger.approve') && (
        <ConfirmButton
          label="Issue"
          done="It is issued under its number."
          act={() => api('POST /v1/billing/{id}/issue', { params: { id }, body: {} })}
        >
          It gets the next number of its company and today as its day of issue. Another person than who
          drafted it does that. Afterwards only a credit note corrects it.
        </ConfirmButton>
      )}
      {(Object.keys(formats) as (keyof typeof formats)[])
        .filter((format) => format !== 'ubl' || !isDraft)
        .map((format) => (
          <Button
            key={format}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} />}
            onClick={() => void save(format)}
          >
            {formats[format]}
          </Button>
        ))}
      {isDraft && may('ledger.write') && (
        <ConfirmButton
          label="Remove"
          variant="default"
          done="The draft is removed."
          act={async () => {
            await api('POST /v1/billing/{id}/withdraw', { params: { id } });
            await navigate({ to: '/billing' });
          }}
        >
          {kind === 'invoice'
            ? 'The next run drafts again what it would have billed.'
            : 'The invoice stays as it is.'}
        </ConfirmButton>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </>
  );
}

/** What the client has paid of it; of a credit note, what was paid out. */
export function TakePayment({
  document: { client_invoice_id: id, open, currency },
}: {
  readonly document: ClientDocument;
}) {
  const form = useForm(
    {
      date: needed(day('Paid on')),
      amount: decimal('Amount', `Empty: all of ${open} ${currency}`),
      reference: text('Reference', 'The same one is booked once', { maxLength: 100 }),
    },
    { date: new Date().toISOString().slice(0, 10) },
  );
  const pay = async (): Promise<void> => {
    await api('POST /v1/billing/{id}/pay', { params: { id }, body: form.filled() });
    form.clear();
  };
  return (
    <ActForm
      title="Enter a payment"
      label="Enter it"
      done="The payment is in the books."
      act={pay}
      isReady={form.isReady()}
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>{form.inputs()}</SimpleGrid>
    </ActForm>
  );
}

export function Credit({
  document: { client_invoice_id: id, net, currency },
}: {
  readonly document: ClientDocument;
}) {
  const navigate = useNavigate();
  const form = useForm({
    amount: decimal('Amount without tax', `Empty: all of ${net} ${currency}`),
    reason: needed(text('Reason', 'The document says it.', { maxLength: 500 })),
  });
  const credit = async (): Promise<void> => {
    const made = await api('POST /v1/billing/{id}/credit', { params: { id }, body: form.filled() });
    await navigate({ to: `/billing/${made.client_invoice_id}` });
  };
  return (
    <ActForm title="Credit it" label="Draft a credit note" act={credit} isReady={form.isReady()}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>{form.inputs()}</SimpleGrid>
    </ActForm>
  );
}

const steps = ['first', 'second', 'last'];

/** The next of three reminders, as text for a mail. */
export function Remind({
  document: { client_invoice_id: id, reminders },
}: {
  readonly document: ClientDocument;
}) {
  const [made, setMade] = useState<Reminder>();
  const remind = async (): Promise<void> => {
    setMade(await api('POST /v1/billing/{id}/remind', { params: { id } }));
  };
  return (
    <ActForm
      title="Remind the client"
      label={
        reminders < steps.length ? `Write the ${steps[reminders] ?? 'last'} reminder` : 'Three were written'
      }
      act={remind}
      isReady={reminders < steps.length}
    >
      {made === undefined ? (
        <p className="panel-small">It is counted, and you send its text by mail.</p>
      ) : (
        <div role="status">
          <Textarea
            label={clean(made.to === undefined ? made.subject : `To ${made.to}: ${made.subject}`, 300)}
            readOnly
            autosize
            maxRows={16}
            value={made.text}
          />
          <CopyButton value={`${made.subject}\n\n${made.text}`}>
            {({ copied, copy }) => (
              <Button size="xs" mt={6} variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </div>
      )}
    </ActForm>
  );
}
