import { Button, Group, NativeSelect, Paper, Table, TextInput, Title, Loader } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Explained } from '../../parts/explained.js';
import { Facts } from '../../parts/facts.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type Owed = Answer<'GET /v1/outgoing-events'>['events'][number];
type Attempt = Answer<'GET /v1/outgoing-events/{id}'>['attempts_made'][number];

const kinds: Readonly<Record<string, string>> = {
  task: 'task status',
  report: 'delivery report',
  impairment: 'impairment',
  change: 'change of an account or of what is offered',
};

const columns: readonly Column<Owed>[] = [
  {
    title: 'Made',
    cell: ({ created_at: at, event_id: id }) => (
      <Go to="/webhooks/out" search={{ id }}>
        <Time at={at} />
      </Go>
    ),
  },
  { title: 'To', cell: ({ principal, principal_id: id }) => <Name of={principal ?? id} most={40} /> },
  { title: 'What', cell: ({ kind }) => kinds[kind] ?? kind },
  { title: 'State', cell: (row) => <OwedStatus event={row} /> },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { title: 'Next', cell: ({ next_attempt_at: at }) => <Time at={at} /> },
  { title: 'Last answer', isText: true, cell: ({ reason }) => <Name of={reason} most={160} /> },
  { title: 'Address', cell: ({ url }) => <Name of={url} most={60} /> },
  {
    title: 'For',
    cell: ({ client, brand_name: name, brand }) => <Name of={client ?? name ?? brand} most={40} />,
  },
];

const attemptColumns = ['Attempt', 'Sent', 'Outcome', 'Code', 'Time', 'What it said'] as const;

/** Webhooks to buyers: which were delivered, and why the others were not. */
export function OutgoingPage() {
  const [filters, set] = useFilters();
  const { id, state = '', kind = '', media_buy_id } = filters;
  const events = usePages('GET /v1/outgoing-events', 'events', {
    ...(state !== '' && { state: worded(state) }),
    ...(kind !== '' && { kind: worded(kind) }),
    ...(media_buy_id && { media_buy_id }),
  });
  return (
    <>
      <PageHead title="Webhooks out">
        Webhooks to the buyers that asked for them. What does not arrive is sent again for a day.
      </PageHead>
      {id !== undefined && id !== '' && <OwedCard key={id} id={id} onClose={() => set({ id: undefined })} />}
      <Group align="flex-end" mb="md" gap="sm">
        <NativeSelect
          label="State"
          data={[{ value: '', label: 'All' }, 'waiting', 'delivered', 'refused', 'expired']}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
        <NativeSelect
          label="What"
          data={[
            { value: '', label: 'All' },
            ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
          ]}
          value={kind}
          onChange={({ currentTarget }) => set({ kind: currentTarget.value })}
        />
        <TextInput
          label="Media buy"
          value={media_buy_id ?? ''}
          onChange={({ currentTarget }) => set({ media_buy_id: currentTarget.value })}
        />
      </Group>
      <DataTable
        label="Events out"
        pages={events}
        columns={columns}
        empty={
          <EmptyState title="No webhooks to send">
            One is made when a buyer names an address in <code>push_notification_config</code> of its request,
            or in <code>reporting_webhook</code> of its buy.
          </EmptyState>
        }
      />
    </>
  );
}

function OwedStatus({ event }: { readonly event: Owed }) {
  return (
    <Explained
      kind="outgoing"
      of={event.state}
      since={event.ended_at ?? event.created_at}
      evidence={
        <>
          {event.attempts} attempts. <Name of={event.reason} most={600} />{' '}
          {event.next_attempt_at !== undefined && (
            <>
              The next is at <Time at={event.next_attempt_at} />.
            </>
          )}
        </>
      }
      cli={
        event.state === 'delivered'
          ? `npx switchyard outgoing show ${event.event_id}`
          : `npx switchyard outgoing resend ${event.event_id}`
      }
    />
  );
}

/** One webhook to a buyer: each attempt with its status, and sending it again. */
function OwedCard({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useAnswer('GET /v1/outgoing-events/{id}', { params: { id } });
  const isAllowed = useMay()('media_buys.write');
  if (query.isPending) return <Loader role="status" aria-label="Loading the webhook" />;
  if (query.isError) return <ErrorPanel error={query.error} again={() => void query.refetch()} />;
  const event = query.data;
  return (
    <Paper withBorder p="md" mb="md" component="section" aria-label="One webhook">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {kinds[event.kind] ?? event.kind} to <Name of={event.principal ?? event.principal_id} most={60} />
        </Title>
        <Group gap="xs">
          {isAllowed && (
            <ConfirmButton
              label="Send it again"
              done="It is sent again now."
              act={() => api('POST /v1/outgoing-events/{id}/resend', { params: { id } })}
            >
              The same bytes with the same key go to its address at once. A receiver that has them already
              knows them by the key.
            </ConfirmButton>
          )}
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Group>
      <Facts
        label="The webhook"
        of={{
          State: <OwedStatus event={event} />,
          'Next attempt': event.next_attempt_at && <Time at={event.next_attempt_at} />,
          'Last answer': event.reason && <Name of={event.reason} most={600} />,
          Address: <Name of={event.url} most={400} />,
          'Media buy': event.media_buy_id && (
            <Go to={`/buys/${encodeURIComponent(event.media_buy_id)}`}>{event.media_buy_id}</Go>
          ),
          Client: event.client && <Name of={event.client} />,
          'Idempotency key': <Id of={event.idempotency_key} />,
          Operation: <Id of={event.operation_id} />,
        }}
      />
      <Title order={3} size="h5" mb="xs">
        Attempts
      </Title>
      {event.attempts_made.length === 0 ? (
        <p>None yet.</p>
      ) : (
        <ScrollTable label="Attempts">
          <Table.Thead>
            <Table.Tr>
              {attemptColumns.map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {event.attempts_made.map((attempt) => (
              <AttemptRow
                key={`${attempt.attempt} ${attempt.fired_at}`}
                attempt={attempt}
                of={event.event_id}
              />
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Paper>
  );
}

function AttemptRow({ attempt, of: id }: { readonly attempt: Attempt; readonly of: string }) {
  return (
    <Table.Tr>
      <Table.Td>{attempt.attempt}</Table.Td>
      <Table.Td>
        <Time at={attempt.fired_at} />
      </Table.Td>
      <Table.Td>
        <Explained
          kind="attempt"
          of={attempt.status}
          since={attempt.fired_at}
          evidence={
            <Name
              of={attempt.message ?? (attempt.http_status === undefined ? '' : `HTTP ${attempt.http_status}`)}
              most={600}
            />
          }
          cli={`npx switchyard outgoing show ${id}`}
        />
      </Table.Td>
      <Table.Td>{attempt.http_status ?? '–'}</Table.Td>
      <Table.Td>{attempt.response_time_ms === undefined ? '–' : `${attempt.response_time_ms} ms`}</Table.Td>
      <Table.Td className="words">
        <Name of={attempt.message} most={300} />
      </Table.Td>
    </Table.Tr>
  );
}
