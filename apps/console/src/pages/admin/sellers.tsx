import { NativeSelect, TextInput, Group } from '@mantine/core';
import { DataTable, type Column } from '../../parts/data-table.js';
import type { Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { useStops } from '../../parts/stop-button.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';

type Seller = Answer<'GET /v1/sellers'>['sellers'][number];

/** The state, and what blocks it: an emergency stop, an open breaker, a started removal. */
export const healthOf = (
  { state, breaker, draining }: Pick<Seller, 'state' | 'breaker' | 'draining'>,
  isStopped: boolean,
): string =>
  isStopped
    ? 'stopped'
    : draining === true
      ? 'removed after its last buy'
      : breaker === 'open'
        ? 'not answering'
        : state;

const columns: readonly Column<Seller>[] = [
  {
    title: 'Seller',
    cell: ({ slug, name }) => (
      <Go to={`/sellers/${slug}`}>
        <Name of={name} />
      </Go>
    ),
  },
  {
    title: 'Health',
    cell: (one) => <Health one={one} />,
  },
  { title: 'Why', isText: true, cell: ({ reason }) => <Name of={reason} most={160} /> },
  { title: 'Sells', cell: ({ kinds }) => clean(kinds.join(', ')) },
  { title: 'Speaks', cell: ({ protocol, dialect, form }) => `${protocol} · ${dialect} · ${clean(form, 20)}` },
  { title: 'Reports', cell: ({ report_webhooks: how }) => clean(how ?? 'asked for', 40) },
  { title: 'Address', cell: ({ agent_url: url }) => <Name of={url} most={60} /> },
];

function Health({ one }: { readonly one: Seller }) {
  const health = healthOf(one, useStops()(`seller:${one.slug}`) !== undefined);
  return (
    <Explained
      kind="seller"
      of={health}
      tone={health === 'live' ? 'good' : 'bad'}
      why={
        one.reason === undefined || health === 'stopped' ? undefined : <Name of={one.reason} most={1_000} />
      }
      evidence={`Its breaker is ${one.breaker ?? 'closed'}.`}
      cli={health === 'stopped' ? 'npx switchyard stops list' : `npx switchyard sellers test ${one.slug}`}
    />
  );
}

/** Every seller and whether it can be used. */
export function SellersPage() {
  const [filters, set] = useFilters();
  const canOnboard = useMay()('sellers.write');
  const stopOf = useStops();
  const state = filters['state'] ?? 'all';
  const words = (filters['q'] ?? '').toLowerCase();
  const read = usePages('GET /v1/sellers', 'sellers', {});
  const all = read.rows;
  const sellers = {
    ...read,
    rows: all.filter(
      (one) =>
        (state === 'all' ||
          (state === 'live') === (healthOf(one, stopOf(`seller:${one.slug}`) !== undefined) === 'live')) &&
        `${one.slug} ${one.name} ${one.agent_url}`.toLowerCase().includes(words),
    ),
  };
  return (
    <>
      <PageHead title="Sellers" actions={canOnboard && <Go to="/onboard">Onboard a seller</Go>}>
        {all.filter((one) => one.state === 'live' && stopOf(`seller:${one.slug}`) === undefined).length} of{' '}
        {all.length}
        {read.hasNextPage ? ' so far' : ''} are live.
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
      <DataTable
        label="Sellers"
        pages={sellers}
        columns={columns}
        empty={
          <EmptyState title="No seller is here">
            <Go to="/onboard">Onboard one</Go> by its address, or change the filters.
          </EmptyState>
        }
      />
    </>
  );
}
