import { TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useQueries } from '@tanstack/react-query';
import { createContext, use, type ReactNode } from 'react';
import { Avatar } from '../../parts/avatar.js';
import { DayStrip, Spark } from '../../parts/charts.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { api, type Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { healthOf, healthWords, slowMs } from '../../parts/seller-health.js';
import { useStops } from '../../parts/forms/stop-button.js';
import { ageText, timeText } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];
type Figures = Answer<'GET /v1/sellers/{slug}'>['figures'];

/** A part as a percentage. */
export const shareOf = (part: number, all: number): string =>
  `${((100 * part) / all).toFixed(1).replace('100.0', '100')}%`;

/** A duration in minutes as text. */
export const spanText = (minutes: number): string =>
  minutes < 120
    ? `${minutes} min`
    : minutes < 2880
      ? `${Math.round(minutes / 60)} h`
      : `${Math.round(minutes / 1440)} days`;

/** The host of an address, as people say it. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);

const kindWords: Readonly<Record<string, string>> = { sales: 'Sales', signals: 'Audiences' };

const columns: readonly Column<Seller>[] = [
  {
    title: 'Seller',
    text: ({ name }) => name,
    cell: ({ slug, name, agent_url: url, kinds }) => (
      <span className="with-avatar">
        <Avatar of={name} size={28} />
        <span>
          <Go to={`/sellers/${slug}`}>
            <Name of={name} />
          </Go>
          <Quiet>
            <Name of={hostOf(url)} most={60} /> ·{' '}
            {clean(kinds.map((kind) => kindWords[kind] ?? kind).join(', '))}
          </Quiet>
        </span>
      </span>
    ),
  },
  { title: 'State', cell: (row) => <Health seller={row} /> },
  { title: 'Answers, 30 days', cell: ({ slug }) => <Figure of={slug} describe={stripOf} /> },
  { title: 'Answered', isNumber: true, cell: ({ slug }) => <Figure of={slug} describe={answeredText} /> },
  { title: 'Speed (95 of 100)', cell: ({ slug }) => <Figure of={slug} describe={speedOf} /> },
  { title: 'Last figures', isNumber: true, cell: ({ slug }) => <Figure of={slug} describe={lastText} /> },
  { title: 'Running buys', isNumber: true, cell: ({ slug }) => <Figure of={slug} describe={runningText} /> },
  { title: 'Delivered', isNumber: true, cell: ({ slug }) => <Figure of={slug} describe={deliveredOf} /> },
];

/** A duration of an answer for people: `206 ms`, `3.1 s`. */
export const speedText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** How the changes of each of the last 30 days went; a day without any is shown as such. */
export function daysOf({ days }: Pick<Figures, 'days'>) {
  const known = new Map(days.map((one) => [one.day, one]));
  return Array.from({ length: 30 }, (_, at) => {
    const day = new Date(Date.now() - (29 - at) * 86_400_000).toISOString().slice(0, 10);
    const { calls = 0, failed = 0, slowest_ms: slowest = 0 } = known.get(day) ?? {};
    const isBad = calls > 0 && failed * 4 >= calls;
    return {
      day,
      tone:
        calls === 0
          ? 'none'
          : isBad
            ? 'bad'
            : failed > 0 && failed * 50 >= calls
              ? 'warn'
              : slowest > slowMs
                ? 'warn'
                : 'good',
    } as const;
  });
}

/** What the strip of a seller says. */
export const stripText = ({ days }: Pick<Figures, 'days'>): string => {
  const bad = daysOf({ days }).filter(({ tone }) => tone === 'bad' || tone === 'warn').length;
  return bad === 0 ? 'It answered as usual on all days' : `It was slow or failed on ${bad} of 30 days`;
};

const stripOf = (figures: Figures): ReactNode =>
  figures.days.length === 0 ? (
    'nothing was sent'
  ) : (
    <DayStrip days={daysOf(figures)} message={stripText(figures)} />
  );

const answeredText = ({ calls, failed }: Figures): string =>
  calls === 0 ? '–' : shareOf(calls - failed, calls);

function speedOf({ slowest_ms: slowest, days }: Figures): ReactNode {
  if (slowest === undefined) return '–';
  const series = days.flatMap(({ slowest_ms: ms }) => ms ?? []);
  const isSlow = slowest > slowMs;
  return (
    <span className="speed" {...(isSlow && { 'data-tone': 'warn' })}>
      {series.length > 1 && (
        <Spark of={series} width={52} height={22} label="95 of 100 answers, day by day" />
      )}
      <span className={isSlow ? 'toned' : undefined}>{speedText(slowest)}</span>
    </span>
  );
}

function lastText({ last_event_at: at }: Figures): ReactNode {
  if (at === undefined) return '–';
  const isOld = Date.now() - Date.parse(at) > 3 * 86_400_000;
  return (
    <span {...(isOld && { className: 'toned', 'data-tone': 'bad' })} title={timeText(at)}>
      {ageText(at)}
    </span>
  );
}

const runningText = ({ running }: Figures): string => (running === 0 ? '–' : String(running));

