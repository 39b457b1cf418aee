import { Group } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { Id } from '../../parts/id.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { StopButton } from '../../parts/stop-button.js';
import { ageText, Time } from '../../parts/time.js';
import { useMay, useRefresh, useRows } from '../../parts/use-rows.js';

type Key = Answer<'GET /v1/keys'>['keys'][number];

const columns: readonly Column<Key>[] = [
  { title: 'Key', cell: ({ kid }) => <Id of={kid} /> },
  { title: 'Signs for', cell: ({ principal }) => <Name of={principal} /> },
  {
    title: 'State',
    cell: (one) => (
      <Explained
        kind="key"
        of={one.state}
        since={one.retired_at ?? one.retiring_at ?? one.live_at ?? one.created_at}
        evidence="Its public half stands at /.well-known/jwks.json."
        cli="npx switchyard keys list"
      />
    ),
  },
  { title: 'Algorithm', cell: ({ alg }) => alg },
  { title: 'Age', cell: ({ created_at: at }) => <span title={at}>{ageText(at)}</span> },
  { title: 'Live since', cell: ({ live_at: at, live_from: from }) => <Time at={at ?? from} /> },
  { title: 'Retired', cell: ({ retired_at: at, retiring_at: from }) => <Time at={at ?? from} /> },
  { title: 'Act', cell: (one) => <Acts one={one} /> },
];

/** Keys that sign our messages and statements. Their public halves are published. */
export function KeysPage() {
  const keys = useRows('GET /v1/keys', ({ keys: all }) => all);
  return (
    <>
      <PageHead title="Keys">
        They sign what goes to sellers, and statements. The public halves stand at /.well-known/jwks.json.
      </PageHead>
      <DataTable
        label="Keys"
        pages={keys}
        columns={columns}
        empty={<EmptyState title="No key is here">One is made when somebody first buys.</EmptyState>}
      />
    </>
  );
}

function Acts({ one }: { readonly one: Key }) {
  const refresh = useRefresh();
  const may = useMay();
  if (!may('principals.write') || one.state === 'retired') return '–';
  return (
    <Group gap="xs" wrap="nowrap">
      {one.state === 'live' && (
        <ConfirmButton
          label="Rotate"
          size="compact-sm"
          variant="default"
          done="The new key is published, and signs once others had time to read it."
          act={async () => {
            await api('POST /v1/keys/rotate', { body: { principal: one.principal } });
            await refresh();
          }}
        >
          A new key for {one.principal} is published now and signs later; this one verifies until it retires.
        </ConfirmButton>
      )}
      {may('sellers.approve') && (
        <StopButton target={`key:${one.kid}`} name="The key" size="compact-sm">
          Nothing is signed with this key until somebody ends the stop: what {one.principal} would send waits.
          A key that others may have is better rotated.
        </StopButton>
      )}
    </Group>
  );
}
