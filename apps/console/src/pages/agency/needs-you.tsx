import { Loader } from '@mantine/core';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { Needs, useNeeds } from '../../parts/needs.js';
import { Panel } from '../../parts/panel.js';

/** The first of what needs the reader; the rest is in the Inbox. */
export function NeedsYou({ about = 'what loses money now, then by amount' }: { readonly about?: string }) {
  const needs = useNeeds();
  const all = needs.data?.needs ?? [];
  return (
    <Panel
      title="Needs you"
      about={about}
      isFlush
      acts={<Go to="/inbox">{all.length > 6 ? `All ${all.length}` : 'Inbox'}</Go>}
    >
      {needs.isPending && <Loader role="status" size="sm" m="md" aria-label="Loading what needs you" />}
      {needs.isError && <ErrorPanel error={needs.error} again={() => void needs.refetch()} />}
      {needs.isSuccess && all.length === 0 && (
        <p className="panel-note">Nothing needs you. What you may decide or repair would stand here.</p>
      )}
      <Needs of={all.slice(0, 6)} />
    </Panel>
  );
}
