import { Group, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay, useRows } from '../../parts/use-rows.js';

type Login = Answer<'GET /v1/sellers/{slug}/logins'>['logins'][number];

/** The clients that sign in at a seller with a login of their own, and a form that gives one to a client. */
export function ClientLogins({ slug }: { readonly slug: string }) {
  const mayWrite = useMay()('sellers.write');
  const logins = useRows('GET /v1/sellers/{slug}/logins', (answer) => answer.logins, {
    params: { slug },
    query: { limit: '500' },
  });
  return (
    <>
      <Panel title="Logins of clients" about="who does not use the common one" isFlush>
        <DataTable
          label="Clients with a login"
          pages={logins}
          columns={columns(slug, mayWrite)}
          empty={
            <EmptyState title="Every client uses the common login">
              A client with a contract of its own at the seller can have its own.
            </EmptyState>
          }
        />
      </Panel>
      {mayWrite && <GiveLogin slug={slug} />}
    </>
  );
}

const columns = (slug: string, mayWrite: boolean): readonly Column<Login>[] => [
  { title: 'Client', cell: ({ client }) => <Name of={client} most={60} />, text: ({ client }) => client },
  { title: 'Since', cell: ({ since }) => <Time at={since} ago /> },
  ...(mayWrite
    ? [{ title: 'Act', cell: (login: Login) => <EndButton slug={slug} login={login} /> } as const]
    : []),
];

function EndButton({
  slug,
  login: { client_id: client, client: name },
}: {
  readonly slug: string;
  readonly login: Login;
}) {
  return (
    <ConfirmButton
      label="End"
      about={clean(name, 60)}
      size="compact-xs"
      variant="subtle"
      color="bad"
      done={`${clean(name, 60)} uses the common login again.`}
      act={() => api('POST /v1/sellers/{slug}/logins/end', { params: { slug }, body: { client } })}
    >
      The secret is revoked. Running buys of {clean(name, 60)} that were made with it cannot be changed any
      more, and new ones use the common login.
    </ConfirmButton>
  );
}

function GiveLogin({ slug }: { readonly slug: string }) {
  const [client, setClient] = useState('');
  const [scheme, setScheme] = useState<'bearer' | 'basic' | 'oauth'>('bearer');
  const [typed, setTyped] = useState({ name: '', secret: '' });
  const give = async (): Promise<void> => {
    if (scheme === 'oauth') {
      const body = { client, consents: true } as const;
      const { authorize_url: url } = await api('POST /v1/sellers/{slug}/logins', { params: { slug }, body });
      if (url !== undefined) window.location.assign(url);
      return;
    }
    const secret = scheme === 'basic' ? `${typed.name}:${typed.secret}` : typed.secret;
    await api('POST /v1/sellers/{slug}/logins', { params: { slug }, body: { client, scheme, secret } });
    setTyped({ name: '', secret: '' });
    setClient('');
  };
  const isBasic = scheme === 'basic';
  const isOAuth = scheme === 'oauth';
  return (
    <ActForm
      title="Give a client its own login"
      label={isOAuth ? 'Sign in there' : 'Use this login'}
      done={
        isOAuth
          ? 'The client has its login once you have consented there.'
          : 'The seller takes it: reads and new buys of the client use it.'
      }
      act={give}
      isReady={client !== '' && (isOAuth || (typed.secret !== '' && (!isBasic || typed.name !== '')))}
    >
      <Chips
        label="Kind of login"
        value={scheme}
        options={[
          { value: 'bearer', title: 'Token' },
          { value: 'basic', title: 'Name and password' },
          { value: 'oauth', title: 'Sign in there' },
        ]}
        onChange={(value) => setScheme(value === 'basic' || value === 'oauth' ? value : 'bearer')}
      />
      <Group grow preventGrowOverflow={false} align="flex-end">
        <ClientSelect label="Client of the login" value={client} onChange={setClient} />
        {isBasic && (
          <TextInput
            label="Name"
            autoComplete="off"
            value={typed.name}
            onChange={({ currentTarget: { value } }) => setTyped((old) => ({ ...old, name: value }))}
          />
        )}
        {!isOAuth && (
          <PasswordInput
            label={isBasic ? 'Password' : 'Token'}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
            value={typed.secret}
            onChange={({ currentTarget: { value } }) => setTyped((old) => ({ ...old, secret: value }))}
          />
        )}
      </Group>
    </ActForm>
  );
}

/** Selects a client of the organization, or none. */
export function ClientSelect({
  label,
  none = 'Choose',
  value,
  onChange,
}: {
  readonly label: string;
  /** The line of no client. */
  readonly none?: string;
  readonly value: string;
  readonly onChange: (clientId: string) => void;
}) {
  const clients = useAnswer('GET /v1/clients', { query: { limit: '500' } }, useMay()('clients.read')).data;
  return (
    <NativeSelect
      label={label}
      data={[
        { value: '', label: none },
        ...(clients?.clients ?? []).map(({ client_id: id, name }) => ({ value: id, label: clean(name, 60) })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
