import { NativeSelect, TextInput, Group } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { Avatar } from '../../parts/avatar.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { api, type Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { healthOf } from '../../parts/seller-health.js';
import { useStops } from '../../parts/forms/stop-button.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];
type Figures = Answer<'GET /v1/sellers/{slug}'>['figures'];

/** A part as a percentage. */
export const shareOf = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)}%`;

/** A duration in minutes as text. */
export const spanText = (minutes: number): string =>
  minutes < 120
    ? `${minutes} min`
    : minutes < 2880
      ? `${Math.round(minutes / 60)} h`
      : `${Math.round(minutes / 1440)} days`;

const columns: readonly Column<Seller>[] = [
  {
    title: 'Seller',
    cell: ({ slug, name, agent_url: url }) => (
      <span className="with-avatar">
        <Avatar of={name} size={28} />
        <span>
          <Go to={`/sellers/${slug}`}>
            <Name of={name} />
          </Go>
          <Quiet>
            <Name of={url} most={60} />
          </Quiet>
        </span>
      </span>
    ),
  },
  {
    title: 'Health',
    cell: (row) => (
      <>
        <Health seller={row} />
        {row.reason !== undefined && (
          <Quiet>
            <Name of={row.reason} most={160} />
          </Quiet>
        )}
      </>
    ),
  },
  { title: 'Sells', cell: ({ kinds }) => clean(kinds.join(', ')) },
  { title: 'Speaks', cell: ({ protocol, dialect, form }) => `${protocol} · ${dialect} · ${clean(form, 20)}` },
  { title: 'Changes, 30 days', cell: ({ slug }) => <Figure of={slug} describe={changesText} /> },
  {
    title: 'Reports, 30 days',
    cell: ({ slug, report_webhooks: how }) => (
      <>
        {clean(how ?? 'asked for', 40)}
        <Quiet>
          <Figure of={slug} describe={reportsText} />
        </Quiet>
      </>
    ),
  },
];

/** Latency and errors of what was sent to it. */
function changesText({ calls, failed, slowest_ms: slowest }: Figures): string {
  if (calls === 0) return 'none';
  const late = slowest === undefined ? '' : `, 95 of 100 within ${slowest} ms`;
  return `${shareOf(failed, calls)} failed of ${calls}${late}`;
}

/** How late its reports are, and how many days it corrected. */
function reportsText({ reported_after: after, restated }: Figures): string {
  if (after === undefined) return 'none came';
  return `${spanText(after.median_minutes)} after a day's end, ${restated.days} ${restated.days === 1 ? 'day' : 'days'} restated`;
}

/** The figures of each seller that was read, by slug. */
const FiguresOf = createContext<ReadonlyMap<string, Figures>>(new Map());

/** A figure of a seller, once it is read. */
function Figure({
  of: slug,
  describe,
}: {
  readonly of: string;
  readonly describe: (figures: Figures) => string;
}) {
  const figures = use(FiguresOf).get(slug);
  return figures === undefined ? '–' : describe(figures);
}

/** Reads the figures of whole pages of the list, by their cursors: one request for each page. */
function useFigures(filter: Failing, cursors: readonly string[]): ReadonlyMap<string, Figures> {
  return useQueries({
    queries: cursors.map((cursor) => ({
      // No noun of a route: what happens at the sellers does not have it read again all the time.
      queryKey: ['figures of sellers', filter, cursor],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api('GET /v1/sellers', {
          query: { ...filter, figures: 'yes', limit: '100', ...(cursor !== '' && { cursor }) },
          signal,
        }),
      staleTime: 300_000,
    })),
    combine: figuresBySlug,
  });
}

/** The same function on each draw: what it makes stays the same until an answer changes. */
function figuresBySlug(
  pages: readonly { readonly data: Answer<'GET /v1/sellers'> | undefined }[],
): ReadonlyMap<string, Figures> {
  const sellers = pages.flatMap(({ data }) => data?.sellers ?? []);
  return new Map(sellers.flatMap(({ slug, figures }) => (figures === undefined ? [] : [[slug, figures]])));
}

/** What a seller can do for us now, and why. */
export function Health({ seller }: { readonly seller: Seller }) {
  const health = healthOf(seller, useStops()(`seller:${seller.slug}`) !== undefined);
  return (
    <Explained
      kind="seller"
      of={health}
      tone={health === 'live' ? 'good' : 'bad'}
      why={
        seller.reason === undefined || health === 'stopped' ? undefined : (
          <Name of={seller.reason} most={1_000} />
        )
      }
      evidence={`Its breaker is ${seller.breaker ?? 'closed'}.`}
      cli={health === 'stopped' ? 'npx switchyard stops list' : `npx switchyard sellers test ${seller.slug}`}
    />
  );
}

interface Failing {
  readonly failing?: 'true' | 'false';
}
const healthFilters: Readonly<Record<string, Failing>> = {
  live: { failing: 'false' },
  not: { failing: 'true' },
};

/** Every seller and whether it can be used. */
export function SellersPage() {
  const [filters, set] = useFilters();
  const canOnboard = useMay()('sellers.write');
  const state = filters['state'] ?? 'all';
  const words = (filters['q'] ?? '').toLowerCase();
  const instance = useAnswer('GET /v1/instance');
  const filter = healthFilters[state] ?? {};
  const read = usePages('GET /v1/sellers', 'sellers', filter);
  const figures = useFigures(filter, (read.data?.pageParams ?? []) as readonly string[]);
  const sellers = {
    ...read,
    rows: read.rows.filter((row) => `${row.slug} ${row.name} ${row.agent_url}`.toLowerCase().includes(words)),
  };
  return (
    <>
      <PageHead title="Sellers" actions={canOnboard && <Go to="/sellers/new">Connect a seller</Go>}>
        {instance.data && `${instance.data.sellers_live} of ${instance.data.sellers} can be used.`}
      </PageHead>
      <Group align="flex-end" mb="md" gap="sm">
        <NativeSelect
          label="Health"
          data={[
            { value: 'all', label: 'All' },
            { value: 'live', label: 'Live' },
            { value: 'not', label: 'Needs somebody' },
          ]}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
        <TextInput
          label="Name or address"
          value={filters['q'] ?? ''}
          onChange={({ currentTarget }) => set({ q: currentTarget.value })}
        />
      </Group>
      <FiguresOf value={figures}>
        <DataTable
          label="Sellers"
          pages={sellers}
          columns={columns}
          empty={
            <EmptyState title="No seller is here">
              <Go to="/sellers/new">Onboard one</Go> by its address, or change the filters.
            </EmptyState>
          }
        />
      </FiguresOf>
    </>
  );
}
