import type { Schemas } from '../../generated/routes.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { SellerName } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';

export type Case = Schemas['case'];

/** What a case is about, as a sentence. */
export const caseTitle = ({ kind, subject }: Pick<Case, 'kind' | 'subject'>): string =>
  ({
    rights_revoked: `The right ${subject} was taken back`,
    rights_ended: `The right ${subject} ends`,
    property_list_changed: `The list ${subject} of properties changed`,
    collection_list_changed: `The list ${subject} of collections changed`,
    content_checked: `Content beside ads was checked against ${subject}`,
    content_standards_changed: `The content standards ${subject} changed`,
    creative_stopped: `The creative ${subject} is not delivered any more`,
    publisher_withdrew: `${subject} does not list the seller any more`,
  })[kind];

/** Cases of rights withdraw creatives; the others pause lines, or keep them. */
export const isAboutRights = ({ kind }: Pick<Case, 'kind'>): boolean =>
  kind === 'rights_revoked' || kind === 'rights_ended';

/** The state of a case; its words explain what is done and by whom. */
export function CaseState({ of: { state, reason, deadline, case_id: id } }: { readonly of: Case }) {
  return (
    <Explained
      kind="case"
      of={state}
      since={deadline}
      evidence={<Name of={reason} most={400} />}
      cli={`npx switchyard cases show ${id}`}
    />
  );
}

const columns: readonly Column<Case>[] = [
  {
    title: 'Case',
    cell: (row) => (
      <>
        <Go to={`/cases/${row.case_id}`}>
          <Name of={caseTitle(row)} most={120} />
        </Go>
        <Quiet>
          <Name of={row.reason} most={120} />
        </Quiet>
      </>
    ),
    text: ({ subject }) => subject,
  },
  { title: 'Owner', cell: ({ owner }) => <SellerName of={owner} isLink /> },
  { title: 'State', cell: (row) => <CaseState of={row} />, text: ({ state }) => state },
  {
    title: 'Lines',
    isNumber: true,
    cell: ({ buys }) => buys.length,
    text: ({ buys }) => String(buys.length),
  },
  { title: 'Deadline', cell: ({ deadline }) => <Time at={deadline} />, text: ({ deadline }) => deadline },
];

/** What agents that decide have taken back, and what was done about it. */
export function CasesPage() {
  const [{ state = '' }, set] = useFilters();
  const pages = usePages('GET /v1/cases', 'cases', { state: state === '' ? undefined : worded(state) });
  return (
    <>
      <PageHead title="Cases">
        Something that running lines rest on was taken back or changed: a right, a list, content standards,
        the leave of a publisher. Creatives without their right are withdrawn; about the rest a person is
        asked.
      </PageHead>
      <Chips
        label="State"
        value={state}
        options={[
          { value: '', title: 'All' },
          { value: 'asked', title: 'Wait for a person' },
          { value: 'acting', title: 'Under way' },
          { value: 'open', title: 'Before the deadline' },
          { value: 'done', title: 'Done' },
        ]}
        onChange={(value) => set({ state: value === '' ? undefined : value })}
      />
      <DataTable
        label="Cases"
        pages={pages}
        columns={columns}
        empty={
          <EmptyState title="Nothing was taken back">
            When an agent that decides takes something back or changes it, the case stands here with what it
            touches.
          </EmptyState>
        }
      />
    </>
  );
}
