import { Group, PasswordInput, Stack, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/act-form.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { ageText, Time } from '../../parts/time.js';
import { useMay, useRefresh, useRows } from '../../parts/use-rows.js';

type Credential = Answer<'GET /v1/credentials'>['credentials'][number];

const isRefused = ({ last_error: error, last_used_at: used }: Credential): boolean =>
  error !== undefined && (used === undefined || error.at >= used);

/** What each kind of secret is for. */
const uses: Readonly<Record<string, string>> = {
  bearer: 'token that the seller takes',
  basic: 'name and password that the seller takes',
  idempotency: 'makes the keys of our requests',
  signing: 'signs what we send',
  webhook: 'proves what the seller sends',
};

const columns: readonly Column<Credential>[] = [
  {
    title: 'For',
    cell: ({ seller, destination }) =>
      seller === undefined ? (
        <Name of={destination ?? 'this instance'} />
      ) : (
        <Go to={`/sellers/${seller}`}>
          <Name of={seller} />
        </Go>
      ),
  },
  {
    title: 'Kind',
    cell: ({ kind }) => (
      <>
        {kind.replaceAll('_', ' ')}
        <Text size="xs" c="dimmed">
          {uses[kind] ?? ''}
        </Text>
      </>
    ),
  },
  { title: 'Age', cell: ({ created_at: at }) => <span title={at}>{ageText(at)}</span> },
  { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
  { title: 'Ends', cell: ({ retires_at: at }) => <Time at={at} /> },
  {
    title: 'Last error',
    cell: (one) =>
      one.last_error === undefined ? (
        '–'
      ) : (
        <>
          {isRefused(one) ? 'Refused' : 'Before its last use'}: {one.last_error.code},{' '}
          <Time at={one.last_error.at} />
        </>
      ),
  },
  { title: 'Version', isNumber: true, cell: ({ version }) => version },
  { title: 'Id', cell: ({ credential_id: id }) => <Id of={id} short /> },
  { title: 'Act', cell: (one) => <Acts one={one} /> },
];

/** What the vault holds, without what is in it: age, use, last error, and its renewal and end. */
export function CredentialsPage() {
  const [filters, set] = useFilters();
  const kind = filters['kind'] ?? '';
  const credentials = useRows('GET /v1/credentials', ({ credentials: all }) =>
    all
      .filter((one) => kind === '' || one.kind === kind)
      .toSorted(
        (a, b) =>
          Number(isRefused(b)) - Number(isRefused(a)) ||
          Number(a.kind === 'idempotency') - Number(b.kind === 'idempotency'),
      ),
  );
  const kinds = [...new Set((credentials.data?.credentials ?? []).map((one) => one.kind))].sort();
  const bearers = (credentials.data?.credentials ?? []).filter(
    (one) => one.kind === 'bearer' || one.kind === 'basic',
  );
  return (
    <>
      <PageHead title="Credentials">
        What the vault holds. Nobody can read a secret here; those that a seller refused come first.
      </PageHead>
      <Stack>
        <Group>
          <NativeSelect
            label="Kind"
            data={[
              { value: '', label: 'All' },
              ...kinds.map((one) => ({ value: one, label: one.replaceAll('_', ' ') })),
            ]}
            value={kind}
            onChange={({ currentTarget }) => set({ kind: currentTarget.value })}
          />
        </Group>
        <div>
          <DataTable
            label="Credentials"
            pages={credentials}
            columns={columns}
            empty={
              <EmptyState title="The vault is empty">
                A credential comes with the seller that gave it: <Go to="/onboard">onboard one</Go>.
              </EmptyState>
            }
          />
        </div>
        {useMay()('sellers.write') && bearers.length > 0 && <Rotate of={bearers} />}
      </Stack>
    </>
  );
}

function Acts({ one }: { readonly one: Credential }) {
  const refresh = useRefresh();
  if (!useMay()('sellers.delete')) return '–';
  const id = one.credential_id;
  return (
    <ConfirmButton
      label="Revoke"
      color="bad"
      variant="outline"
      done="The credential is revoked."
      act={async () => {
        await api('POST /v1/credentials/{id}/revoke', { params: { id } });
        await refresh();
      }}
    >
      All its versions are destroyed. Nothing can be sent to {one.seller ?? one.destination ?? 'its place'}{' '}
      with it any more, and nobody can bring it back.
    </ConfirmButton>
  );
}

function Rotate({ of: credentials }: { readonly of: readonly Credential[] }) {
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const [overlap, setOverlap] = useState('3600');
  const rotate = async (): Promise<void> => {
    await api('POST /v1/credentials/{id}/rotate', {
      params: { id },
      body: { secret, overlap_seconds: Number(overlap) },
    });
    setSecret('');
  };
  return (
    <ActForm
      title="Put in a new secret"
      label="Rotate"
      done="The new secret is used from now on."
      act={rotate}
      isReady={id !== '' && secret !== ''}
    >
      <Group align="flex-end" grow preventGrowOverflow={false}>
        <NativeSelect
          label="Credential"
          data={[
            { value: '', label: 'Choose' },
            ...credentials.map((one) => ({
              value: one.credential_id,
              label: `${one.seller ?? one.destination ?? ''}, ${one.kind}`,
            })),
          ]}
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
        />
        <PasswordInput
          label="New secret"
          autoComplete="off"
          value={secret}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        />
        <NativeSelect
          label="The old one holds for"
          data={[
            { value: '0', label: 'not at all' },
            { value: '3600', label: 'an hour' },
            { value: '86400', label: 'a day' },
          ]}
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        />
      </Group>
      <Text size="sm" c="dimmed">
        The seller is called with it before it is used.
      </Text>
    </ActForm>
  );
}
