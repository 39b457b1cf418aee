import { Checkbox, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer, type Sent } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { useScopeText } from '../../parts/forms/scope-select.js';
import { Panel } from '../../parts/panel.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { RoleMatrix, titleOf } from './role-matrix.js';

type Role = Answer<'GET /v1/roles'>['roles'][number];
type Grant = Answer<'GET /v1/grants'>['grants'][number];
type Wanted = NonNullable<Sent<'POST /v1/roles/{name}'>['body']>['permissions'];

const ways = ['read', 'write', 'delete', 'approve'] as const;
/** The permissions that a role may have, by area. */
const areas: Readonly<Record<keyof Wanted, readonly (typeof ways)[number][]>> = {
  products: ['read'],
  media_buys: ways,
  creatives: ways,
  signals: ways,
  reports: ['read'],
  clients: ['read', 'write'],
  sellers: ways,
  ledger: ['read', 'write', 'approve'],
  delegations: ['read', 'write', 'delete'],
  principals: ['read', 'write', 'delete'],
};

const grantColumns: readonly Column<Grant>[] = [
  {
    title: 'Who',
    cell: ({ principal, team = '' }) =>
      principal === undefined ? (
        <Go to="/people" search={{ team }}>
          <Name of={`Team ${team}`} most={60} />
        </Go>
      ) : (
        <Go to="/people" search={{ principal }}>
          <Name of={principal} most={60} />
        </Go>
      ),
  },
  {
    title: 'Role',
    cell: ({ role }) => (
      <Go to="/people/roles" search={{ role }}>
        {role}
      </Go>
    ),
  },
  { title: 'In the scope', cell: ({ scope }) => <ScopeName of={scope} /> },
  { title: 'Since', cell: ({ created_at: at }) => <Time at={at} dateOnly /> },
  { title: 'Act', cell: (row) => <TakeAway grant={row} /> },
];

function ScopeName({ of }: { readonly of: string }) {
  return <Name of={useScopeText()(of)} most={80} />;
}

/** The permissions of each role, and who has it in which scope. */
export function RolesPage() {
  const [filters, set] = useFilters();
  const canEdit = useMay()('principals.write');
  const roles = useRows('GET /v1/roles', ({ roles: all }) => all);
  const grants = usePages('GET /v1/grants', 'grants', {});
  const chosen = roles.rows.find(({ role }) => role === filters['role']);
  return (
    <>
      <PageHead title="Roles">
        What each role may do, and who has it in which scope. A change holds from the next request on.
      </PageHead>
      <Stack>
        <Panel title="Roles" about="choose one to change it" isFlush>
          <RoleMatrix shown={chosen === undefined ? [] : [chosen.role]} />
        </Panel>
        {chosen !== undefined && (
          <p className="panel-small">
            <Name of={titleOf(chosen.role)} /> is{' '}
            {chosen.built_in ? 'built in' : 'a role of your organization'}. Exactly:{' '}
            <May permissions={chosen.permissions} />.
          </p>
        )}
        {canEdit && (
          <RoleForm
            key={`${chosen?.role ?? ''} ${JSON.stringify(chosen?.permissions)}`}
            chosen={chosen}
            onSaved={(role) => set({ role })}
          />
        )}
        <Title order={2} size="h4">
          Who has which role
        </Title>
        <div>
          <DataTable
            label="Who has which role"
            pages={
              chosen === undefined
                ? grants
                : { ...grants, rows: grants.rows.filter(({ role }) => role === chosen.role) }
            }
            columns={grantColumns}
            empty={
              <EmptyState
                title={chosen === undefined ? 'Nobody has a role' : `Nobody has the role ${chosen.role}`}
              >
                Give one on the card of a person: <Go to="/people">People</Go>. Who started the instance holds
                everything without a role.
              </EmptyState>
            }
          />
        </div>
      </Stack>
    </>
  );
}

function May({ permissions }: { readonly permissions: Role['permissions'] }) {
  return Object.entries(permissions)
    .filter(([, held]) => held.length > 0)
    .map(([area, held]) => `${area.replaceAll('_', ' ')}: ${held.join(', ')}`)
    .join('; ');
}

/** One row for each area, one box for each permission; of a chosen role, or of a new one. */
function RoleForm({
  chosen,
  onSaved,
}: {
  readonly chosen: Role | undefined;
  readonly onSaved: (role: string) => void;
}) {
  const [name, setName] = useState(chosen?.role ?? '');
  const [held, setHeld] = useState<Readonly<Record<string, readonly string[]>>>(chosen?.permissions ?? {});
  const toggle = (area: string, way: string): void =>
    setHeld((old) => {
      const now = old[area] ?? [];
      return { ...old, [area]: now.includes(way) ? now.filter((choice) => choice !== way) : [...now, way] };
    });
  const save = async (): Promise<void> => {
    const stored = Object.entries(held).filter(([, all]) => all.length > 0);
    await api('POST /v1/roles/{name}', {
      params: { name: name.trim() },
      body: { permissions: Object.fromEntries(stored) },
    });
    onSaved(name.trim());
  };
  return (
    <ActForm
      title={chosen === undefined ? 'Make a role' : `Edit the role ${chosen.role}`}
      label="Save the role"
      done="The role is saved. It holds from the next request on."
      act={save}
      isReady={name.trim() !== ''}
      also={chosen !== undefined && <Go to="/people/roles">Make a new one instead</Go>}
    >
      <TextInput
        label="Name"
        description="Small letters, digits, - and _. An existing name changes that role."
        maw={320}
        required
        value={name}
        readOnly={chosen !== undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <ScrollTable label="What it may do">
        <Table.Tbody>
          {Object.entries(areas).map(([area, possible]) => (
            <Table.Tr key={area}>
              <Table.Th scope="row">{area.replaceAll('_', ' ')}</Table.Th>
              <Table.Td>
                <Group gap="md">
                  {possible.map((way) => (
                    <Checkbox
                      key={way}
                      label={way}
                      aria-label={`${area.replaceAll('_', ' ')}: ${way}`}
                      checked={held[area]?.includes(way) === true}
                      onChange={() => toggle(area, way)}
                    />
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      <Text size="sm" c="dimmed">
        Nobody can give a role more than they hold themselves in the whole organization.
      </Text>
    </ActForm>
  );
}

function TakeAway({ grant }: { readonly grant: Grant }) {
  if (!useMay()('principals.delete')) return '–';
  return (
    <ConfirmButton
      label="Take it away"
      size="compact-sm"
      variant="default"
      aria-label={`Take it away: ${grant.role} from ${grant.principal}`}
      done="The role is taken away."
      act={() => api('DELETE /v1/grants/{id}', { params: { id: grant.grant_id } })}
    >
      <Name of={grant.principal} /> does not hold {grant.role} in {grant.scope} from the next request on.
    </ConfirmButton>
  );
}
