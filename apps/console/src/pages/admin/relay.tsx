import { Alert, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, request, type Answer, type JsonObject } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { clean } from '../../parts/name.js';
import { SellerName } from '../../parts/seller-name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { saveFile } from '../../parts/save-file.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { Checks } from '../finance/verify.js';
import type { Check } from '../finance/verify-statement.js';
import { verifyChain } from './verify-chain.js';

type Passed = Answer<'GET /v1/custody'>['records'][number];
const names = ['seller', 'outcome', 'media_buy_id', 'principal_id', 'operation_id'] as const;

const columns: readonly Column<Passed>[] = [
  {
    title: 'Arrived',
    cell: ({ arrived_at: at, record_id: id }) => (
      <Go to={`/calls/${id}`}>
        <Time at={at} />
      </Go>
    ),
  },
  { title: 'Task', cell: ({ task }) => clean(task ?? '–').replaceAll('_', ' ') },
  { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} /> },
  {
    title: 'Way',
    cell: ({ way }) =>
      way === 'sealed' ? 'Passed on unchanged' : way === 'resigned' ? 'Signed by us' : clean(way),
  },
  {
    title: 'Outcome',
    cell: ({ outcome, code, arrived_at: at, record_id: id }) => (
      <Explained
        kind="relay"
        of={outcome ?? 'under way'}
        tone={outcome === 'answered' ? 'good' : 'gray'}
        since={at}
        evidence={code === null ? <Go to={`/calls/${id}`}>Its trail</Go> : `Code ${clean(code)}`}
        cli={`npx switchyard custody show ${id}`}
      />
    ),
  },
  { title: 'Why', cell: ({ code }) => clean(code ?? '–') },
  { title: 'In the chain', cell: ({ in_chain: isIn }) => (isIn ? 'yes' : 'not yet') },
  { title: 'Id', cell: ({ record_id: id }) => <Id of={id} short /> },
];

/** The records of requests that were relayed to sellers, or refused. */
export function RelayPage() {
  const [filters, set] = useFilters();
  const [verdict, setVerdict] = useState<Answer<'GET /v1/custody/verify'>>();
  const [checks, setChecks] = useState<readonly Check[]>();
  const [error, setError] = useState<unknown>();
  const wanted = Object.fromEntries(
    names.flatMap((name) =>
      filters[name] === undefined || filters[name] === '' ? [] : [[name, filters[name]]],
    ),
  );
  const records = usePages('GET /v1/custody', 'records', wanted);
  const wantedChain = filters['principal_id'] ? { principal_id: filters['principal_id'] } : {};
  const text = (name: string) => ({
    value: filters[name] ?? '',
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  const verify = async (): Promise<void> => {
    setError(undefined);
    try {
      setVerdict(await api('GET /v1/custody/verify', { query: wantedChain }));
    } catch (failure) {
      setError(failure);
    }
  };
  const download = async (principal_id: string | undefined, isHere: boolean): Promise<void> => {
    setError(undefined);
    setChecks(undefined);
    try {
      const query = principal_id === undefined ? {} : { principal_id };
      const chain: JsonObject = await api('GET /v1/custody/export', { query });
      if (isHere) setChecks(await verifyChain(chain, await request('GET', '/.well-known/jwks.json')));
      else saveFile('custody-chain.json', 'application/json', JSON.stringify(chain));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <PageHead
        title="Relay trail"
        actions={
          <Button size="xs" variant="default" onClick={() => void verify()}>
            Verify the chain
          </Button>
        }
      >
        What was passed on to sellers, what we added, and what was refused. <Go to="/agents">Delegations</Go>
      </PageHead>
      <Stack>
        {error !== undefined && <ErrorPanel error={error} />}
        {verdict !== undefined && (
          <Alert
            color={verdict.ok ? 'good' : 'bad'}
            variant="outline"
            role={verdict.ok ? 'status' : 'alert'}
            title={verdict.ok ? 'The chain holds' : 'The chain does not hold'}
          >
            {verdict.records} records were read. {verdict.code !== undefined && clean(verdict.code)}{' '}
            {verdict.head !== null && <Id of={verdict.head} short />}
            {(verdict.chains ?? [{ principal_id: filters['principal_id'] }]).map(
              ({ principal_id: whose }) => (
                <Group key={whose ?? ''} gap="xs" mt="xs">
                  {verdict.chains !== undefined && whose !== undefined && <PrincipalName id={whose} />}
                  <Button size="xs" variant="default" onClick={() => void download(whose, true)}>
                    Verify it in this browser
                  </Button>
                  <Button size="xs" variant="default" onClick={() => void download(whose, false)}>
                    Download the chain
                  </Button>
                </Group>
              ),
            )}
          </Alert>
        )}
        {checks !== undefined && <Checks of={checks} what="The chain of custody" />}
        <Group align="flex-end" gap="sm">
          <SellerSelect none="All" value={filters['seller'] ?? ''} onChange={(seller) => set({ seller })} />
          <NativeSelect
            label="Outcome"
            data={[{ value: '', label: 'All' }, 'answered', 'refused', 'unreachable', 'unknown']}
            {...text('outcome')}
          />
          <TextInput label="Media buy" {...text('media_buy_id')} />
        </Group>
        <div>
          <DataTable
            label="What was passed on"
            pages={records}
            columns={columns}
            empty={
              <EmptyState title="Nothing was passed on">
                A record is made with the first request to a seller.{' '}
                <Go to="/agents/calls">Show all of them</Go>, or look at what may be passed on under{' '}
                <Go to="/agents">Delegations</Go>.
              </EmptyState>
            }
          />
        </div>
      </Stack>
    </>
  );
}
