import { Code, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer, type Sent } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { BuyLink } from '../agency/buy-link.js';

type Break = Answer<'GET /v1/breaks/{id}'>;
type As = NonNullable<Sent<'POST /v1/breaks/{id}/resolve'>['body']>['as'];

const ways: readonly { readonly value: As; readonly label: string }[] = [
  { value: 'credit', label: 'Credit: the seller gives money back' },
  { value: 'dispute', label: 'Dispute: a case with the seller is opened' },
  { value: 'accept', label: 'Accept: the invoice is right' },
  { value: 'write-off', label: 'Write off: too small to follow' },
  { value: 'corrected', label: 'Corrected: a figure was mended' },
  { value: 'expected', label: 'Expected: the seller bills it later, and it stays accrued' },
];

const means = {
  open: 'The amounts differ by more than the tolerance, and nobody has decided what becomes of it.',
  disputed: 'A case with the seller is open. Its amount is held and is not paid.',
  resolved: 'Somebody decided what becomes of it; the ledger has the decision.',
  gone: 'A later comparison found that the amounts agree now.',
} as const;

/** One difference: its figures side by side, its known cause, and its resolution. */
export function BreakPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/breaks/{id}', { params: { id } });
  return (
    <Loaded title="Difference" query={query}>
      {(invoiceBreak) => <Shown invoiceBreak={invoiceBreak} />}
    </Loaded>
  );
}

function Shown({ invoiceBreak }: { readonly invoiceBreak: Break }) {
  const isAllowed = useMay()('ledger.write');
  return (
    <>
      <PageHead
        title={
          <>
            Difference of <Money amount={invoiceBreak.difference} currency={invoiceBreak.currency} />
          </>
        }
        name={`Difference at ${invoiceBreak.seller}, ${invoiceBreak.period}`}
      >
        {invoiceBreak.kind.replaceAll('_', ' ')} at <Name of={invoiceBreak.seller} /> in {invoiceBreak.period}
        .{' '}
        <Go to="/reconcile" search={{ period: invoiceBreak.period }}>
          All differences of the month
        </Go>
        <Next after={invoiceBreak} />
      </PageHead>
      <Known invoiceBreak={invoiceBreak} />
      <Title order={2} size="h4" mb="xs">
        Comments
      </Title>
      {invoiceBreak.comments.length === 0 && (
        <Text c="dimmed" mb="sm">
          Nobody has written anything yet.
        </Text>
      )}
      <Stack gap="xs" mb="md">
        {invoiceBreak.comments.map((comment) => (
          <div key={`${comment.at} ${comment.by}`}>
            <Text size="sm" c="dimmed">
              <Name of={comment.by} /> at <Time at={comment.at} />
            </Text>
            <Text className="name">{clean(comment.text, 5_000)}</Text>
          </div>
        ))}
      </Stack>
      {isAllowed && invoiceBreak.state === 'open' && (
        <Acts id={invoiceBreak.break_id} owner={invoiceBreak.owner ?? ''} />
      )}
    </>
  );
}

/** The next open difference of the same month, to go on with. */
function Next({ after: { break_id: id, period } }: { readonly after: Break }) {
  const query = { state: 'open', period, limit: '100' } as const;
  const open = useAnswer('GET /v1/breaks', { query }).data?.breaks ?? [];
  const here = open.findIndex((invoiceBreak) => invoiceBreak.break_id === id);
  const next = open.slice(here + 1)[0] ?? open[0];
  if (next === undefined || next.break_id === id) return undefined;
  return (
    <>
      {' · '}
      <Go to={`/reconcile/${next.break_id}`}>Next open one</Go>
    </>
  );
}

