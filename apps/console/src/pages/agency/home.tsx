import { Loader, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { micros, Money, percentOf } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { BuyStatus, buyText } from './buy-status.js';
import { NeedsMe } from './needs-me.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type PaceRow = Answer<'GET /v1/pacing'>['pacing'][number];

/** The start page: what needs the reader first, then the spend of the clients. */
export function HomePage() {
  const me = useMe().data;
  if (!me) return undefined;
  return (
    <Stack>
      <PageHead title="Home">What needs you today.</PageHead>
      <NeedsMe me={me} />
      {may(me, 'ledger.read') && <CampaignPacing />}
      {may(me, 'media_buys.read') && <Running />}
      {may(me, 'ledger.read') && <Spend />}
    </Stack>
  );
}

/** A bar that shows how far a delivery is behind or ahead of its plan; the plan is the mark. */
function PaceBar({ row }: { readonly row: PaceRow }) {
  const planned = row.planned ?? row.forecast;
  const done = percentOf(row.delivered_through, planned);
  const due = row.planned_through === undefined ? undefined : percentOf(row.planned_through, planned);
  const text = `${done}% of the plan is delivered${due === undefined ? '' : `; it should be ${due}%`}`;
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" width="120" height="12" role="img" aria-label={text}>
      <title>{text}</title>
      <rect width="100" height="10" rx="2" fill="var(--mantine-color-default-border)" />
      <rect width={Math.min(100, done)} height="10" rx="2" fill="var(--mantine-primary-color-filled)" />
      {due !== undefined && (
        <rect x={Math.min(98.5, due)} width="1.5" height="10" fill="var(--mantine-color-text)" />
      )}
    </svg>
  );
}

