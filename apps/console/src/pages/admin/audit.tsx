import { Group, NativeSelect, TextInput } from '@mantine/core';
import { DataTable, type Column } from '../../parts/data-table.js';
import type { Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name, clean, wordsOf } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { hasPlace, placeOf } from '../../parts/places.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';

type Act = Answer<'GET /v1/audit'>['events'][number];

const columns: readonly Column<Act>[] = [
  { title: 'Time', text: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', text: ({ actor }) => actor, cell: ({ actor }) => <Name of={actor} most={40} /> },
  { title: 'Did', text: ({ action }) => action, cell: ({ action }) => clean(action).replaceAll('_', ' ') },
  {
    title: 'To',
    text: ({ object_kind: kind, object_name: name, object_id: id }) =>
      [kind, name ?? id].filter(Boolean).join(' '),
    cell: (act) => <About act={act} />,
  },
  {
    title: 'Outcome',
    text: ({ outcome, code }) => [outcome, code].filter(Boolean).join(' '),
    cell: ({ outcome, code, at, request_id: request }) =>
      outcome === undefined ? (
        '–'
      ) : (
        <>
          <Explained
            kind="act"
            of={outcome}
            since={at}
            evidence={
              <>
                {code !== undefined && `Code ${clean(code, 60)}. `}
                {request !== undefined && <Id of={request} />}
              </>
            }
            cli="npx switchyard audit list"
          />{' '}
          {code !== undefined && clean(code, 40)}
        </>
      ),
  },
  {
    title: 'Detail',
    isText: true,
    text: ({ detail }) => (detail === undefined ? '' : wordsOf(detail)),
    cell: ({ detail }) => <Name of={detail === undefined ? '' : wordsOf(detail)} most={120} />,
  },
  {
    title: 'Request',
    text: ({ request_id: id }) => id,
    cell: ({ request_id: id }) => (id === undefined ? '–' : <Id of={id} short />),
  },
];

/** What an act was about, by its name, with a link where a page shows it. */
function About({ act: { object_kind: kind = '', object_name: name, object_id: id } }: { readonly act: Act }) {
  const shown = <Name of={[kind.replaceAll('-', ' '), name ?? id].filter(Boolean).join(' ')} most={60} />;
  // A seller is found by its slug; a brand by its domain, which the record does not have.
  const key = kind === 'seller' || kind === 'principal' || kind === 'period' ? (name ?? id) : id;
  if (key === undefined || kind === 'brand' || !hasPlace(kind)) return shown;
  const { to, search = {} } = placeOf(kind, key, name ?? key);
  return (
    <Go to={to} search={search}>
      {shown}
    </Go>
  );
}

/** Who did what, to which object, when, and with what outcome. */
export function AuditPage() {
  const [filters, set] = useFilters();
  const text = (name: string) => ({
    value: filters[name] ?? '',
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  const wanted = Object.fromEntries(
    ['actor', 'object', 'action'].flatMap((name) =>
      filters[name] === undefined || filters[name] === '' ? [] : [[name, filters[name]]],
    ),
  );
  const { kind = '' } = filters;
  const acts = usePages('GET /v1/audit', 'events', {
    ...wanted,
    ...(kind !== 'all' && { kind: worded(kind === '' ? 'act' : kind) }),
  });
  return (
    <>
      <PageHead title="Who did what">
        Who did what, and what became of it. Nobody can change this record.
      </PageHead>
      <Group align="flex-end" mb="md" gap="sm">
        <NativeSelect
          label="Kind"
          data={[
            { value: '', label: 'Acts of people and programs' },
            { value: 'credential_use', label: 'Uses of a credential' },
            { value: 'all', label: 'All' },
          ]}
          {...text('kind')}
        />
        <TextInput label="Who" {...text('actor')} />
        <TextInput label="Act" placeholder="suspend_seller" {...text('action')} />
        <TextInput label="Object" {...text('object')} />
      </Group>
      <DataTable
        label="Acts"
        pages={acts}
        columns={columns}
        empty={
          <EmptyState title="No act is like this">
            Change the filters: each is the whole name or id.
          </EmptyState>
        }
      />
    </>
  );
}
