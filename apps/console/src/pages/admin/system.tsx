import { Alert, Group, Loader, NativeSelect, Stack, Title, Code } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Facts } from '../../parts/facts.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name, clean, wordsOf } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { Quiet } from '../../parts/quiet.js';
import { ageText, Time } from '../../parts/time.js';
import { BuyLink } from '../agency/buy-link.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Alarm = Answer<'GET /v1/alarms'>['alarms'][number];
type Stop = Answer<'GET /v1/stops'>['stops'][number];

const alarmColumns: readonly Column<Alarm>[] = [
  { title: 'Alarm', cell: ({ kind }) => clean(kind).replaceAll('_', ' ') },
  { title: 'About', cell: ({ subject }) => <Name of={subject} most={80} /> },
  {
    title: 'Since',
    cell: ({ first_at: since, last_at: last, count }) => (
      <>
        <Time at={since} />
        {count > 1 && (
          <Quiet>
            {count} times, last <Time at={last} />
          </Quiet>
        )}
      </>
    ),
  },
  { title: 'Detail', isText: true, cell: ({ detail }) => <Detail of={detail} /> },
  { title: 'Act', cell: (row) => <Acknowledge alarm={row} /> },
];

const stopColumns: readonly Column<Stop>[] = [
  {
    title: 'What is stopped',
    cell: ({ target }) =>
      target.startsWith('principal:') ? (
        <PrincipalName id={target.slice('principal:'.length)} />
      ) : (
        <Name of={target === 'all' ? 'everything' : target.replace(':', ' ')} />
      ),
  },
  { title: 'Why', cell: ({ reason }) => <Name of={reason} /> },
  { title: 'By', cell: ({ stopped_by: by }) => <Name of={by} most={40} /> },
  { title: 'Since', cell: ({ stopped_at: at }) => <Time at={at} /> },
  { title: 'Act', cell: ({ target }) => <EndStop target={target} /> },
];

/** The state of this installation, its problems, and its emergency stops. */
export function SystemPage() {
  const [filters, set] = useFilters();
  const may = useMay();
  const instance = useAnswer('GET /v1/instance');
  const state = filters['state'] ?? 'open';
  const alarms = usePages('GET /v1/alarms', 'alarms', state === 'all' ? {} : { state: worded(state) });
  const stops = usePages('GET /v1/stops', 'stops', {});
  const isAllStopped = stops.rows.some(({ target }) => target === 'all');
  return (
    <>
      <PageHead
        title="System"
        actions={
          may('sellers.approve') &&
          !isAllStopped && (
            <ConfirmButton
              label="Stop everything"
              color="bad"
              variant="outline"
              reason="required"
              done="Nothing goes out any more."
              act={(reason) => api('POST /v1/stops', { body: { target: 'all', reason } })}
            >
              Nothing goes to any seller, and no webhook to any buyer, until somebody ends the stop.
            </ConfirmButton>
          )
        }
      >
        What runs here, what is wrong with it, and what somebody has stopped.
      </PageHead>
      <Stack>
        {isAllStopped && (
          <Alert color="bad" variant="outline" title="Everything is stopped">
            Nothing goes out. End the stop below.
          </Alert>
        )}
        {instance.isPending && <Loader role="status" aria-label="Loading" />}
        {instance.isError && <ErrorPanel error={instance.error} />}
        {instance.isSuccess && (
          <Facts
            label="What runs"
            of={{
              Version: instance.data.version,
              'Running since': <Time at={instance.data.started_at} />,
              Sellers: (
                <Go to="/sellers">
                  {instance.data.sellers_live} of {instance.data.sellers} can be used
                </Go>
              ),
              'For machines': <Code>/livez, /readyz and /metrics</Code>,
            }}
          />
        )}
        <Work />
        <Group justify="space-between" align="flex-end">
          <Title order={2} size="h4">
            Alarms
          </Title>
          <NativeSelect
            label="State"
            data={['open', 'acknowledged', 'all']}
            value={state}
            onChange={({ currentTarget }) => set({ state: currentTarget.value })}
          />
        </Group>
        <div>
          <DataTable
            label="Alarms"
            pages={alarms}
            columns={alarmColumns}
            empty={<EmptyState title="No alarm is here">Nothing needs somebody now.</EmptyState>}
          />
        </div>
        <Title order={2} size="h4">
          Emergency stops
        </Title>
        <div>
          <DataTable
            label="Emergency stops"
            pages={stops}
            columns={stopColumns}
            empty={
              <EmptyState title="Nothing is stopped">
                One seller is stopped on its own page: <Go to="/sellers">sellers</Go>.
              </EmptyState>
            }
          />
        </div>
      </Stack>
    </>
  );
}

