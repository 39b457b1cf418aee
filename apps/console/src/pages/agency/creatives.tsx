import { Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '../../api/client.js';
import { isShort } from '../../api/live.js';
import { atSellers, isObject, objectsIn, task, textAt } from '../../api/task.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import type { Peek } from '../../parts/peek.js';
import { Quiet } from '../../parts/quiet.js';
import { SellerName } from '../../parts/seller-name.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useMay } from '../../parts/use-rows.js';

/** A creative in the panel beside its list. */
export const creativePeek: Peek<JsonObject> = {
  idOf: (row) => textAt(row['creative_id']),
  nameOf: (row) => clean(textAt(row['name']) || textAt(row['creative_id']), 80),
  toOf: (row) => `/creatives/${encodeURIComponent(textAt(row['creative_id']))}`,
};

/** The columns of a list of creatives. */
export const creativeColumns: readonly Column<JsonObject>[] = [
  {
    title: 'Creative',
    text: (row) => textAt(row['creative_id']),
    cell: (row) => (
      <>
        <Go to={`/creatives/${encodeURIComponent(textAt(row['creative_id']))}`}>
          <Name of={textAt(row['name']) || textAt(row['creative_id'])} />
        </Go>
        <div>
          <Id of={textAt(row['creative_id'])} />
        </div>
      </>
    ),
  },
  { title: 'Format', text: formatOf, cell: (row) => <Name of={formatOf(row)} /> },
  {
    title: 'Status',
    text: (row) => textAt(row['status']),
    cell: (row) => (
      <Explained
        kind="creative"
        of={textAt(row['status'])}
        since={textAt(row['updated_date'])}
        cli={`npx switchyard search ${textAt(row['creative_id'])}`}
      />
    ),
  },
  {
    title: 'At each seller',
    text: (row) =>
      atSellers(row)
        .map((at) => `${textAt(at['seller'])} ${textAt(at['status'])}`)
        .join(', '),
    cell: (row) =>
      atSellers(row).length === 0
        ? 'No seller has it yet'
        : atSellers(row).map((at) => <AtSeller key={textAt(at['seller'])} at={at} />),
  },
  {
    title: 'Changed',
    text: (row) => textAt(row['updated_date']),
    cell: (row) => <Time at={textAt(row['updated_date'])} />,
  },
];

export function formatOf(row: JsonObject): string {
  return isObject(row['format_id']) ? textAt(row['format_id']['id']) : '';
}

const creativeStatuses = ['processing', 'pending_review', 'approved', 'rejected', 'archived'] as const;

/** The decision of one seller. */
export function AtSeller({ at }: { readonly at: JsonObject }) {
  const status = textAt(at['status']);
  const reason = textAt(at['reason']);
  const packages = objectsIn(at['packages']);
  return (
    <Group gap={6} mih={28}>
      <SellerName of={textAt(at['seller'])} size={18} />
      <Status
        of={status}
        explain={{
          why: (
            <Name
              of={reason || `The seller says ${status.replaceAll('_', ' ')}, and gives no reason.`}
              most={1_000}
            />
          ),
          since: textAt(at['as_of']),
          evidence:
            packages.length > 0 &&
            packages.map((part) => (
              <div key={textAt(part['package_id'])}>
                <Name of={textAt(part['package_id'])} />: {textAt(part['approval_status'])}
              </div>
            )),
          next:
            status === 'rejected'
              ? 'Change the creative and send it again.'
              : 'Nothing, until the seller says something else.',
          cli: `npx switchyard creatives list`,
        }}
      />
      {reason !== '' && (
        <Quiet>
          <Name of={reason} most={160} />
        </Quiet>
      )}
    </Group>
  );
}

/** Creatives of the library in pages, by the filters of `list_creatives`. */
export function useCreatives(wanted: object) {
  const list = useInfiniteQuery({
    queryKey: ['creatives', 'pages', wanted],
    queryFn: ({ pageParam }) =>
      task('list_creatives', {
        pagination: { limit: 100, ...(pageParam !== '' && { cursor: pageParam }) },
        ...(Object.keys(wanted).length > 0 && { filters: wanted }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) =>
      isObject(pagination) && pagination['has_more'] === true ? textAt(pagination['cursor']) : undefined,
    refetchOnMount: isShort,
    refetchOnReconnect: isShort,
    refetchOnWindowFocus: isShort,
  });
  const rows = useMemo(
    () => (list.data?.pages ?? []).flatMap((page) => objectsIn(page['creatives'])),
    [list.data],
  );
  return { ...list, rows };
}

/** Creatives, and each seller's decision about each. */
export function CreativesPage() {
  const [filters, setFilters] = useFilters();
  const { creative_id: creativeId, media_buy_id: buyId, status } = filters;
  const wanted = {
    ...(creativeId ? { creative_ids: [creativeId] } : {}),
    ...(buyId ? { media_buy_ids: [buyId] } : {}),
    ...(status ? { statuses: [status] } : {}),
  };
  const pages = useCreatives(wanted);
  return (
    <Stack>
      <PageHead
        title="Creatives"
        actions={
          useMay()('creatives.write') && (
            <Link to="/creatives/new" search={{}} className="main-act">
              New creative
            </Link>
          )
        }
      >
        What each seller accepted, reviews or refused.
      </PageHead>
      <Group gap="xs" align="flex-end" role="search" aria-label="Filters of creatives">
        <NativeSelect
          label="Status"
          data={[
            { value: '', label: 'All' },
            ...creativeStatuses.map((text) => ({ value: text, label: text.replaceAll('_', ' ') })),
          ]}
          value={status ?? ''}
          onChange={({ currentTarget }) => setFilters({ status: currentTarget.value })}
        />
        {(
          [
            ['creative_id', 'Creative id'],
            ['media_buy_id', 'Media buy id'],
          ] as const
        ).map(([name, label]) => (
          <TextInput
            key={`${name} ${filters[name] ?? ''}`}
            label={label}
            defaultValue={filters[name] ?? ''}
            onBlur={({ currentTarget }) => setFilters({ [name]: currentTarget.value.trim() })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') setFilters({ [name]: event.currentTarget.value.trim() });
            }}
          />
        ))}
      </Group>
      <DataTable
        label="Creatives"
        peek={creativePeek}
        pages={pages}
        columns={creativeColumns}
        empty={
          <EmptyState title="No creative is here">
            Upload one, or let your agent send it with the task <code>sync_creatives</code>.{' '}
            <Go to="/creatives">Show all creatives</Go>
          </EmptyState>
        }
      />
    </Stack>
  );
}
