import { Card, Group, Loader, SimpleGrid, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { api, type Answer, type JsonObject } from '../../api/client.js';
import { may, type Me } from '../../api/session.js';
import { atSellers, isObject, objectsIn, task, textAt } from '../../api/task.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { moneyText } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { monthOf } from '../../parts/month.js';
import { healthOf } from '../../parts/seller-health.js';
import { ageText } from '../../parts/time.js';
import { buyText, withoutCampaign } from './buy-status.js';

interface Line {
  readonly text: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface Found {
  readonly count: number;
  /** True if there are more than were read. */
  readonly hasMore: boolean;
  /** The first of them, as text, each with the page to handle it. */
  readonly first: readonly Line[];
}

interface Need {
  readonly noun: string;
  readonly title: string;
  /** The permission that reads it. */
  readonly needs: string;
  /** The permission that finishes it: what a person cannot finish does not need them. */
  readonly acts: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly read: (signal: AbortSignal, me: Me) => Promise<Found>;
}

const most = '50';
const soonMs = 14 * 86_400_000;
/** A refusal has no end, so Home shows the recent ones alone. */
const isRecent = (at: string): boolean => Date.parse(at) > Date.now() - soonMs;
const found = <Row,>(rows: readonly Row[], say: (row: Row) => Line, hasMore = false): Found => ({
  count: rows.length,
  hasMore,
  first: rows
    .slice(0, 3)
    .map(say)
    .map((line) => ({ ...line, text: clean(line.text, 110) })),
});

type BuyRow = Answer<'GET /v1/buys'>['media_buys'][number];
/** Who refused a creative, and why. */
const refusalsOf = (creative: JsonObject): string =>
  atSellers(creative)
    .filter(({ status }) => status === 'rejected')
    .map((at) => [textAt(at['seller']), textAt(at['reason'])].filter(Boolean).join(', '))
    .join('; ');
const buyAt = ({ media_buy_id: id }: BuyRow): string => `/buys/${encodeURIComponent(id)}`;

/** Whether a month that is over can be closed, or what is left to do before. */
function closingText(period: string, left: Answer<'GET /v1/periods/{period}/checklist'>): string {
  const counts = [
    ['open differences', left.open_breaks],
    ['webhooks held back', left.quarantined_events],
    ['buys without a campaign', left.unassigned_buys],
  ] as const;
  const tasks = [
    ...(left.reconciliation_due ? ['not compared'] : []),
    ...counts.filter(([, count]) => count > 0).map(([noun, count]) => `${noun} ${count}`),
  ];
  return tasks.length === 0 ? `${period} can be closed` : `${period} is over: ${tasks.join(', ')}`;
}

const needs: readonly Need[] = [
  {
    noun: 'approvals',
    title: 'Waiting for a person',
    needs: 'media_buys.read',
    acts: 'media_buys.approve',
    to: '/inbox/approvals',
    read: async (signal) => {
      const { approvals, next_cursor: more } = await api('GET /v1/approvals', {
        query: { state: 'open', limit: most },
        signal,
      });
      return found(
        approvals,
        (approval) => ({
          text: `${approval.client ?? approval.brand ?? approval.seller ?? approval.task}: ${approval.amount === undefined ? approval.reason : `${moneyText(approval.amount, approval.currency)}, ${approval.task.replaceAll('_', ' ')}`} (for ${ageText(approval.since)})`,
          to: '/inbox/approvals',
          ...(approval.operation_id !== undefined && { search: { operation_id: approval.operation_id } }),
        }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'buys',
    title: 'Impaired buys',
    needs: 'media_buys.read',
    acts: 'media_buys.write',
    to: '/buys',
    search: { impaired: 'true' },
    read: async (signal) => {
      const { media_buys: buys, next_cursor: more } = await api('GET /v1/buys', {
        query: { impaired: 'true', limit: most },
        signal,
      });
      return found(
        buys,
        (buy) => ({ text: `${buyText(buy)}: ${buy.impairments[0]?.reason ?? ''}`, to: buyAt(buy) }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'buys',
    title: 'Buys that need something',
    needs: 'media_buys.read',
    acts: 'media_buys.write',
    to: '/buys',
    search: { status: 'pending_creatives,rejected' },
    read: async (signal) => {
      const { media_buys: buys, next_cursor: more } = await api('GET /v1/buys', {
        query: { status: 'pending_creatives,rejected', limit: most },
        signal,
      });
      return found(
        buys.filter(({ status, created_at: at }) => status !== 'rejected' || isRecent(at)),
        (buy) => ({ text: `${buyText(buy)}: ${buy.status.replaceAll('_', ' ')}`, to: buyAt(buy) }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'creatives',
    title: 'Creatives that a seller refused',
    needs: 'creatives.read',
    acts: 'creatives.write',
    to: '/creatives',
    search: { status: 'rejected' },
    read: async () => {
      const { creatives, pagination } = await task('list_creatives', {
        filters: { statuses: ['rejected'] },
        sort: { field: 'updated_date', direction: 'desc' },
        pagination: { limit: Number(most) },
      });
      const all = objectsIn(creatives);
      const recent = all.filter((row) => isRecent(textAt(row['updated_date'])));
      const hasMore = isObject(pagination) && pagination['has_more'] === true;
      return found(
        recent,
        (row) => ({
          text: [textAt(row['name']) || textAt(row['creative_id']), refusalsOf(row)]
            .filter(Boolean)
            .join(': '),
          to: '/creatives',
          search: { creative_id: textAt(row['creative_id']) },
        }),
        hasMore && recent.length === all.length,
      );
    },
  },
  {
    noun: 'alarms',
    title: 'Alarms',
    needs: 'sellers.read',
    acts: 'sellers.approve',
    to: '/system',
    read: async (signal) => {
      const { alarms, next_cursor: more } = await api('GET /v1/alarms', {
        query: { state: 'open', limit: most },
        signal,
      });
      return found(
        alarms,
        (alarm) => ({
          text: `${alarm.kind.replaceAll('_', ' ')}: ${[textAt(alarm.detail['seller']), textAt(alarm.detail['message']) || alarm.subject].join(' ').trim()}`,
          to: '/system',
        }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'periods',
    title: 'Months to close',
    needs: 'ledger.read',
    acts: 'ledger.approve',
    to: '/close',
    read: async (signal, { scopes }) => {
      // Only who reads the whole organization sees which months are open, and may close one.
      if (!scopes.includes('organization')) return { count: 0, hasMore: false, first: [] };
      const { periods } = await api('GET /v1/periods', { signal });
      // Months close in order: what is before the newest closed one is closed with it.
      const closed = periods.find(({ state }) => state === 'closed')?.period ?? '';
      const over = periods
        .map(({ period }) => period)
        .filter((period) => period > closed && period < monthOf())
        .toReversed();
      const first = await Promise.all(
        over.slice(0, 3).map(async (period) => ({
          text: closingText(
            period,
            await api('GET /v1/periods/{period}/checklist', { params: { period }, signal }),
          ),
          to: '/close',
          search: { period },
        })),
      );
      return { count: over.length, hasMore: false, first };
    },
  },
  {
    noun: 'breaks',
    title: 'Differences to resolve',
    needs: 'ledger.read',
    acts: 'ledger.write',
    to: '/reconcile',
    read: async (signal) => {
      const { breaks, next_cursor: more } = await api('GET /v1/breaks', {
        query: { state: 'open', limit: most },
        signal,
      });
      return found(
        breaks,
        (invoiceBreak) => ({
          text: `${invoiceBreak.seller}: ${moneyText(invoiceBreak.difference, invoiceBreak.currency)}, ${invoiceBreak.cause}`,
          to: `/reconcile/${invoiceBreak.break_id}`,
        }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'periods',
    title: 'Months to open again',
    needs: 'ledger.read',
    acts: 'ledger.approve',
    to: '/close',
    read: async (signal, { principal_id: own }) => {
      const { periods } = await api('GET /v1/periods', { signal });
      return found(
        periods.filter(({ reopen_asked_by: by }) => by !== undefined && by !== own),
        ({ period, reopen_reason: reason }) => ({
          text: `${period}: ${reason ?? 'somebody asked for it'}`,
          to: '/close',
          search: { period },
        }),
      );
    },
  },
  {
    noun: 'events',
    title: 'Webhooks held back',
    needs: 'reports.read',
    acts: 'ledger.approve',
    to: '/webhooks',
    search: { state: 'quarantined' },
    read: async (signal) => {
      const { events, next_cursor: more } = await api('GET /v1/events', {
        query: { state: 'quarantined', counts: 'no', limit: most },
        signal,
      });
      return found(
        events,
        (event) => ({
          text: `${event.kind.replaceAll('_', ' ')} of ${event.seller}: ${event.explanation ?? event.reason ?? ''}`,
          to: '/webhooks',
          search: { id: event.event_id, state: 'quarantined' },
        }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'outgoing-events',
    title: 'Webhooks that did not arrive',
    needs: 'reports.read',
    acts: 'media_buys.write',
    to: '/webhooks/out',
    read: async (signal) => {
      const since = new Date(Date.now() - soonMs).toISOString();
      const of = async (state: 'refused' | 'expired') =>
        (await api('GET /v1/outgoing-events', { query: { state, since, limit: most }, signal })).events;
      const events = [...(await of('refused')), ...(await of('expired'))];
      return found(events, (event) => ({
        text: `${event.kind} to ${event.principal ?? event.principal_id}: ${event.reason ?? event.state}`,
        to: '/webhooks/out',
        search: { id: event.event_id },
      }));
    },
  },
  {
    noun: 'credentials',
    title: 'Credentials that end or are refused',
    needs: 'sellers.read',
    acts: 'sellers.write',
    to: '/credentials',
    read: async (signal) => {
      const pages = await Promise.all(
        [{ has_error: 'true' as const }, { retires_before: new Date(Date.now() + soonMs).toISOString() }].map(
          (which) => api('GET /v1/credentials', { query: { ...which, limit: most }, signal }),
        ),
      );
      const bad = new Map(
        pages.flatMap(({ credentials }) =>
          credentials.map(
            (credential) => [`${credential.credential_id} ${credential.version}`, credential] as const,
          ),
        ),
      );
      const hasMore = pages.some(({ next_cursor: more }) => more !== undefined);
      return found(
        [...bad.values()],
        (credential) => ({
          text: `${credential.seller ?? credential.destination ?? credential.kind}: ${credential.last_error === undefined ? 'ends soon' : `the seller refused it (${credential.last_error.code})`}`,
          ...(credential.seller === undefined
            ? { to: '/credentials' }
            : { to: `/sellers/${credential.seller}` }),
        }),
        hasMore,
      );
    },
  },
  {
    noun: 'buys',
    title: 'Buys without a campaign',
    needs: 'media_buys.read',
    acts: 'clients.write',
    to: '/campaigns',
    read: async (signal) => {
      const { media_buys: buys, next_cursor: more } = await api('GET /v1/buys', {
        query: { ...withoutCampaign, limit: most },
        signal,
      });
      return found(
        buys,
        (buy) => ({
          text: `${buyText(buy)}, ${moneyText(buy.current_total_budget, buy.currency)}`,
          to: '/campaigns',
        }),
        more !== undefined,
      );
    },
  },
  {
    noun: 'sellers',
    title: 'Sellers to connect',
    needs: 'sellers.read',
    acts: 'sellers.write',
    to: '/sellers/new',
    read: async (signal) => {
      const { sellers } = await api('GET /v1/sellers', { query: { limit: '1' }, signal });
      const first = { text: 'No seller is connected yet: onboard the first one.', to: '/sellers/new' };
      return found(sellers.length === 0 ? [first] : [], (line) => line);
    },
  },
  {
    noun: 'sellers',
    title: 'Sellers that fail',
    needs: 'sellers.read',
    acts: 'sellers.write',
    to: '/sellers',
    search: { state: 'not' },
    read: async (signal) => {
      const { sellers, next_cursor: more } = await api('GET /v1/sellers', {
        query: { failing: 'true', limit: most },
        signal,
      });
      return found(
        sellers,
        (seller) => ({
          // What is wrong with no row itself is held by an emergency stop.
          text: `${seller.name || seller.slug}: ${healthOf(seller, healthOf(seller, false) === 'live')}${seller.reason === undefined ? '' : `, ${seller.reason}`}`,
          to: `/sellers/${seller.slug}`,
        }),
        more !== undefined,
      );
    },
  },
];

/** One card for each kind of waiting work, red items first; empty kinds are hidden. */
export function NeedsMe({ me }: { readonly me: Me }) {
  const mine = needs.filter((need) => may(me, need.needs) && may(me, need.acts));
  const answers = useQueries({
    queries: mine.map((need) => ({
      queryKey: [need.noun, 'needs me', need.title],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => need.read(signal, me),
    })),
  });
  const isPending = answers.some((answer) => answer.isPending);
  const shown = mine
    .map((need, at) => ({ need, answer: answers[at] }))
    .filter(({ answer }) => answer?.isError === true || (answer?.data?.count ?? 0) > 0);
  return (
    <section aria-label="Needs me">
      {isPending && <Loader role="status" size="sm" aria-label="Loading what needs you" />}
      {!isPending && shown.length === 0 && (
        <EmptyState title="Nothing needs you">
          Nothing that you may decide or mend waits.{' '}
          {may(me, 'products.read') ? (
            <>
              <Go to="/ask">Ask the market</Go> for something new.
            </>
          ) : (
            'The menu has the pages that you may open.'
          )}
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {shown.map(({ need, answer }) => (
          <Card withBorder key={need.title} component="article" aria-label={need.title}>
            <Group justify="space-between" wrap="nowrap">
              <Title order={2} size="h5">
                {need.title}
              </Title>
              <Text fw={700} size="xl">
                {answer?.data === undefined ? '' : `${answer.data.count}${answer.data.hasMore ? '+' : ''}`}
              </Text>
            </Group>
            {answer?.isError === true && (
              <Text size="sm">This could not be read: {answer.error.message}</Text>
            )}
            {answer?.data?.first.map((line, at) => (
              <Text size="sm" key={`${line.text} ${at}`} component="div" mt={4}>
                <Go to={line.to} search={line.search ?? {}}>
                  <bdi className="name">{line.text}</bdi>
                </Go>
              </Text>
            ))}
            {(answer?.data?.count ?? 0) > 3 && (
              <Text size="sm" mt={4}>
                <Go to={need.to} search={need.search ?? {}} aria-label={`Open all: ${need.title}`}>
                  Open all
                </Go>
              </Text>
            )}
          </Card>
        ))}
      </SimpleGrid>
    </section>
  );
}
