import { Alert, Group, PasswordInput, Stack, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name } from '../../parts/name.js';
import { SellerName } from '../../parts/seller-name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { StatusBadge } from '../../parts/status.js';
import { ageText, Time } from '../../parts/time.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Credential = Answer<'GET /v1/credentials'>['credentials'][number];

const isRefused = ({ last_error: error, last_used_at: used }: Credential): boolean =>
  error !== undefined && (used === undefined || error.at >= used);

/** Which rows the list may be narrowed to. */
const isShownAs: Readonly<Record<string, (credential: Credential) => boolean>> = {
  Ends: ({ ends_at: ends, retires_at: at }) => ends !== undefined || at !== undefined,
  Refused: (credential) => credential.state === 'refused' || isRefused(credential),
};

/** The purpose of each kind of secret. */
const uses: Readonly<Record<string, string>> = {
  bearer: 'token that the seller takes',
  basic: 'name and password that the seller takes',
  idempotency: 'makes the keys of our requests',
  signing: 'signs what we send',
  webhook: 'proves what the seller sends',
  oauth_access: 'opens the seller, and is renewed by itself',
  oauth_refresh: 'renews the sign-in at its server',
  oauth_client: 'proves us at its server',
  client_cert: 'proves us at the seller by certificate',
};

const states: Readonly<Record<Credential['state'], readonly [words: string, tone: string]>> = {
  candidate: ['Being tried', 'accent'],
  current: ['In use', 'good'],
  fallback: ['Before the current one', 'gray'],
  refused: ['Refused', 'bad'],
};