/** What it delivered, an amount for each currency; undefined for who may not see it. */
export const deliveredOf = ({ delivered }: Pick<Figures, 'delivered'>): ReactNode =>
  delivered === undefined || delivered.length === 0
    ? '–'
    : delivered.map(({ currency, amount }, at) => (
        <span key={currency}>
          {at > 0 && ', '}
          <Money amount={amount} currency={currency} />
        </span>
      ));

/** The figures of each seller that was read, by slug. */
const FiguresOf = createContext<ReadonlyMap<string, Figures>>(new Map());

/** A figure of a seller, once it is read. */
function Figure({
  of: slug,
  describe,
}: {
  readonly of: string;
  readonly describe: (figures: Figures) => ReactNode;
}) {
  const figures = use(FiguresOf).get(slug);
  return figures === undefined ? '…' : describe(figures);
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
  const figures = use(FiguresOf).get(seller.slug) ?? seller.figures;
  const [words, tone] = healthWords(health, { reason: seller.reason, figures });
  return (
    <Explained
      kind="seller"
      of={health}
      words={words}
      tone={tone}
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

/** Every seller and whether it can be used: those that need somebody first. */
export function SellersPage() {
  const [filters, set] = useFilters();
  const canOnboard = useMay()('sellers.write');
  const shown = filters['show'] ?? 'all';
  const words = (filters['q'] ?? '').toLowerCase();
  const failingPages = usePages('GET /v1/sellers', 'sellers', { failing: 'true' });
  const read = usePages('GET /v1/sellers', 'sellers', { failing: 'false' });
  const figures = new Map([
    ...useFigures({ failing: 'true' }, (failingPages.data?.pageParams ?? []) as readonly string[]),
    ...useFigures({ failing: 'false' }, (read.data?.pageParams ?? []) as readonly string[]),
  ]);
  const drafts = useAnswer('GET /v1/sellers/drafts', {}, canOnboard).data?.drafts.length;
  const found = (row: Seller): boolean =>
    `${row.slug} ${row.name} ${row.agent_url}`.toLowerCase().includes(words);
  const failing = failingPages.rows.filter(found);
  const well = read.rows.filter(found);
  const all = [...failing, ...well];
  const failingSlugs = new Set(failing.map(({ slug }) => slug));
  const kinds: Readonly<Record<string, readonly Seller[]>> = {
    all,
    needs: failing,
    live: well,
    sales: all.filter((row) => row.kinds.includes('sales')),
    audiences: all.filter((row) => row.kinds.includes('signals')),
  };
  const titled = (value: string, title: string) => ({
    value,
    title,
    ...(!read.hasNextPage && { count: kinds[value]?.length ?? 0 }),
  });
  return (
    <>
      <PageHead
        title="Sellers"
        actions={
          canOnboard && (
            <>
              <Link to="/sellers/new" search={{}} hash="import" className="second-act">
                Import a list
              </Link>
              <Link to="/sellers/new" search={{}} className="main-act">
                <IconPlus size={15} stroke={1.7} aria-hidden="true" /> Connect a seller
              </Link>
            </>
          )
        }
      >
        {read.isSuccess &&
          `${all.length}${read.hasNextPage ? '+' : ''} connected · ${failing.length} ${failing.length === 1 ? 'needs' : 'need'} attention`}
      </PageHead>
      <div className="find-row">
        <TextInput
          aria-label="Name or address"
          placeholder="Name or domain"
          leftSection={<IconSearch size={15} stroke={1.7} aria-hidden="true" />}
          value={filters['q'] ?? ''}
          onChange={({ currentTarget }) => set({ q: currentTarget.value })}
        />
        <Chips
          label="Which sellers"
          value={shown}
          options={[
            titled('all', 'All'),
            titled('needs', 'Need attention'),
            titled('live', 'Answer as usual'),
            titled('sales', 'Sales'),
            titled('audiences', 'Audiences'),
          ]}
          onChange={(value) => set({ show: value === 'all' ? undefined : value })}
        />
        {drafts !== undefined && drafts > 0 && <Go to="/sellers/new">Being connected {drafts}</Go>}
        <span className="find-note">last 30 days</span>
      </div>
      <FiguresOf value={figures}>
        <DataTable
          label="Sellers"
          peek={{
            idOf: (row) => row.slug,
            nameOf: (row) => clean(row.name === '' ? row.slug : row.name, 80),
            toOf: (row) => `/sellers/${encodeURIComponent(row.slug)}`,
          }}
          pages={{
            ...(failingPages.hasNextPage ? failingPages : read),
            isPending: read.isPending || failingPages.isPending,
            rows: kinds[shown] ?? all,
          }}
          columns={columns}
          groupOf={({ slug }) =>
            failingSlugs.has(slug)
              ? `Need attention ${failing.length}`
              : `Answer as usual ${well.length}${read.hasNextPage ? '+' : ''}`
          }
          empty={
            <EmptyState title="No seller is here">
              <Go to="/sellers/new">Connect one</Go> by its domain, or change the filters.
            </EmptyState>
          }
        />
      </FiguresOf>
    </>
  );
}
