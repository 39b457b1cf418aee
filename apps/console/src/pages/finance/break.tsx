import { Code, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer, type Sent } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ActForm } from '../../parts/act-form.js';
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
  { value: 'dispute', label: 'Dispute: the seller was told and has to answer' },
  { value: 'accept', label: 'Accept: the invoice is right' },
  { value: 'write-off', label: 'Write off: too small to follow' },
  { value: 'corrected', label: 'Corrected: a figure was mended' },
];

const means = {
  open: 'The amounts differ by more than the tolerance, and nobody has decided what becomes of it.',
  resolved: 'Somebody decided what becomes of it; the ledger has the decision.',
  gone: 'A later comparison found that the amounts agree now.',
} as const;

/** One difference: its figures side by side, its known cause, and its resolution. */
export function BreakPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/breaks/{id}', { params: { id } });
  return (
    <Loaded title="Difference" query={query}>
      {(one) => <Shown one={one} />}
    </Loaded>
  );
}

function Shown({ one }: { readonly one: Break }) {
  const isAllowed = useMay()('ledger.write');
  return (
    <>
      <PageHead
        title={
          <>
            Difference of <Money amount={one.difference} currency={one.currency} />
          </>
        }
        name={`Difference at ${one.seller}, ${one.period}`}
      >
        {one.kind.replaceAll('_', ' ')} at <Name of={one.seller} /> in {one.period}.{' '}
        <Go to="/reconcile" search={{ period: one.period }}>
          All differences of the month
        </Go>
        <Next after={one} />
      </PageHead>
      <Known one={one} />
      <Title order={2} size="h4" mb="xs">
        Comments
      </Title>
      {one.comments.length === 0 && (
        <Text c="dimmed" mb="sm">
          Nobody has written anything yet.
        </Text>
      )}
      <Stack gap="xs" mb="md">
        {one.comments.map((comment) => (
          <div key={`${comment.at} ${comment.by}`}>
            <Text size="sm" c="dimmed">
              <Name of={comment.by} /> at <Time at={comment.at} />
            </Text>
            <Text className="name">{clean(comment.text, 5_000)}</Text>
          </div>
        ))}
      </Stack>
      {isAllowed && one.state === 'open' && <Acts id={one.break_id} owner={one.owner ?? ''} />}
    </>
  );
}

/** The next open difference of the same month, to go on with. */
function Next({ after: { break_id: id, period } }: { readonly after: Break }) {
  const query = { state: 'open', period, limit: '100' } as const;
  const open = useAnswer('GET /v1/breaks', { query }).data?.breaks ?? [];
  const here = open.findIndex((one) => one.break_id === id);
  const next = open.slice(here + 1)[0] ?? open[0];
  if (next === undefined || next.break_id === id) return undefined;
  return (
    <>
      {' · '}
      <Go to={`/reconcile/${next.break_id}`}>Next open one</Go>
    </>
  );
}

function Known({ one }: { readonly one: Break }) {
  return (
    <Facts
      label="The difference"
      of={{
        State: (
          <Status
            of={one.state}
            explain={{
              why: means[one.state],
              since: one.resolved_at,
              evidence: clean(one.cause, 1_000),
              next:
                one.state === 'open'
                  ? 'Find the cause with the seller, and resolve it below. A month with open differences is not closed.'
                  : 'Nothing: the checklist of the month counts it no more.',
              cli: `npx switchyard breaks show ${one.break_id}`,
            }}
          />
        ),
        Cause: clean(one.cause, 1_000),
        Ordered: one.ordered && <Money amount={one.ordered} currency={one.currency} />,
        'Reported by the seller': one.reported && <Money amount={one.reported} currency={one.currency} />,
        'Polled from the seller': one.polled && <Money amount={one.polled} currency={one.currency} />,
        'Counted by a third party': one.third_party && (
          <>
            <Money amount={one.third_party} currency={one.currency} />, <Name of={one.third_party_source} />
          </>
        ),
        Invoiced: one.invoiced && <Money amount={one.invoiced} currency={one.currency} />,
        Client: one.client && <Name of={one.client} />,
        Brand: one.brand && <Name of={one.brand} />,
        Campaign: one.campaign && <Name of={one.campaign} />,
        Buy: one.buy && (
          <Group gap="xs">
            <BuyLink id={one.buy} />
            <Go to={`/spend/${encodeURIComponent(one.buy)}`}>its ledger entries</Go>
            <Go to="/events" search={{ media_buy_id: one.buy, seller: one.seller }}>
              what the seller sent
            </Go>
          </Group>
        ),
        Package: one.package && <Id of={one.package} />,
        Owner: one.owner && <Name of={one.owner} />,
        Resolution: one.resolution,
        Reason: one.reason && clean(one.reason, 1_000),
        'Resolved by': one.resolved_by && <Name of={one.resolved_by} />,
        'Ledger entry': one.entry_id && <Id of={one.entry_id} />,
        Evidence: one.evidence.length > 0 && <Evidence one={one} />,
      }}
    />
  );
}

/** The evidence of a difference: its invoices by number, and its reports beside their entries. */
function Evidence({ one }: { readonly one: Break }) {
  const query = { seller: one.seller, period: one.period, limit: '100' };
  const invoices = useAnswer('GET /v1/invoices', { query }).data?.invoices ?? [];
  const used = invoices.filter(({ invoice_id: id }) => one.evidence.includes(id));
  const others = one.evidence.filter((id) => !used.some(({ invoice_id: known }) => known === id));
  return (
    <Stack gap="xs" align="flex-start">
      {used.map(({ invoice_id: id, number }) => (
        <Go key={id} to={`/invoices/${id}`}>
          Invoice <Name of={number} />
        </Go>
      ))}
      {others.length > 0 && one.buy !== null && (
        <Go to={`/spend/${encodeURIComponent(one.buy)}`}>Its ledger entries, each with its report</Go>
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
          label="What becomes of it"
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
