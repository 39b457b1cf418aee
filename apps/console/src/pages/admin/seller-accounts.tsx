import { Alert, Button, Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { StatusBadge } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useMay, useRefresh, useRows } from '../../parts/use-rows.js';
import { AccountDeclarations } from './account-declarations.js';
import { ClientLogins, ClientSelect } from './client-logins.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Account = Answer<'GET /v1/sellers/{slug}/accounts'>['accounts'][number];
type Synced = Answer<'POST /v1/sellers/{slug}/accounts/sync'>;

const nameOf = ({ name, account_id: id }: Account): string => clean(name ?? id, 80);

const billedTo: Readonly<Record<string, string>> = {
  operator: 'billed to us',
  agent: 'billed to our agent',
  advertiser: 'billed to the client',
};

const columns = (slug: string): readonly Column<Account>[] => [
  {
    title: 'Account at the seller',
    cell: (row) => (
      <>
        <b>
          <Name of={nameOf(row)} />
        </b>
        <Quiet>
          <Name of={row.account_id} most={60} />
          {row.sandbox && ', for practice'}
        </Quiet>
      </>
    ),
    text: nameOf,
  },
  {
    title: 'Used for',
    cell: (row) => (
      <>
        {row.clients.map((client) => (
          <Group key={client.client_id} gap="xs" wrap="nowrap">
            <Name of={client.client} most={60} />
            <ReleaseButton slug={slug} account={row} client={client} />
          </Group>
        ))}
        {row.is_default && <div>all other clients</div>}
        {row.clients.length === 0 && !row.is_default && <span className="quiet">nobody</span>}
      </>
    ),
    text: ({ clients }) => clients.map(({ client }) => client).join(', '),
  },
  {
    title: 'Billing',
    cell: ({ billing, payment_terms: terms }) => (
      <>
        {billing === undefined ? '–' : (billedTo[billing] ?? clean(billing, 40))}
        {terms !== undefined && <Quiet>{clean(terms, 40).replaceAll('_', ' ')}</Quiet>}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ status, setup, missing_since: missing }) => (
      <>
        <StatusBadge of={status} />
        {missing !== undefined && (
          <Quiet>
            not listed since <Time at={missing} ago />
          </Quiet>
        )}
        {setup !== undefined && (
          <Quiet>
            <Name of={setup.message ?? 'The seller wants something done'} most={200} />
            {setup.host !== undefined && (
              <>
                {' '}
                at <Name of={setup.host} most={80} />
              </>
            )}
          </Quiet>
        )}
      </>
    ),
  },
  { title: 'Read', cell: ({ last_seen: at }) => <Time at={at} ago /> },
];

function ReleaseButton({
  slug,
  account,
  client: { client_id: client, client: name },
}: {
  readonly slug: string;
  readonly account: Account;
  readonly client: Account['clients'][number];
}) {
  if (!useMay()('sellers.write')) return undefined;
  const params = { slug };
  const body = { client, account_id: account.account_id };
  return (
    <ConfirmButton
      label="Release"
      size="compact-xs"
      variant="subtle"
      aria-label={`Release: ${clean(name, 60)}`}
      done={`${clean(name, 60)} has no account of its own here any more.`}
      act={() => api('POST /v1/sellers/{slug}/accounts/release', { params, body: { client } })}
      undo={() => api('POST /v1/sellers/{slug}/accounts/use', { params, body })}
    >
      New buys of {clean(name, 60)} do not use the account {nameOf(account)} any more. Its running buys stay
      in it.
    </ConfirmButton>
  );
}

/** Our accounts at a seller: which client buys and is billed where. */
export function SellerAccounts({ slug }: { readonly slug: string }) {
  const mayWrite = useMay()('sellers.write');
  const refresh = useRefresh();
  const accounts = useRows('GET /v1/sellers/{slug}/accounts', (answer) => answer.accounts, {
    params: { slug },
    query: { limit: '500' },
  });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [synced, setSynced] = useState<Synced>();
  const sync = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setSynced(await api('POST /v1/sellers/{slug}/accounts/sync', { params: { slug } }));
      await refresh();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="column">
      {error !== undefined && <ErrorPanel error={error} />}
      {synced !== undefined && (
        <Alert color="accent" variant="light" role="status" title="The seller was asked.">
          {changesOf(synced)}
        </Alert>
      )}
      <Panel
        title="Accounts"
        about="which client is billed where"
        isFlush
        acts={
          mayWrite && (
            <Button size="xs" variant="default" loading={isBusy} onClick={() => void sync()}>
              Ask the seller now
            </Button>
          )
        }
      >
        <DataTable
          label="Accounts at the seller"
          pages={accounts}
          columns={columns(slug)}
          empty={
            <EmptyState title="The seller lists no account">
              Some sellers have none. Ask the seller for one if it wants to know who is billed.
            </EmptyState>
          }
        />
      </Panel>
      {mayWrite && accounts.rows.length > 0 && <UseAccount slug={slug} accounts={accounts.rows} />}
      <AccountDeclarations slug={slug} />
      <ClientLogins slug={slug} />
    </div>
  );
}

function changesOf({ added, changed, missing }: Synced): string {
  const parts = [
    added.length > 0 && `New: ${clean(added.join(', '), 300)}.`,
    ...changed.map(({ account_id: id, from, to }) => `${clean(id, 60)}: ${from} before, ${to} now.`),
    missing.length > 0 && `Not listed any more: ${clean(missing.join(', '), 300)}.`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Nothing changed.' : parts.join(' ');
}

function UseAccount({ slug, accounts }: { readonly slug: string; readonly accounts: readonly Account[] }) {
  const [client, setClient] = useState('');
  const [account, setAccount] = useState('');
  const use = async (): Promise<void> => {
    await api('POST /v1/sellers/{slug}/accounts/use', {
      params: { slug },
      body: { client, account_id: account },
    });
    setClient('');
    setAccount('');
  };
  return (
    <ActForm
      title="Let a client use an account"
      label="Use this account"
      done="Its brands buy in this account from now on."
      act={use}
      isReady={client !== '' && account !== ''}
    >
      <Group grow preventGrowOverflow={false} align="flex-end">
        <ClientSelect label="Client" value={client} onChange={setClient} />
        <NativeSelect
          label="Account"
          data={[
            { value: '', label: 'Choose' },
            ...accounts.map((row) => ({ value: row.account_id, label: nameOf(row) })),
          ]}
          {...bindText(account, setAccount)}
        />
      </Group>
    </ActForm>
  );
}