/** Plan and delivery of each campaign: what loses money comes first, then the largest difference. */
function CampaignPacing() {
  const pacing = useQuery({
    queryKey: ['ledger', 'pacing'],
    queryFn: ({ signal }) => api('GET /v1/pacing', { query: { by: 'campaign' }, signal }),
  });
  const today = pacing.data?.date ?? '';
  const rows = (pacing.data?.pacing ?? [])
    .filter(({ ends_on: end }) => end >= today)
    .toSorted(
      (a, b) =>
        Number(isCostly(b.alerts[0]?.code ?? '')) - Number(isCostly(a.alerts[0]?.code ?? '')) ||
        Math.abs(Number(b.difference_percent ?? 0)) - Math.abs(Number(a.difference_percent ?? 0)),
    );
  return (
    <section aria-label="Pacing of campaigns">
      <Title order={2} size="h4" mb="xs">
        Pacing
      </Title>
      {pacing.isPending && <Loader role="status" size="sm" aria-label="Loading the pacing" />}
      {pacing.isError && <ErrorPanel error={pacing.error} again={() => void pacing.refetch()} />}
      {pacing.isSuccess && rows.length === 0 && (
        <Text size="sm">
          No campaign runs. <Go to="/campaigns">Make one</Go>, and what it delivers is shown against its plan.
        </Text>
      )}
      {rows.length > 0 && (
        <ScrollTable label="Pacing, a table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Campaign</Table.Th>
              <Table.Th>Client</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Plan</Table.Th>
              <Table.Th className="number">Delivered</Table.Th>
              <Table.Th className="number">Should be</Table.Th>
              <Table.Th className="number">Forecast</Table.Th>
              <Table.Th>Ends</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, 20).map((row) => (
              <Table.Tr key={`${row.campaign_id ?? ''} ${row.currency}`}>
                <Table.Td>
                  <Go to="/buys" search={{ campaign: row.campaign_id ?? '' }}>
                    <Name of={row.campaign ?? row.campaign_id} most={60} />
                  </Go>
                </Table.Td>
                <Table.Td>
                  <Name of={row.client} most={60} />
                </Table.Td>
                <Table.Td>
                  <PaceStatus row={row} />
                </Table.Td>
                <Table.Td>
                  <PaceBar row={row} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={cents(row.delivered_through)} currency={row.currency} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={cents(row.planned_through)} currency={row.currency} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={cents(row.forecast)} currency={row.currency} />
                </Table.Td>
                <Table.Td>
                  <Time at={row.ends_on} dateOnly />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </section>
  );
}

/** On Home two digits are enough; Spend has all of them. */
const cents = (amount: string | undefined): string | undefined => amount?.replace(/(\.\d{2})\d+$/, '$1');

/** What a person does about the worst alert. */
const nextSteps: Readonly<Record<string, string>> = {
  over_budget: 'lower or cancel buys, or agree on a larger budget. Do not buy more.',
  will_overspend: 'lower budgets before the money is spent.',
  no_report_for_days: 'ask the seller for its reports before you change anything.',
  not_started: 'ask the seller why nothing runs.',
  behind: 'raise budgets where a seller can deliver.',
  ahead: 'look whether the budget lasts to the end.',
};

/** Alerts that lose money. */
const isCostly = (code: string): boolean => code === 'over_budget' || code === 'will_overspend';

function PaceStatus({ row }: { readonly row: PaceRow }) {
  const [worst] = row.alerts;
  const difference = row.difference_percent === undefined ? '' : ` ${row.difference_percent}%`;
  return (
    <Status
      of={worst === undefined ? `as planned${difference}` : `${worst.code}${difference}`}
      tone={worst === undefined ? 'good' : isCostly(worst.code) ? 'bad' : 'warn'}
      explain={{
        why:
          worst === undefined
            ? 'What was delivered is near what was planned by that day.'
            : row.alerts.map(({ code, message }) => <div key={code}>{message}</div>),
        evidence: (
          <>
            Compared through {row.through ?? 'no day yet'}: <Money amount={row.delivered_through} />{' '}
            delivered, <Money amount={cents(row.planned_through)} currency={row.currency} /> planned.{' '}
            <Go to="/reports" search={{ campaign: row.campaign_id ?? '', by: 'buy' }}>
              Its figures
            </Go>
          </>
        ),
        next: (
          <>
            <Go to="/buys" search={{ campaign: row.campaign_id ?? '' }}>
              Open its buys
            </Go>
            {worst === undefined ? '' : `: ${nextSteps[worst.code] ?? 'look at each of them.'}`}
          </>
        ),
        cli: `npx switchyard pacing`,
      }}
    />
  );
}

function Running() {
  const buys = useQuery({
    queryKey: ['buys', 'running'],
    queryFn: ({ signal }) =>
      api('GET /v1/buys', {
        query: { status: 'active,paused,pending_start,pending_creatives,pending_approval', limit: '10' },
        signal,
      }),
  });
  const rows = buys.data?.media_buys ?? [];
  return (
    <section aria-label="Running buys">
      <Title order={2} size="h4" mb="xs">
        Running buys
      </Title>
      {buys.isPending && <Loader role="status" size="sm" aria-label="Loading running buys" />}
      {buys.isError && <ErrorPanel error={buys.error} again={() => void buys.refetch()} />}
      {buys.isSuccess && rows.length === 0 && (
        <EmptyState title="Nothing runs now">
          <Go to="/ask">Ask the market</Go> for products, or look at <Go to="/buys">all buys</Go>.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ScrollTable label="Running buys, a table">
          <Table.Thead>
            <Table.Tr>
              {['Buy', 'Status', 'Client', 'Brand', 'Budget'].map((title) => (
                <Table.Th key={title} className={title === 'Budget' ? 'number' : ''}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((buy) => (
              <Table.Tr key={buy.media_buy_id}>
                <Table.Td className="buy-name">
                  <Go to={`/buys/${encodeURIComponent(buy.media_buy_id)}`}>
                    <Name of={buyText(buy)} most={60} />
                  </Go>
                </Table.Td>
                <Table.Td>
                  <BuyStatus buy={buy} />
                </Table.Td>
                <Table.Td>
                  <Name of={buy.client} />
                </Table.Td>
                <Table.Td>
                  <Name of={buy.brand_name ?? buy.brand} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={buy.current_total_budget} currency={buy.currency} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </section>
  );
}

function Spend() {
  const spend = useQuery({
    queryKey: ['ledger', 'home'],
    queryFn: ({ signal }) => api('GET /v1/ledger/spend', { query: { by: 'client,brand' }, signal }),
  });
  const rows = (spend.data?.spend ?? []).toSorted((a, b) =>
    (micros(a.spend) ?? 0n) < (micros(b.spend) ?? 0n) ? 1 : -1,
  );
  if (rows.length === 0) return undefined;
  return (
    <section aria-label="Spend by client">
      <Title order={2} size="h4" mb="xs">
        Spend
      </Title>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <ScrollTable label="Spend by client and brand">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Client</Table.Th>
              <Table.Th>Brand</Table.Th>
              <Table.Th className="number">Spend</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, 20).map((row) => (
              <Table.Tr key={`${row.client_id ?? ''} ${row.brand ?? ''} ${row.currency}`}>
                <Table.Td>
                  <Go to="/reports" search={{ client: row.client_id ?? '-', by: 'campaign' }}>
                    <Name of={row.client ?? 'No client'} />
                  </Go>
                </Table.Td>
                <Table.Td>
                  <Name of={row.brand} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={row.spend} currency={row.currency} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      </SimpleGrid>
    </section>
  );
}
