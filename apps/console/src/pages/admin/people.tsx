import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  List,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { useScopeText } from '../../parts/forms/scope-select.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay, useRefresh, useRows } from '../../parts/use-rows.js';
import { PersonCard } from './person.js';
import { Teams } from './teams.js';
import { RoleSelect, ScopeInput, type Principal } from './role-fields.js';

const columns: readonly Column<Principal>[] = [
  {
    title: 'Name',
    cell: ({ name }) => (
      <Go to="/people" search={{ principal: name }}>
        <Name of={name} />
      </Go>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => kind },
  {
    title: 'Roles',
    cell: ({ grants = [] }) => <RolesOf grants={grants} />,
  },
  {
    title: 'State',
    cell: ({ revoked_at: at, created_at: since, name }) => (
      <Explained
        kind="principal"
        of={at === undefined ? 'active' : 'revoked'}
        since={at ?? since}
        evidence={
          <Go to="/people" search={{ principal: name }}>
            Its card
          </Go>
        }
        cli="npx switchyard principals list"
      />
    ),
  },
  { title: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens.length },
  { title: 'Since', cell: ({ created_at: at }) => <Time at={at} dateOnly /> },
];

function RolesOf({ grants }: { readonly grants: NonNullable<Principal['grants']> }) {
  const text = useScopeText();
  if (grants.length === 0) return '–';
  return grants.map(({ role, scope }) => (
    <div key={`${role} ${scope}`}>
      <Name of={`${role} in ${text(scope)}`} most={80} />
    </div>
  ));
}

/** Principals, with their roles and scopes. */
export function PeoplePage() {
  const [filters, set] = useFilters();
  const canAdd = useMay()('principals.write');
  const state = filters['state'] ?? 'active';
  const principals = usePages(
    'GET /v1/principals',
    'principals',
    state === 'all' ? {} : { revoked: state === 'revoked' ? 'true' : 'false' },
  );
  const wanted = filters['principal'];
  const named = useRows(
    'GET /v1/principals',
    ({ principals: all }) => all,
    { query: { principal: wanted ?? '' } },
    wanted !== undefined,
  );
  const [chosen] = wanted === undefined ? [] : named.rows;
  return (
    <>
      <PageHead title="People and access">
        People, buyers, brands and services: their roles, links and tokens.
      </PageHead>
      <Stack>
        {chosen !== undefined && (
          <PersonCard
            key={chosen.principal_id}
            principal={chosen}
            onClose={() => set({ principal: undefined })}
          />
        )}
        <NativeSelect
          label="State"
          w={160}
          data={['active', 'revoked', 'all']}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
        <div>
          <DataTable
            label="People"
            pages={principals}
            columns={columns}
            empty={<EmptyState title="Nobody is here">Add the first person below.</EmptyState>}
          />
        </div>
        {canAdd && <Invite />}
        {canAdd && <Add onAdded={(name) => set({ principal: name })} />}
        <Teams wanted={filters['team']} />
      </Stack>
    </>
  );
}

/** Invites a person by a link, which is shown once, and lists open invitations. */
function Invite() {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('');
  const [scope, setScope] = useState('organization');
  const [made, setMade] = useState<Answer<'POST /v1/invitations'>>();
  const refresh = useRefresh();
  const open = useRows('GET /v1/invitations', ({ invitations: all }) => all, { query: { open: 'true' } });
  const canEnd = useMay()('principals.delete');
  const text = useScopeText();
  return (
    <ActForm
      title="Invite somebody"
      label="Invite"
      isReady={email.includes('@') && role !== '' && scope.trim() !== ''}
      act={async () => {
        const body = { email: email.trim(), role, scope: scope.trim() };
        setMade(await api('POST /v1/invitations', { body }));
        setEmail('');
      }}
    >
      <TextInput
        label="E-mail address"
        description="With which they will sign in. The link is sent there if this installation sends mail."
        type="email"
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <RoleSelect value={role} onChange={setRole} />
        <ScopeInput value={scope} onChange={setScope} />
      </Group>
      {made !== undefined && (
        <Alert
          color="warn"
          variant="outline"
          role="status"
          title="The link of the invitation: it is shown once"
        >
          <Code block>{made.link}</Code>
          <Text size="sm" my="xs">
            Whoever opens it first chooses a password and comes in.{' '}
            {made.mailed
              ? 'It was mailed to the address.'
              : 'No mail is sent: send it on a way that you trust.'}
            {made.ended !== undefined &&
              ' The invitation that was open for this address has ended: its link lets nobody in any more.'}
          </Text>
          <CopyButton value={made.link}>
            {({ copied, copy }) => (
              <Button size="xs" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Alert>
      )}
      {open.rows.length > 0 && (
        <List size="sm" aria-label="Open invitations">
          {open.rows.map((row) => (
            <List.Item key={row.invitation_id}>
              <Group gap="xs">
                <span>
                  <Name of={`${row.email}, ${row.role} in ${text(row.scope)}`} most={120} />, until{' '}
                  <Time at={row.expires_at} />
                </span>
                {canEnd && (
                  <ConfirmButton
                    label="Withdraw"
                    size="compact-sm"
                    variant="default"
                    done="The invitation is withdrawn."
                    act={async () => {
                      await api('DELETE /v1/invitations/{id}', { params: { id: row.invitation_id } });
                      await refresh();
                    }}
                  >
                    Its link lets nobody in any more.
                  </ConfirmButton>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      )}
    </ActForm>
  );
}

function Add({ onAdded }: { readonly onAdded: (name: string) => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<string>('person');
  const [role, setRole] = useState('');
  const [scope, setScope] = useState('organization');
  const [brand, setBrand] = useState('');
  const add = async (): Promise<void> => {
    await api('POST /v1/principals', {
      body: {
        name: name.trim(),
        kind: kind as Principal['kind'],
        scheme: 'none',
        grants: role === '' ? [] : [{ role, scope: scope.trim() }],
        ...(kind === 'brand' && { brand_domain: brand.trim() }),
      },
    });
    onAdded(name.trim());
    setName('');
  };
  return (
    <ActForm
      title="Add somebody"
      label="Add"
      done={kind === 'person' ? 'Added. A sign-in link lets them in.' : 'Added. A token lets its program in.'}
      act={add}
      isReady={name.trim() !== '' && (kind !== 'person' || role !== '')}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label="Name"
          description="As it stands in the audit record"
          required
          maxLength={100}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <NativeSelect
          label="Kind"
          description="Who or what it is"
          data={['person', 'buyer', 'brand', 'service']}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value)}
        />
        {kind === 'brand' && (
          <TextInput
            label="Domain of the brand"
            description="For example acme.example"
            required
            value={brand}
            onChange={({ currentTarget }) => setBrand(currentTarget.value)}
          />
        )}
        <RoleSelect
          value={role}
          onChange={setRole}
          {...(kind !== 'person' && { none: 'None: what is usual for its kind' })}
        />
        <ScopeInput value={scope} onChange={setScope} />
      </Group>
    </ActForm>
  );
}