export const credentialColumns: readonly Column<Credential>[] = [
  {
    title: 'For',
    cell: ({ seller, destination }) =>
      seller === undefined ? (
        <Name of={destination ?? 'this instance'} />
      ) : (
        <Go to={`/sellers/${seller}`}>
          <SellerName of={seller} />
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
  {
    title: 'State',
    cell: (row) => {
      const [words, tone] = row.state === 'current' && isRefused(row) ? states.refused : states[row.state];
      return (
        <>
          <StatusBadge of={words} tone={tone} />
          <Quiet>
            {row.uses} {row.uses === 1 ? 'call' : 'calls'}
            {row.refusals > 0 && `, ${row.refusals} refused`}
          </Quiet>
        </>
      );
    },
  },
  { title: 'Age', cell: ({ created_at: at }) => <span title={at}>{ageText(at)}</span> },
  { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
  {
    title: 'Ends',
    cell: ({ ends_at: ends, retires_at: at, says }) => (
      <>
        <Time at={ends ?? at} />
        <Quiet>{says}</Quiet>
      </>
    ),
  },
  {
    title: 'Last error',
    cell: (row) =>
      row.last_error === undefined ? (
        '–'
      ) : (
        <>
          {isRefused(row) ? 'Refused' : 'Before its last use'}: {row.last_error.code},{' '}
          <Time at={row.last_error.at} />
        </>
      ),
  },
  { title: 'Version', isNumber: true, cell: ({ version }) => version },
  { title: 'Id', cell: ({ credential_id: id }) => <Id of={id} short /> },
  { title: 'Act', cell: (row) => <Acts credential={row} /> },
];

/** The credentials in the vault, without their secrets: age, use, last error, renewal and end. */
export function CredentialsPage() {
  const [filters, set] = useFilters();
  const kind = filters['kind'] ?? '';
  const seller = filters['seller'] ?? '';
  const shown = filters['shown'] ?? '';
  const credentials = useRows('GET /v1/credentials', ({ credentials: all }) =>
    all
      .filter(
        (credential) =>
          (kind === '' || credential.kind === kind) &&
          (seller === '' || credential.seller === seller) &&
          (shown === '' || isShownAs[shown]?.(credential) === true),
      )
      .toSorted(
        (a, b) =>
          Number(isRefused(b)) - Number(isRefused(a)) ||
          Number(a.kind === 'idempotency') - Number(b.kind === 'idempotency'),
      ),
  );
  const kinds = [
    ...new Set((credentials.data?.credentials ?? []).map((credential) => credential.kind)),
  ].sort();
  const sellers = [
    ...new Set((credentials.data?.credentials ?? []).flatMap((credential) => credential.seller ?? [])),
  ].sort();
  const versions = (credentials.data?.credentials ?? []).filter(
    (credential) => credential.can_rotate && (seller === '' || credential.seller === seller),
  );
  const bearers = [...new Map(versions.map((credential) => [credential.credential_id, credential])).values()];
  return (
    <>
      <PageHead title="Keys and sign-in">
        What the vault holds. Nobody can read a secret here; those that a seller refused come first.
      </PageHead>
      <Stack>
        <Chips
          label="Which"
          value={shown}
          options={[
            { value: '', title: 'All' },
            ...Object.entries(isShownAs).map(([value, test]) => ({
              value,
              title: value,
              count: (credentials.data?.credentials ?? []).filter(test).length,
            })),
          ]}
          onChange={(value) => set({ shown: value === '' ? undefined : value })}
        />
        <Group>
          <NativeSelect
            label="Kind"
            data={[
              { value: '', label: 'All' },
              ...kinds.map((text) => ({ value: text, label: text.replaceAll('_', ' ') })),
            ]}
            value={kind}
            onChange={({ currentTarget }) => set({ kind: currentTarget.value })}
          />
          <NativeSelect
            label="Seller"
            data={[{ value: '', label: 'All' }, ...sellers]}
            value={seller}
            onChange={({ currentTarget }) => set({ seller: currentTarget.value })}
          />
        </Group>
        <div>
          <DataTable
            label="Credentials"
            pages={credentials}
            columns={credentialColumns}
            empty={
              <EmptyState title="The vault is empty">
                A credential comes with the seller that gave it: <Go to="/sellers/new">onboard one</Go>.
              </EmptyState>
            }
          />
        </div>
        {useMay()('sellers.write') && bearers.length > 0 && <Rotate key={seller} of={bearers} />}
      </Stack>
    </>
  );
}

function Acts({ credential }: { readonly credential: Credential }) {
  const may = useMay();
  // Our own secrets are not credentials at a seller: they end with their purpose.
  if (!credential.can_rotate) return '–';
  const id = credential.credential_id;
  if (credential.state === 'fallback')
    return (
      may('sellers.write') && (
        <ConfirmButton
          label="Go back to it"
          variant="default"
          done="The version before is in use again."
          act={() => api('POST /v1/credentials/{id}/rollback', { params: { id } })}
        >
          The version before is used again from the next call on, and the current one is kept beside it while
          this one lives.
        </ConfirmButton>
      )
    );
  if (!may('sellers.delete') || credential.state === 'refused') return '–';
  return (
    <ConfirmButton
      label="Revoke"
      color="bad"
      variant="outline"
      done="The credential is revoked."
      act={() => api('POST /v1/credentials/{id}/revoke', { params: { id } })}
    >
      All its versions are destroyed. Nothing can be sent to{' '}
      {credential.seller ?? credential.destination ?? 'its place'} with it any more, and nobody can bring it
      back.
    </ConfirmButton>
  );
}

/** Tries a new secret at the seller; it replaces the old one only if the seller takes it. */
export function Rotate({ of: credentials }: { readonly of: readonly Credential[] }) {
  const [id, setId] = useState(credentials.length === 1 ? (credentials[0]?.credential_id ?? '') : '');
  const [check, setCheck] = useState<Credential['seller_check']>();
  const [secret, setSecret] = useState('');
  const [overlap, setOverlap] = useState('900');
  const rotate = async (): Promise<void> => {
    setCheck(undefined);
    const made = await api('POST /v1/credentials/{id}/rotate', {
      params: { id },
      body: { secret, overlap_seconds: Number(overlap) },
    });
    setCheck(made.seller_check);
    setSecret('');
  };
  return (
    <ActForm title="Put in a new secret" label="Rotate" act={rotate} isReady={id !== '' && secret !== ''}>
      <Group align="flex-end" grow preventGrowOverflow={false}>
        <NativeSelect
          label="Credential"
          data={[
            { value: '', label: 'Choose' },
            ...credentials.map((credential) => ({
              value: credential.credential_id,
              label: `${credential.seller ?? credential.destination ?? ''}, ${credential.kind}`,
            })),
          ]}
          {...bindText(id, setId)}
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
            { value: '900', label: '15 minutes' },
            { value: '3600', label: 'an hour' },
            { value: '86400', label: 'a day' },
          ]}
          {...bindText(overlap, setOverlap)}
        />
      </Group>
      <Text size="sm" c="dimmed">
        The seller is called with it at once. If the seller does not take it, nothing changes.
      </Text>
      {check !== undefined && (
        <Alert color={check.ok ? 'good' : 'bad'} variant="outline" role={check.ok ? 'status' : 'alert'}>
          {check.ok ? (
            'The seller takes it.'
          ) : (
            <>
              The seller does not take it: <Name of={check.reason ?? 'it gave no reason'} most={300} /> Put in
              another secret.
            </>
          )}
        </Alert>
      )}
    </ActForm>
  );
}
