import { Alert, Button, Code, CopyButton, Group, List, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Avatar } from '../../parts/avatar.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { useScopeText } from '../../parts/forms/scope-select.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { PersonCard } from './person.js';
import { Teams } from './teams.js';
import { RoleMatrix, titleOf } from './role-matrix.js';
import { RoleSelect, ScopeInput, type Principal } from './role-fields.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** When a person or program was last here, by the newest use of its tokens and sessions. */
const lastHere = ({ tokens }: Principal): string | undefined =>
  tokens
    .flatMap(({ last_used_at: at }) => at ?? [])
    .sort()
    .at(-1);

const columns: readonly Column<Principal>[] = [
  {
    title: 'Person',
    text: ({ name }) => name,
    cell: ({ name, kind, brand_domain: brand, email }) => (
      <span className="with-avatar">
        <Avatar of={name} size={26} isPerson={kind === 'person'} />
        <span>
          <Go to="/people" search={{ principal: name }}>
            <Name of={name} />
          </Go>
          {kind === 'person' ? (
            email !== undefined && (
              <Quiet isOneLine>
                <bdi>{clean(email, 60)}</bdi>
              </Quiet>
            )
          ) : (
            <Quiet>
              {kindWords[kind]}
              {brand !== undefined && (
                <>
                  , <Name of={brand} most={40} />
                </>
              )}
            </Quiet>
          )}
        </span>
      </span>
    ),
  },
  {
    title: 'Roles',
    cell: ({ grants = [] }) =>
      grants.length === 0 ? '–' : [...new Set(grants.map(({ role }) => titleOf(role)))].join(', '),
  },
  { title: 'Where', cell: ({ grants = [] }) => <Where grants={grants} /> },
  {
    title: 'Sign-in',
    text: ({ revoked_at: at, sign_in: way }) => (at === undefined ? (way ?? 'token') : 'revoked'),
    cell: (row) => <SignIn of={row} />,
  },
  { title: 'Last here', isNumber: true, cell: (row) => <Time at={lastHere(row)} ago /> },
];

const ways = {
  passkey: ['Passkey', 'good', 'A passkey cannot be copied or guessed.', 'Nothing.'],
  code: ['Code', 'good', 'A password, and a code of an authenticator app.', 'Nothing.'],
  provider: [
    'Company',
    'good',
    'The sign-in provider of the organization vouches for this person.',
    'Nothing.',
  ],
  password: [
    'Password only',
    'warn',
    'Whoever learns the password can act as this person.',
    'Ask for a passkey or an authenticator app, or demand one under Sign-in.',
  ],
  link: [
    'Link only',
    'warn',
    'No password and no passkey is set up: a link of a colleague is the only way in.',
    'The person sets up a passkey under Your account.',
  ],
  token: ['Token', 'gray', 'A program signs in with a token or signs its requests.', 'Nothing.'],
} as const;

/** How a person or program signs in, and whether it still may. */
function SignIn({ of }: { readonly of: Principal }) {
  const { revoked_at: at, created_at: since, name, sign_in: way = 'token' } = of;
  const [words, tone, why, next] =
    at === undefined ? ways[way] : (['Revoked', 'bad', 'It can do nothing here.', 'Nothing.'] as const);
  return (
    <Status
      of={words}
      tone={tone}
      explain={{
        why,
        since: at ?? since,
        evidence: (
          <Go to="/people" search={{ principal: name }}>
            <Name of={name} />
          </Go>
        ),
        next,
        cli: 'npx switchyard principals list',
      }}
    />
  );
}

const kindWords = { person: 'person', buyer: 'buyer', brand: 'brand', service: 'service' } as const;

function Where({ grants }: { readonly grants: NonNullable<Principal['grants']> }) {
  const text = useScopeText();
  if (grants.length === 0) return '–';
  const scopes = [...new Set(grants.map(({ scope }) => scope))];
  return scopes
    .map((scope) =>
      scope === 'organization' ? 'everywhere' : text(scope).replace(/^(client|brand|campaign) /, ''),
    )
    .join(', ');
}

