import { Loader } from '@mantine/core';
import { ErrorPanel } from '../../parts/error-panel.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Chips } from '../../parts/chips.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Needs, useNeeds, type Need } from '../../parts/needs.js';
import { PageHead } from '../../parts/page-head.js';

const parts: readonly (readonly [name: string, title: string, has: (need: Need) => boolean])[] = [
  ['all', 'All', () => true],
  ['money', 'Costs money', ({ loses }) => loses],
  ['approve', 'To approve', ({ kind }) => kind === 'approve' || kind === 'reopen'],
  ['buys', 'Campaigns and buys', ({ object }) => object.kind === 'campaign' || object.kind === 'media_buy'],
  ['finance', 'Finance', ({ object }) => ['break', 'aging', 'period', 'event'].includes(object.kind)],
  [
    'market',
    'Sellers',
    ({ object }) => ['seller', 'credential', 'alarm', 'outgoing-event'].includes(object.kind),
  ],
];

/** Everything that waits for the reader. */
export function InboxPage() {
  const [filters, set] = useFilters();
  const needs = useNeeds();
  const all = needs.data?.needs ?? [];
  const wanted = filters['show'] ?? 'all';
  const shown = all.filter(parts.find(([name]) => name === wanted)?.[2] ?? (() => true));
  return (
    <>
      <PageHead title="Inbox">What waits for you. A line leaves by itself when it is done.</PageHead>
      {needs.isPending && <Loader role="status" aria-label="Loading what needs you" />}
      {needs.isError && <ErrorPanel error={needs.error} again={() => void needs.refetch()} />}
      {all.length > 0 && (
        <Chips
          label="Which"
          value={wanted}
          onChange={(show) => set({ show: show === 'all' ? undefined : show })}
          options={parts.map(([value, title, has]) => ({ value, title, count: all.filter(has).length }))}
        />
      )}
      {needs.isSuccess && all.length === 0 && (
        <EmptyState title="Nothing needs you">What you may decide or repair would stand here.</EmptyState>
      )}
      {all.length > 0 && shown.length === 0 && (
        <EmptyState title="Nothing under these filters">
          <Go to="/inbox">Clear the filters</Go>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <section className="panel" aria-label="Needs you">
          <Needs of={shown} />
        </section>
      )}
    </>
  );
}
