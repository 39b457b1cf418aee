import { Group } from '@mantine/core';
import { api, type Answer } from '../../../api/client.js';
import { DataTable, type Column } from '../../../parts/data-table.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { Go } from '../../../parts/go.js';
import { Name } from '../../../parts/name.js';
import { Panel } from '../../../parts/panel.js';
import { Quiet } from '../../../parts/quiet.js';
import { StatusBadge } from '../../../parts/status.js';
import { Time } from '../../../parts/time.js';
import { useRows } from '../../../parts/use-rows.js';

export type Draft = Answer<'GET /v1/sellers/drafts'>['drafts'][number];

const words: Readonly<Record<Draft['state'], readonly [words: string, tone: string]>> = {
  live: ['Live', 'good'],
  waiting: ['Waits for a second person', 'accent'],
  needs_person: ['Waits for you', 'accent'],
  failed: ['A check failed', 'bad'],
};

export function DraftState({ of: state }: { readonly of: Draft['state'] }) {
  const [text, tone] = words[state];
  return <StatusBadge of={text} tone={tone} />;
}

/** Deletes a draft with its credentials. */
export function DiscardButton({ slug, then }: { readonly slug: string; readonly then?: () => void }) {
  return (
    <ConfirmButton
      label="Discard"
      variant="default"
      done="The draft is deleted."
      act={async () => {
        await api('POST /v1/sellers/{slug}/discard', { params: { slug } });
        then?.();
      }}
    >
      The draft and what was entered to sign in are deleted. Nothing was bought. You can add the seller again
      from its domain.
    </ConfirmButton>
  );
}

const columns: readonly Column<Draft>[] = [
  {
    title: 'Seller',
    cell: ({ slug, agent_url: url }) => (
      <>
        <Go to="/sellers/new" search={{ draft: slug }}>
          <Name of={slug} />
        </Go>
        <Quiet>
          <Name of={url} most={80} />
        </Quiet>
      </>
    ),
  },
  { title: 'State', cell: ({ state }) => <DraftState of={state} /> },
  { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} ago /> },
  {
    title: 'Act',
    cell: ({ slug }) => (
      <Group gap="xs" wrap="nowrap">
        <Go to="/sellers/new" search={{ draft: slug }} aria-label={`Continue: ${slug}`}>
          Continue
        </Go>
        <DiscardButton slug={slug} />
      </Group>
    ),
  },
];

export const useDrafts = () => useRows('GET /v1/sellers/drafts', ({ drafts }) => drafts);

/** Sellers whose checks are not all passed. They are in no list of sellers. */
export function Drafts() {
  const drafts = useDrafts();
  if (drafts.rows.length === 0) return undefined;
  return (
    <Panel title="Being connected" about="not in the list of sellers yet" isFlush>
      <DataTable label="Sellers being connected" pages={drafts} columns={columns} empty={undefined} />
    </Panel>
  );
}