/** Due background work, with its age, and the sellers that are polled only now and then. */
function Work() {
  const may = useMay();
  const mayReports = may('reports.read');
  const inbox = useAnswer(
    'GET /v1/events',
    { query: { state: 'received', sort: 'oldest', limit: '50' } },
    mayReports,
  );
  const outbox = useAnswer(
    'GET /v1/outgoing-events',
    { query: { state: 'waiting', sort: 'oldest', limit: '50' } },
    mayReports,
  );
  const sellers = useAnswer('GET /v1/sellers', { query: { failing: 'true' } }, may('sellers.read'));
  const open = (sellers.data?.sellers ?? []).filter(({ breaker }) => (breaker ?? 'closed') !== 'closed');
  const lag = (first: string | undefined, count: number, hasMore: boolean) =>
    first === undefined
      ? 'Nothing waits'
      : `${count}${hasMore ? ' or more' : ''} wait, the oldest for ${ageText(first)}`;
  const failure = inbox.error ?? outbox.error ?? sellers.error;
  return (
    <section aria-label="Work that waits">
      <Title order={2} size="h4" mb="xs">
        Work that waits
      </Title>
      {failure !== null && <ErrorPanel error={failure} />}
      {inbox.isLoading && <Loader role="status" size="sm" aria-label="Loading the work that waits" />}
      <Facts
        label="Work that waits, a table"
        of={{
          'Webhooks of sellers': inbox.data && (
            <Go to="/webhooks" search={{ state: 'received' }}>
              {lag(
                inbox.data.events[0]?.received_at,
                inbox.data.events.length,
                inbox.data.next_cursor !== undefined,
              )}
            </Go>
          ),
          'Webhooks to buyers': outbox.data && (
            <Go to="/webhooks/out" search={{ state: 'waiting' }}>
              {lag(
                outbox.data.events[0]?.created_at,
                outbox.data.events.length,
                outbox.data.next_cursor !== undefined,
              )}
            </Go>
          ),
          'Sellers we stopped calling after failures':
            sellers.data &&
            (open.length === 0
              ? 'None: every seller is asked'
              : open.map(({ slug, name, breaker }) => (
                  <div key={slug}>
                    <Go to={`/sellers/${slug}`}>
                      <Name of={name} />
                    </Go>{' '}
                    {breaker === 'half_open'
                      ? 'is asked once, to see whether it answers'
                      : 'is asked only now and then'}
                  </div>
                ))),
        }}
      />
    </section>
  );
}

function Detail({ of: { message, media_buy_id: buy, ...others } }: { readonly of: Alarm['detail'] }) {
  return (
    <>
      {message !== undefined && <Name of={String(message)} most={240} />}{' '}
      {buy !== undefined && <BuyLink id={String(buy)} />}
      <Quiet>
        <Name of={wordsOf(others)} most={240} />
      </Quiet>
    </>
  );
}

function Acknowledge({ alarm }: { readonly alarm: Alarm }) {
  const isAllowed = useMay()('sellers.approve');
  if (alarm.acknowledged_at !== undefined)
    return <Name of={`${alarm.acknowledged_by ?? ''}: ${alarm.reason ?? ''}`} />;
  return !isAllowed ? (
    '–'
  ) : (
    <ConfirmButton
      label="Acknowledge"
      size="compact-sm"
      variant="default"
      reason="required"
      done="The alarm is acknowledged."
      act={(reason) =>
        api('POST /v1/alarms/{id}/acknowledge', { params: { id: alarm.alarm_id }, body: { reason } })
      }
    >
      Somebody looks after it. It comes again if it happens again.
    </ConfirmButton>
  );
}

function EndStop({ target }: { readonly target: string }) {
  if (!useMay()('sellers.approve')) return '–';
  return (
    <ConfirmButton
      label="End the stop"
      size="compact-sm"
      done="The stop has ended."
      act={() => api('DELETE /v1/stops/{target}', { params: { target } })}
    >
      What was due goes out at once.
    </ConfirmButton>
  );
}
