import { Button, Group, NativeSelect, Paper, Table, TextInput, Title, Loader } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
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
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';

type Owed = Answer<'GET /v1/outgoing-events'>['events'][number];
type Attempt = Answer<'GET /v1/outgoing-events/{id}'>['attempts_made'][number];

const kinds: Readonly<Record<string, string>> = {
  task: 'task status',
  report: 'delivery report',
  impairment: 'impairment',
};

const columns: readonly Column<Owed>[] = [
  {
    title: 'Made',
    cell: ({ created_at: at, event_id: id }) => (
      <Go to="/outgoing" search={{ id }}>
        <Time at={at} />
      </Go>
    ),
  },
  { title: 'To', cell: ({ principal, principal_id: id }) => <Name of={principal ?? id} most={40} /> },
  { title: 'What', cell: ({ kind }) => kinds[kind] ?? kind },
  { title: 'State', cell: (one) => <OwedStatus one={one} /> },
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
      <PageHead title="Events out" actions={<Go to="/events">Events in</Go>}>
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
          <EmptyState title="No webhook is owed">
            One is made when a buyer names an address in <code>push_notification_config</code> of its request,
            or in <code>reporting_webhook</code> of its buy. With filters: none is like this.
          </EmptyState>
        }
      />
    </>
  );
}

function OwedStatus({ one }: { readonly one: Owed }) {
  return (
    <Explained
      kind="outgoing"
      of={one.state}
      since={one.ended_at ?? one.created_at}
      evidence={
        <>
          {one.attempts} attempts. <Name of={one.reason} most={600} />{' '}
          {one.next_attempt_at !== undefined && (
            <>
              The next is at <Time at={one.next_attempt_at} />.
            </>
          )}
        </>
      }
      cli={
        one.state === 'delivered'
          ? `npx switchyard outgoing show ${one.event_id}`
          : `npx switchyard outgoing resend ${one.event_id}`
      }
    />
  );
}

/** One webhook to a buyer: each attempt with its status, and sending it again. */
function OwedCard({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useAnswer('GET /v1/outgoing-events/{id}', { params: { id } });
  const isAllowed = useMay()('media_buys.write');
  const refresh = useRefresh();
  if (query.isPending) return <Loader role="status" aria-label="Loading the webhook" />;
  if (query.isError) return <ErrorPanel error={query.error} again={() => void query.refetch()} />;
  const one = query.data;
  return (
    <Paper withBorder p="md" mb="md" component="section" aria-label="One webhook">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {kinds[one.kind] ?? one.kind} to <Name of={one.principal ?? one.principal_id} most={60} />
        </Title>
        <Group gap="xs">
          {isAllowed && (
            <ConfirmButton
              label="Send it again"
              done="It is sent again now."
              act={async () => {
                await api('POST /v1/outgoing-events/{id}/resend', { params: { id } });
                await refresh();
              }}
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
          State: <OwedStatus one={one} />,
          'Next attempt': one.next_attempt_at && <Time at={one.next_attempt_at} />,
          'Last answer': one.reason && <Name of={one.reason} most={600} />,
          Address: <Name of={one.url} most={400} />,
          'Media buy': one.media_buy_id && (
            <Go to={`/buys/${encodeURIComponent(one.media_buy_id)}`}>{one.media_buy_id}</Go>
          ),
          Client: one.client && <Name of={one.client} />,
          'Idempotency key': <Id of={one.idempotency_key} />,
          Operation: <Id of={one.operation_id} />,
        }}
      />
      <Title order={3} size="h5" mb="xs">
        Attempts
      </Title>
      {one.attempts_made.length === 0 ? (
        <p>None yet.</p>
      ) : (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Attempts">
          <Table>
            <Table.Thead>
              <Table.Tr>
                {attemptColumns.map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {one.attempts_made.map((attempt) => (
                <AttemptRow key={`${attempt.attempt} ${attempt.fired_at}`} one={attempt} of={one.event_id} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Paper>
  );
}

function AttemptRow({ one, of: id }: { readonly one: Attempt; readonly of: string }) {
  return (
    <Table.Tr>
      <Table.Td>{one.attempt}</Table.Td>
      <Table.Td>
        <Time at={one.fired_at} />
      </Table.Td>
      <Table.Td>
        <Explained
          kind="attempt"
          of={one.status}
          since={one.fired_at}
          evidence={
            <Name
              of={one.message ?? (one.http_status === undefined ? '' : `HTTP ${one.http_status}`)}
              most={600}
            />
          }
          cli={`npx switchyard outgoing show ${id}`}
        />
      </Table.Td>
      <Table.Td>{one.http_status ?? '–'}</Table.Td>
      <Table.Td>{one.response_time_ms === undefined ? '–' : `${one.response_time_ms} ms`}</Table.Td>
      <Table.Td className="words">
        <Name of={one.message} most={300} />
      </Table.Td>
    </Table.Tr>
  );
}