function Known({ invoiceBreak }: { readonly invoiceBreak: Break }) {
  return (
    <Facts
      label="The difference"
      of={{
        State: (
          <Status
            of={invoiceBreak.state}
            explain={{
              why: means[invoiceBreak.state],
              since: invoiceBreak.resolved_at,
              evidence: clean(invoiceBreak.cause, 1_000),
              next:
                invoiceBreak.state === 'open'
                  ? 'Find the cause with the seller, and resolve it below. A month with open differences is not closed.'
                  : 'Nothing: the checklist of the month counts it no more.',
              cli: `npx switchyard breaks show ${invoiceBreak.break_id}`,
            }}
          />
        ),
        Cause: clean(invoiceBreak.cause, 1_000),
        Ordered: invoiceBreak.ordered && (
          <Money amount={invoiceBreak.ordered} currency={invoiceBreak.currency} />
        ),
        'Reported by the seller': invoiceBreak.reported && (
          <Money amount={invoiceBreak.reported} currency={invoiceBreak.currency} />
        ),
        'Polled from the seller': invoiceBreak.polled && (
          <Money amount={invoiceBreak.polled} currency={invoiceBreak.currency} />
        ),
        'Counted by a third party': invoiceBreak.third_party && (
          <>
            <Money amount={invoiceBreak.third_party} currency={invoiceBreak.currency} />,{' '}
            <Name of={invoiceBreak.third_party_source} />
          </>
        ),
        Invoiced: invoiceBreak.invoiced && (
          <Money amount={invoiceBreak.invoiced} currency={invoiceBreak.currency} />
        ),
        Client: invoiceBreak.client && <Name of={invoiceBreak.client} />,
        Brand: invoiceBreak.brand && <Name of={invoiceBreak.brand} />,
        Campaign: invoiceBreak.campaign && <Name of={invoiceBreak.campaign} />,
        Buy: invoiceBreak.buy && (
          <Group gap="xs">
            <BuyLink id={invoiceBreak.buy} />
            <Go to={`/reports/entries/${encodeURIComponent(invoiceBreak.buy)}`}>its ledger entries</Go>
            <Go to="/webhooks" search={{ media_buy_id: invoiceBreak.buy, seller: invoiceBreak.seller }}>
              what the seller sent
            </Go>
          </Group>
        ),
        Package: invoiceBreak.package && <Id of={invoiceBreak.package} />,
        Owner: invoiceBreak.owner && <Name of={invoiceBreak.owner} />,
        Resolution: invoiceBreak.resolution,
        Reason: invoiceBreak.reason && clean(invoiceBreak.reason, 1_000),
        'Resolved by': invoiceBreak.resolved_by && <Name of={invoiceBreak.resolved_by} />,
        'Ledger entry': invoiceBreak.entry_id && <Id of={invoiceBreak.entry_id} />,
        Evidence: invoiceBreak.evidence.length > 0 && <Evidence invoiceBreak={invoiceBreak} />,
      }}
    />
  );
}

/** The evidence of a difference: its invoices by number, and its reports beside their entries. */
function Evidence({ invoiceBreak }: { readonly invoiceBreak: Break }) {
  const query = { seller: invoiceBreak.seller, period: invoiceBreak.period, limit: '100' };
  const invoices = useAnswer('GET /v1/invoices', { query }).data?.invoices ?? [];
  const used = invoices.filter(({ invoice_id: id }) => invoiceBreak.evidence.includes(id));
  const others = invoiceBreak.evidence.filter((id) => !used.some(({ invoice_id: known }) => known === id));
  return (
    <Stack gap="xs" align="flex-start">
      {used.map(({ invoice_id: id, number }) => (
        <Go key={id} to={`/invoices/${id}`}>
          Invoice <Name of={number} />
        </Go>
      ))}
      {others.length > 0 && invoiceBreak.buy !== null && (
        <Go to={`/reports/entries/${encodeURIComponent(invoiceBreak.buy)}`}>
          Its ledger entries, each with its report
        </Go>
      )}
      {others.length > 0 && (
        <details>
          <summary>Ids of {others.length} records</summary>
          {others.map((id) => (
            <div key={id}>
              <Code>{clean(id)}</Code>
            </div>
          ))}
        </details>
      )}
    </Stack>
  );
}

function Acts({ id, owner: first }: { readonly id: string; readonly owner: string }) {
  const [as, setAs] = useState<As | ''>('');
  const [reason, setReason] = useState('');
  const own = useMe().data?.name ?? '';
  const [owner, setOwner] = useState(first === '' ? own : first);
  const [comment, setComment] = useState('');
  const params = { id };
  return (
    <Stack maw={720}>
      <ActForm
        title="Resolve"
        label="Resolve the difference"
        done="The difference is resolved."
        isReady={as !== ''}
        act={async () => {
          if (as === '') return;
          await api('POST /v1/breaks/{id}/resolve', {
            params,
            body: { as, ...(reason.trim() !== '' && { reason: reason.trim() }) },
          });
        }}
      >
        <NativeSelect
          label="Decision"
          data={[{ value: '', label: 'Choose' }, ...ways]}
          value={as}
          onChange={({ currentTarget }) => setAs(currentTarget.value as As | '')}
        />
        <TextInput
          label="Reason"
          description="Optional. Stored in the ledger, for example the number of a credit note."
          maxLength={500}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </ActForm>
      <ActForm
        title="Assign"
        label="Assign"
        done="The difference has an owner."
        isReady={owner.trim() !== ''}
        act={() => api('POST /v1/breaks/{id}/assign', { params, body: { owner: owner.trim() } })}
      >
        <TextInput
          label="Owner"
          description="Name of a person who follows it."
          value={owner}
          onChange={({ currentTarget }) => setOwner(currentTarget.value)}
        />
      </ActForm>
      <ActForm
        title="Comment"
        label="Add the comment"
        done="The comment is kept."
        isReady={comment.trim() !== ''}
        act={async () => {
          await api('POST /v1/breaks/{id}/comment', { params, body: { text: comment.trim() } });
          setComment('');
        }}
      >
        <Textarea
          label="Text"
          autosize
          minRows={2}
          maxLength={4_000}
          value={comment}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
      </ActForm>
    </Stack>
  );
}
