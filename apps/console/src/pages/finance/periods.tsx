import { Group, List, Loader, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { Status, StatusBadge } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { clean } from '../../parts/name.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { isMonth, monthOf } from '../../parts/month.js';

type Period = Answer<'GET /v1/periods'>['periods'][number];

const means = {
  open: 'Nobody has closed this month: figures still come into it.',
  soft_closed: 'It is marked as closed. Late figures still go to it.',
  closed: 'It is closed: later figures are posted to the open month after it.',
} as const;

/** The months of finance: what prevents closing one, and closing and reopening it. */
export function PeriodsPage() {
  const [filters] = useFilters();
  const periods = useAnswer('GET /v1/periods');
  const head = (
    <PageHead title="Periods" actions={<PrintButton />}>
      Calendar months by UTC. A month is closed once, by who may approve.
    </PageHead>
  );
  if (!periods.isSuccess)
    return (
      <>
        {head}
        {periods.isPending ? (
          <Loader role="status" aria-label="Loading periods" />
        ) : (
          <ErrorPanel error={periods.error} again={() => void periods.refetch()} />
        )}
      </>
    );
  const known = new Map(periods.data.periods.map((one) => [one.period, one]));
  const months = [
    ...new Set([...Array.from({ length: 13 }, (_, at) => monthOf(new Date(), at)), ...known.keys()]),
  ]
    .sort()
    .toReversed();
  const chosen = isMonth(filters['period'] ?? '') ? (filters['period'] ?? '') : monthOf(new Date(), 1);
  return (
    <>
      {head}
      <Stack>
        <Chosen key={chosen} period={chosen} one={known.get(chosen)} />
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Periods">
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Month</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Closed</Table.Th>
                <Table.Th>Opening again</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {months.map((month) => {
                const one = known.get(month);
                return (
                  <Table.Tr key={month}>
                    <Table.Th scope="row">
                      <Go to="/periods" search={{ period: month }}>
                        {month}
                      </Go>
                    </Table.Th>
                    <Table.Td>
                      <StatusBadge of={one?.state ?? 'open'} />
                    </Table.Td>
                    <Table.Td>
                      <Time at={one?.closed_at} />
                    </Table.Td>
                    <Table.Td>
                      {one?.reopen_asked_by === undefined ? '–' : `asked: ${clean(one.reopen_reason ?? '')}`}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </div>
      </Stack>
    </>
  );
}

function Chosen({ period, one }: { readonly period: string; readonly one: Period | undefined }) {
  const checklist = useAnswer('GET /v1/periods/{period}/checklist', { params: { period } });
  const isAllowed = useMay()('ledger.approve');
  const hasAsked = useMe().data?.principal_id === one?.reopen_asked_by;
  const refresh = useRefresh();
  const state = one?.state ?? 'open';
  const close = async (isSoft: boolean): Promise<void> => {
    await api('POST /v1/periods/{period}/close', { params: { period }, body: isSoft ? { soft: true } : {} });
    await refresh();
  };
  const reopen = async (reason: string): Promise<void> => {
    await api('POST /v1/periods/{period}/reopen', { params: { period }, body: { reason } });
    await refresh();
  };
  return (
    <section aria-label={`Month ${period}`}>
      <Group mb="xs">
        <Title order={2} size="h4">
          {period}
        </Title>
        <Status
          of={state}
          tone={state === 'closed' ? 'good' : 'warn'}
          explain={{
            why: means[state],
            since: one?.closed_at,
            next:
              state === 'closed'
                ? 'Make its statement. Opening it again takes two people.'
                : 'Work off the checklist, and close it once the month is over.',
            cli: `npx switchyard periods check ${period}`,
          }}
        />
      </Group>
      {checklist.isPending && <Loader role="status" aria-label="Loading the checklist" />}
      {checklist.isError && <ErrorPanel error={checklist.error} again={() => void checklist.refetch()} />}
      {checklist.isSuccess && (
        <List aria-label="Checklist" mb="sm">
          <List.Item>
            {checklist.data.reconciliation_due
              ? 'To do: it was not compared after its figures last changed. '
              : 'Done: it was compared after its figures last changed. '}
            {checklist.data.reconciliation_due && (
              <Go to="/reconcile" search={{ period }}>
                Compare it
              </Go>
            )}
          </List.Item>
          <Task left={checklist.data.open_breaks} one="open difference">
            <Go to="/reconcile" search={{ period, state: 'open' }}>
              Resolve
            </Go>
          </Task>
          <Task left={checklist.data.quarantined_events} one="webhook held back" more="webhooks held back">
            <Go to="/events" search={{ state: 'quarantined' }}>
              Admit or dismiss
            </Go>
          </Task>
          <Task
            left={checklist.data.unassigned_buys}
            one="buy without a campaign"
            more="buys without a campaign"
          >
            <Go to="/campaigns">Assign</Go>
          </Task>
        </List>
      )}
      <Group>
        {isAllowed && state !== 'closed' && (
          <ConfirmButton
            label={`Close ${period}`}
            act={() => close(false)}
            blocked={
              period >= monthOf()
                ? 'The month is not over yet (UTC). Work off its checklist until then.'
                : undefined
            }
            done={`${period} is closed.`}
          >
            What was delivered and not invoiced is posted as accruals. Later figures go to the next month.
            Opening it again takes two people.
          </ConfirmButton>
        )}
        {isAllowed && state === 'open' && (
          <ConfirmButton
            variant="default"
            label="Mark as closed"
            act={() => close(true)}
            done={`${period} is marked as closed.`}
          >
            Only a mark: late figures still go to this month.
          </ConfirmButton>
        )}
        {isAllowed && state === 'closed' && (
          <ConfirmButton
            variant="default"
            reason="required"
            label={
              one?.reopen_asked_by === undefined ? `Ask to open ${period} again` : `Agree to open ${period}`
            }
            act={reopen}
            blocked={
              one?.reopen_asked_by !== undefined && hasAsked
                ? 'You asked for it: another person has to agree.'
                : undefined
            }
            done={one?.reopen_asked_by === undefined ? 'Another person is asked now.' : `${period} is open.`}
          >
            {one?.reopen_asked_by === undefined
              ? 'Another person has to agree before it is open.'
              : `Asked for because: ${clean(one.reopen_reason ?? '')}`}
          </ConfirmButton>
        )}
        <Go to="/statements" search={{ period }}>
          Make a statement
        </Go>
        <Go to="/accruals" search={{ period }}>
          Accruals
        </Go>
      </Group>
      <Text size="xs" c="dimmed" mt="xs">
        Another month: choose it in the list.
      </Text>
    </section>
  );
}

/** What is left of one kind, with the place where it is done. */
function Task({
  left,
  one,
  more = `${one}s`,
  children,
}: {
  readonly left: number;
  readonly one: string;
  readonly more?: string;
  readonly children: ReactNode;
}) {
  return (
    <List.Item>
      {left === 0 ? (
        `Done: no ${one}.`
      ) : (
        <>
          To do: {left} {left === 1 ? one : more}. {children}
        </>
      )}
    </List.Item>
  );
}