/** People and programs, with their roles and where these hold; one of them, and what a role may do, beside the list. */
export function PeoplePage() {
  const [filters, set] = useFilters();
  const canAdd = useMay()('principals.write');
  const state = filters['state'] ?? 'active';
  const kind = kinds.find((known) => known === filters['kind']);
  const role = filters['role'];
  const principals = usePages('GET /v1/principals', 'principals', {
    ...(state !== 'all' && { revoked: state === 'revoked' ? ('true' as const) : ('false' as const) }),
    ...(kind !== undefined && { kind }),
    ...(role !== undefined && { role }),
  });
  const wanted = filters['principal'];
  const named = useRows(
    'GET /v1/principals',
    ({ principals: all }) => all,
    { query: { principal: wanted ?? '' } },
    wanted !== undefined,
  );
  const [chosen] = wanted === undefined ? [] : named.rows;
  const count = principals.isSuccess && !principals.hasNextPage ? principals.rows.length : undefined;
  return (
    <>
      <PageHead
        title="People and access"
        actions={
          canAdd && (
            <>
              <Button variant="default" onClick={() => showForm('add')}>
                Add a person or program
              </Button>
              <Button onClick={() => showForm('invite')}>Invite</Button>
            </>
          )
        }
      >
        {count ?? 'All'} {count === 1 ? 'person or program' : 'people and programs'} with their roles, links
        and tokens.
      </PageHead>
      <div className="columns people">
        <div className="column">
          <div>
            <Chips
              label="State"
              value={state}
              options={[
                { value: 'active', title: 'Active' },
                { value: 'revoked', title: 'Revoked' },
                { value: 'all', title: 'All' },
              ]}
              onChange={(value) => set({ state: value === 'active' ? undefined : value })}
            />
            <Chips
              label="Kind"
              value={kind ?? ''}
              options={[
                { value: '', title: 'All kinds' },
                { value: 'person', title: 'People' },
                { value: 'service', title: 'Services' },
                { value: 'brand', title: 'Brands' },
                { value: 'buyer', title: 'Buyers' },
              ]}
              onChange={(value) => set({ kind: value === '' ? undefined : value })}
            />
            <DataTable
              label="People"
              pages={principals}
              columns={columns}
              empty={<EmptyState title="Nobody is here">Add the first person below.</EmptyState>}
            />
          </div>
          {canAdd && (
            <div id="invite">
              <Invite />
            </div>
          )}
          {canAdd && (
            <div id="add">
              <Add onAdded={(name) => set({ principal: name })} />
            </div>
          )}
          <Teams wanted={filters['team']} />
        </div>
        <div className="column">
          {chosen !== undefined && (
            <PersonCard
              key={chosen.principal_id}
              principal={chosen}
              onClose={() => set({ principal: undefined })}
            />
          )}
          <Panel title="What a role may do" acts={<Go to="/people/roles">Roles</Go>} isFlush>
            <RoleMatrix shown={(chosen?.grants ?? []).map(({ role: own }) => own)} />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** Brings a form of this page into sight, and into its first field. */
function showForm(id: string): void {
  const form = document.getElementById(id);
  form?.scrollIntoView({ block: 'center' });
  form?.querySelector('input')?.focus({ preventScroll: true });
}

const kinds = ['person', 'service', 'brand', 'buyer'] as const;

/** Invites a person by a link, which is shown once, and lists open invitations. */
function Invite() {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('');
  const [scope, setScope] = useState('organization');
  const [made, setMade] = useState<Answer<'POST /v1/invitations'>>();
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
        {...bindText(email, setEmail)}
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
            Whoever opens it first chooses a password and signs in with it.{' '}
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
                    act={() => api('DELETE /v1/invitations/{id}', { params: { id: row.invitation_id } })}
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
          {...bindText(name, setName)}
        />
        <NativeSelect
          label="Kind"
          description="Who or what it is"
          data={['person', 'buyer', 'brand', 'service']}
          {...bindText(kind, setKind)}
        />
        {kind === 'brand' && (
          <TextInput
            label="Domain of the brand"
            description="For example acme.example"
            required
            {...bindText(brand, setBrand)}
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
