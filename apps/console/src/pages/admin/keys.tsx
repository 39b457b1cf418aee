import { Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { Id } from '../../parts/id.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { StopButton, useStops } from '../../parts/forms/stop-button.js';
import { ageText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { AddSigner } from './add-signer.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Key = Answer<'GET /v1/keys'>['keys'][number];
type Signer = Answer<'GET /v1/signers'>['signers'][number];

const columns: readonly Column<Key>[] = [
  { title: 'Key', cell: ({ kid }) => <Id of={kid} /> },
  { title: 'Signs for', cell: ({ principal }) => <Name of={principal ?? 'the organization: statements'} /> },
  {
    title: 'State',
    cell: (row) => <KeyStatus platformKey={row} />,
  },
  { title: 'Algorithm', cell: ({ alg }) => alg },
  {
    title: 'Live since',
    cell: ({ created_at: made, live_at: at, live_from: from }) => (
      <>
        {at === undefined && from !== undefined && 'from '}
        <Time at={at ?? from} />
        <Quiet>{ageText(made)} old</Quiet>
      </>
    ),
  },
  { title: 'Retired', cell: ({ retired_at: at, retiring_at: from }) => <Time at={at ?? from} /> },
  {
    title: 'Act',
    cell: (row) => (
      <Group gap="xs">
        <Rotate platformKey={row} />
        {row.state !== 'retired' && <StopKey kid={row.kid} />}
      </Group>
    ),
  },
];

const signerColumns: readonly Column<Signer>[] = [
  { title: 'Signs as', cell: ({ principal }) => <Name of={principal} /> },
  { title: 'Agent', cell: ({ agent_url: url }) => <Name of={url} /> },
  {
    title: 'Keys',
    cell: ({ kids, jwks_uri: address, discovered_over: protocol }) =>
      kids === undefined ? (
        <Name of={address ?? `asked of the agent over ${protocol ?? 'mcp'}`} />
      ) : (
        kids.map((kid) => (
          <Group key={kid} gap="xs">
            <Id of={kid} />
            <StopKey kid={kid} />
          </Group>
        ))
      ),
  },
  { title: 'Since', cell: ({ created_at: at }) => <Time at={at} dateOnly /> },
  { title: 'Act', cell: (row) => <RemoveSigner signer={row} /> },
];

function RemoveSigner({ signer: { signer_id: id, agent_url: url } }: { readonly signer: Signer }) {
  if (!useMay()('principals.delete')) return '–';
  return (
    <ConfirmButton
      label="Remove"
      size="compact-sm"
      color="bad"
      variant="outline"
      done="Nothing that it signs is taken any more."
      act={() => api('DELETE /v1/signers/{id}', { params: { id } })}
    >
      What {clean(url, 120)} signs is refused from the next request on.
    </ConfirmButton>
  );
}

/** Keys that sign our messages and statements. Their public halves are published. */
export function KeysPage() {
  const keys = usePages('GET /v1/keys', 'keys', {});
  const signers = usePages('GET /v1/signers', 'signers', {});
  return (
    <>
      <PageHead title="Developers">
        They sign what goes to sellers, and statements. The public halves stand at /.well-known/jwks.json.
      </PageHead>
      <DataTable
        label="Keys"
        pages={keys}
        columns={columns}
        empty={<EmptyState title="No key is here">One is made when somebody first buys.</EmptyState>}
      />
      <Title order={2} size="h4" mt="lg" mb="xs">
        Keys of callers
      </Title>
      <DataTable
        label="Agents that sign"
        pages={signers}
        columns={signerColumns}
        empty={
          <EmptyState title="No agent signs as one of yours">
            One is registered below, or with <code>npx switchyard signers add</code>.
          </EmptyState>
        }
      />
      <Stack mt="md">
        <AddSigner />
        <StopByName />
      </Stack>
    </>
  );
}

function KeyStatus({ platformKey }: { readonly platformKey: Key }) {
  const stop = useStops()(`key:${platformKey.kid}`);
  const isStopped = stop?.target === `key:${platformKey.kid}`;
  return (
    <Explained
      kind="key"
      of={isStopped ? 'stopped' : platformKey.state}
      since={
        isStopped
          ? stop.stopped_at
          : (platformKey.retired_at ??
            platformKey.retiring_at ??
            platformKey.live_at ??
            platformKey.created_at)
      }
      evidence={
        isStopped ? (
          <Name
            of={`Stopped by ${stop.stopped_by}${stop.reason === undefined ? '' : `: ${stop.reason}`}`}
            most={600}
          />
        ) : (
          'Its public half stands at /.well-known/jwks.json.'
        )
      }
      cli={isStopped ? `npx switchyard start key:${platformKey.kid}` : 'npx switchyard keys list'}
    />
  );
}

const useMayStop = (): boolean => {
  const may = useMay();
  return may('sellers.approve') && may('principals.write');
};

/** Stops a key at once, or starts it again. */
function StopKey({ kid }: { readonly kid: string }) {
  if (!useMayStop()) return undefined;
  return (
    <StopButton target={`key:${kid}`} name={`The key ${clean(kid, 60)}`} size="compact-sm">
      Nothing is signed with it any more if it is ours, and what a caller signs with it is refused as if it
      were revoked, until somebody ends the stop. Work that needs its signature waits. A key that others may
      have is better rotated.
    </StopButton>
  );
}

/** Stops a key that is in neither list, because a caller publishes it at an address of its own. */
function StopByName() {
  const [kid, setKid] = useState('');
  const isAllowed = useMayStop();
  const named = kid.trim();
  if (!isAllowed) return undefined;
  return (
    <Paper withBorder p="md" className="on-screen" component="section" aria-label="Stop a key by its id">
      <Title order={2} size="h4" mb="xs">
        Stop a key by its id
      </Title>
      <Group align="flex-end">
        <TextInput
          label="Key id"
          description="Of a key that is in no list, as its signature names it (keyid)"
          maxLength={200}
          {...bindText(kid, setKid)}
        />
        {/^\S+$/.test(named) && <StopKey kid={named} />}
      </Group>
    </Paper>
  );
}

function Rotate({ platformKey }: { readonly platformKey: Key }) {
  const { principal } = platformKey;
  if (!useMay()('principals.write') || platformKey.state !== 'live') return undefined;
  return (
    <ConfirmButton
      label="Rotate"
      size="compact-sm"
      variant="default"
      done="The new key is published, and signs once others had time to read it."
      act={() =>
        api('POST /v1/keys/rotate', {
          body: principal === undefined ? { signs: 'proofs' } : { principal },
        })
      }
    >
      A new key for {principal ?? 'the organization'} is published now and signs later; this one verifies
      until it retires.
    </ConfirmButton>
  );
}
