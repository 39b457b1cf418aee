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
export const caseTitle = ({ subject }: Pick<Case, 'subject'>): string =>
  `The right ${subject} was taken back`;

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
  { title: 'Stops by', cell: ({ deadline }) => <Time at={deadline} />, text: ({ deadline }) => deadline },
];

/** What agents that decide have taken back, and what was done about it. */
export function CasesPage() {
  const [{ state = '' }, set] = useFilters();
  const pages = usePages('GET /v1/cases', 'cases', { state: state === '' ? undefined : worded(state) });
  return (
    <>
      <PageHead title="Cases">
        A rights or governance agent takes something back: its creatives are withdrawn, and what is left empty
        is paused.
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
            When a rights agent takes a right back, the case stands here with what it stops.
          </EmptyState>
        }
      />
    </>
  );
}
