import { Box, Group, List, Loader, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { clean } from '../../parts/name.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { isMonth, monthOf, MonthInput } from '../../parts/month.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type Period = Answer<'GET /v1/periods'>['periods'][number];

const means = {
  open: 'Nobody has closed this month: figures still come into it.',
  soft_closed: 'It is marked as closed. Late figures still go to it.',
  closed: 'It is closed: later figures are posted to the open month after it.',
} as const;

/** The months of finance: what prevents closing one, and closing and reopening it. */
export function PeriodsPage() {
  const [filters, set] = useFilters();
  const periods = useAnswer('GET /v1/periods');
  const head = (
    <PageHead title="Month close" actions={<PrintButton />}>
      Calendar months by UTC. After closing nothing in the month changes.
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
  const months = periods.data.periods;
  const wanted = filters['period'] ?? monthOf(new Date(), 1);
  const chosen = isMonth(wanted) ? wanted : monthOf(new Date(), 1);
  return (
    <>
      {head}
      <Stack>
        <Box maw={240}>
          <MonthInput value={wanted} onChange={(period) => set({ period })} />
        </Box>
        <Chosen key={chosen} period={chosen} month={months.find(({ period }) => period === chosen)} />
        {months.length === 0 ? (
          <EmptyState title="No month has figures yet">
            A month is listed here from its first delivery report or invoice on.{' '}
            <Go to="/invoices">Import an invoice</Go>, or look at <Go to="/webhooks">what sellers sent</Go>.
          </EmptyState>
        ) : (
          <Months of={months} />
        )}
      </Stack>
    </>
  );
}

function Months({ of: months }: { readonly of: readonly Period[] }) {
  return (
    <div>
      <ScrollTable label="Periods" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Month</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Closed</Table.Th>
            <Table.Th>Opening again</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {months.map((month) => (
            <Table.Tr key={month.period}>
              <Table.Th scope="row">
                <Go to="/close" search={{ period: month.period }}>
                  {month.period}
                </Go>
              </Table.Th>
              <Table.Td>
                <State period={month.period} checklist={month} />
              </Table.Td>
              <Table.Td>
                <Time at={month.closed_at} />
              </Table.Td>
              <Table.Td>
                {month.reopen_asked_by === undefined ? '–' : `asked: ${clean(month.reopen_reason ?? '')}`}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      <Text size="xs" c="dimmed" mt={4}>
        Months with figures, or that somebody closed. Another month: type it above.
      </Text>
    </div>
  );
}

function State({ period, checklist }: { readonly period: string; readonly checklist: Period | undefined }) {
  const state = checklist?.state ?? 'open';
  return (
    <Status
      of={state}
      tone={state === 'closed' ? 'good' : 'warn'}
      explain={{
        why: means[state],
        since: checklist?.closed_at,
        next:
          state === 'closed'
            ? 'Make its statement. Opening it again takes two people.'
            : 'Work off the checklist, and close it once the month is over.',
        cli: `npx switchyard periods check ${period}`,
      }}
    />
  );
}

function Chosen({ period, month }: { readonly period: string; readonly month: Period | undefined }) {
  const checklist = useAnswer('GET /v1/periods/{period}/checklist', { params: { period } });
  const may = useMay();
  const isAllowed = may('ledger.approve');
  const hasAsked = useMe().data?.principal_id === month?.reopen_asked_by;
  const refresh = useRefresh();
  const state = month?.state ?? 'open';
  const hasWork = Object.values(checklist.data ?? {}).some((left) => left !== 0 && left !== false);
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
        <State period={period} checklist={month} />
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
          <Task left={checklist.data.open_breaks} singular="open difference">
            <Go to="/reconcile" search={{ period, state: 'open' }}>
              Resolve
            </Go>
          </Task>
          <Task
            left={checklist.data.quarantined_events}
            singular="webhook held back"
            more="webhooks held back"
          >
            <Go to="/webhooks" search={{ state: 'quarantined', period }}>
              Admit or dismiss
            </Go>
          </Task>
          <Task
            left={checklist.data.unassigned_buys}
            singular="buy without a campaign"
            more="buys without a campaign"
          >
            {may('clients.write') ? (
              <Go to="/campaigns">Assign</Go>
            ) : (
              'A trader or an administrator assigns them.'
            )}
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
                ? 'The month is not over yet (UTC). Do what its checklist names until then.'
                : hasWork
                  ? 'Steps are left before you can close: see its checklist.'
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
              month?.reopen_asked_by === undefined ? `Ask to open ${period} again` : `Agree to open ${period}`
            }
            act={reopen}
            blocked={
              month?.reopen_asked_by !== undefined && hasAsked
                ? 'You asked for it: another person has to agree.'
                : undefined
            }
            done={
              month?.reopen_asked_by === undefined ? 'Another person is asked now.' : `${period} is open.`
            }
          >
            {month?.reopen_asked_by === undefined
              ? 'Another person has to agree before it is open.'
              : `Asked for because: ${clean(month.reopen_reason ?? '')}`}
          </ConfirmButton>
        )}
        <Go to="/reports/statements" search={{ period }}>
          Make a statement
        </Go>
        <Go to="/close/accruals" search={{ period }}>
          Accruals
        </Go>
      </Group>
    </section>
  );
}

/** What is left of one kind, with the place where it is done. */
function Task({
  left,
  singular,
  more = `${singular}s`,
  children,
}: {
  readonly left: number;
  readonly singular: string;
  readonly more?: string;
  readonly children: ReactNode;
}) {
  return (
    <List.Item>
      {left === 0 ? (
        `Done: no ${singular}.`
      ) : (
        <>
          To do: {left} {left === 1 ? singular : more}. {children}
        </>
      )}
    </List.Item>
  );
}
