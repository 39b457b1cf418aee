import { Group, NativeSelect, TextInput } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { DataTable, type Column } from '../../parts/data-table.js';
import type { Answer, Sent } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name, clean } from '../../parts/name.js';
import { isMonth } from '../../parts/month.js';
import { PageHead } from '../../parts/page-head.js';
import { SellerName } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { usePages } from '../../parts/use-pages.js';
import { ClientCampaignSelects } from '../agency/client-campaign-selects.js';
import { whoseText } from './event.js';

type Event = Answer<'GET /v1/events'>['events'][number];
const states = ['all', 'quarantined', 'refused', 'received', 'applied', 'duplicate', 'stale'] as const;
const eventTones: Readonly<Record<string, string>> = {
  applied: 'good',
  quarantined: 'warn',
  refused: 'bad',
};

/** The columns of a list of webhooks of sellers. */
export const eventColumns: readonly Column<Event>[] = [
  {
    title: 'Received',
    cell: ({ event_id: id, received_at: at }) => (
      <Go to={`/webhooks/${id}`}>
        <Time at={at} ago />
      </Go>
    ),
  },
  { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} /> },
  { title: 'What', cell: ({ kind }) => clean(kind).replaceAll('_', ' ') },
  { title: 'For', cell: (row) => <Name of={whoseText(row)} most={80} /> },
  { title: 'State', cell: (row) => <EventStatus event={row} /> },
  { title: 'Why', isText: true, cell: ({ explanation, reason }) => clean(explanation ?? reason ?? '–', 160) },
  { title: 'Id', cell: ({ event_id: id }) => <Id of={id} short /> },
];

function EventStatus({ event }: { readonly event: Event }) {
  return (
    <Explained
      kind="event"
      of={event.state}
      tone={eventTones[event.state] ?? 'gray'}
      why={event.explanation ?? event.reason}
      since={event.applied_at ?? event.received_at}
      evidence={<Go to={`/webhooks/${event.event_id}`}>Each step of its judgement</Go>}
      cli={`npx switchyard events show ${event.event_id}`}
    />
  );
}

/** Webhooks that wait for a person before they count. */
export function HeldEventsPage() {
  return <EventsPage usual="quarantined" />;
}

/** Webhooks of sellers, with state and reason; one of them step by step. */
export function EventsPage({ usual = 'all' }: { readonly usual?: string }) {
  const [filters, set] = useFilters();
  const state = filters['state'] ?? usual;
  const isHeldBack = worded(state) === 'quarantined';
  const wanted: NonNullable<Sent<'GET /v1/events'>['query']> = {
    counts: 'no',
    ...(state !== 'all' && { state: worded(state) }),
    ...(filters['seller'] && { seller: filters['seller'] }),
    ...(filters['media_buy_id'] && { media_buy_id: filters['media_buy_id'] }),
    ...(filters['client'] && { client_id: filters['client'] }),
    ...(filters['campaign'] && { campaign_id: filters['campaign'] }),
    ...(isHeldBack && isMonth(filters['period'] ?? '') && { period: filters['period'] ?? '' }),
  };
  const events = usePages('GET /v1/events', 'events', wanted);
  // Its address of earlier releases.
  if (filters['id']) return <Navigate to={`/webhooks/${filters['id']}`} search={{}} replace />;
  return (
    <>
      <PageHead title="Webhooks">
        What sellers sent. What cannot be trusted or cannot be true is held until somebody decides.
      </PageHead>
      <Group align="flex-end" mb="md" gap="sm">
        <NativeSelect
          label="State"
          data={[...states]}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
        <SellerSelect none="All" value={filters['seller'] ?? ''} onChange={(seller) => set({ seller })} />
        <TextInput
          label="Media buy"
          value={filters['media_buy_id'] ?? ''}
          onChange={({ currentTarget }) => set({ media_buy_id: currentTarget.value })}
        />
        <ClientCampaignSelects hasNone={false} />
        {isHeldBack && (
          <TextInput
            label="Month"
            description="As YYYY-MM"
            maxLength={7}
            value={filters['period'] ?? ''}
            onChange={({ currentTarget }) => set({ period: currentTarget.value.trim() })}
          />
        )}
      </Group>
      <DataTable
        label="Events"
        pages={events}
        columns={eventColumns}
        empty={
          <EmptyState title="No webhook is here">
            Sellers report once something is bought from them.
          </EmptyState>
        }
      />
    </>
  );
}
