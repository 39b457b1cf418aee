import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Answer } from '../../../api/client.js';
import { useMe } from '../../../api/session.js';
import { Chips } from '../../../parts/chips.js';
import { DataTable, type Column } from '../../../parts/data-table.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters } from '../../../parts/filters.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { Go } from '../../../parts/go.js';
import { Money } from '../../../parts/money.js';
import { clean, Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { Quiet } from '../../../parts/quiet.js';
import { StatusBadge } from '../../../parts/status.js';
import { Time } from '../../../parts/time.js';
import { usePages } from '../../../parts/use-pages.js';
import { useRefresh } from '../../../parts/use-rows.js';
import { api } from '../../../api/client.js';
import { basketNow, emptyBasket, useBasket } from './basket.js';
import { setAside } from './stored-plan.js';

type Row = Answer<'GET /v1/plans'>['plans'][number];

/** Plans that are stored: mine, and what colleagues share. */
export function PlansPage() {
  const [filters, setFilters] = useFilters();
  const me = useMe().data?.principal_id ?? '';
  const basket = useBasket();
  const navigate = useNavigate();
  const { state = 'draft', whose = 'all' } = filters;
  const pages = usePages('GET /v1/plans', 'plans', {
    state: state === 'bought' ? 'bought' : 'draft',
    ...(whose === 'mine' && { made_by_id: me }),
  });
  const start = async (): Promise<void> => {
    await setAside();
    await navigate({ to: '/plans/$id', params: { id: 'new' } });
  };
  const isUnsaved = basket.lines.length > 0 && basket.plan === undefined;
  return (
    <>
      <PageHead title="Plans" actions={<Button onClick={() => void start()}>New plan</Button>}>
        What you and your colleagues mean to buy. Nothing is ordered until somebody buys it.
      </PageHead>
      {isUnsaved && (
        <div className="banner" data-tone="warn" role="note">
          <div>
            <b>
              A plan of {basket.lines.length === 1 ? 'one line' : `${basket.lines.length} lines`} is not
              saved.
            </b>{' '}
            It is in this browser alone.
          </div>
          <Go to="/plans/new">Open it</Go>
        </div>
      )}
      <div className="chip-rows">
        <Chips
          label="State"
          value={state}
          options={[
            { value: 'draft', title: 'Drafts' },
            { value: 'bought', title: 'Bought' },
          ]}
          onChange={(value) => setFilters({ state: value === 'draft' ? undefined : value })}
        />
        <Chips
          label="Whose"
          value={whose}
          options={[
            { value: 'all', title: 'Mine and shared' },
            { value: 'mine', title: 'Mine' },
          ]}
          onChange={(value) => setFilters({ whose: value === 'all' ? undefined : value })}
        />
      </div>
      <DataTable
        label="Plans"
        pages={pages}
        columns={columns}
        empty={
          <EmptyState title="No plan is saved yet">
            <Go to="/ask">Ask the market</Go>, put offers into a plan, and save it.
          </EmptyState>
        }
      />
    </>
  );
}

const columns: readonly Column<Row>[] = [
  {
    title: 'Plan',
    text: ({ name }) => name,
    cell: (row) => (
      <>
        <Go to={`/plans/${row.plan_id}`}>{clean(row.name, 60)}</Go>
        <Quiet>
          <Name of={row.client ?? row.brand ?? 'no brand yet'} most={40} />
        </Quiet>
      </>
    ),
  },
  {
    title: 'Campaign',
    text: ({ campaign }) => campaign,
    cell: (row) =>
      row.campaign_id === null ? (
        '–'
      ) : (
        <Go to={`/campaigns/${row.campaign_id}`}>{clean(row.campaign ?? '', 50)}</Go>
      ),
  },
  {
    title: 'Lines',
    isNumber: true,
    text: ({ lines }) => String(lines),
    cell: ({ lines, sellers }) =>
      `${lines} at ${sellers.length} ${sellers.length === 1 ? 'seller' : 'sellers'}`,
  },
  {
    title: 'Total',
    isNumber: true,
    text: ({ totals }) => Object.values(totals)[0],
    unit: ({ totals }) => Object.keys(totals)[0],
    cell: ({ totals }) => (
      <>
        {Object.keys(totals).length === 0 && '–'}
        {Object.entries(totals).map(([currency, sum]) => (
          <div key={currency}>
            <Money amount={sum} currency={currency} show="whole" />
          </div>
        ))}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ state, shared, media_buy_id: buy }) =>
      buy === null ? (
        <StatusBadge of={shared ? 'Shared' : 'Draft'} tone={shared ? 'accent' : 'gray'} />
      ) : (
        <>
          <StatusBadge of={state === 'bought' ? 'Bought' : state} tone="good" />{' '}
          <Go to={`/buys/${encodeURIComponent(buy)}`}>the buy</Go>
        </>
      ),
  },
  {
    title: 'Saved',
    text: ({ updated_at: at }) => at,
    cell: (row) => (
      <>
        <Time at={row.updated_at} />
        <Quiet>
          <Name of={row.changed_by} most={40} />
        </Quiet>
      </>
    ),
  },
  { title: 'Act', cell: (row) => <Remove row={row} /> },
];

function Remove({ row }: { readonly row: Row }) {
  const refresh = useRefresh();
  const remove = async (): Promise<void> => {
    await api('DELETE /v1/plans/{id}', { params: { id: row.plan_id } });
    if (basketNow().plan?.id === row.plan_id) emptyBasket();
    await refresh();
  };
  return (
    <ConfirmButton
      label="Remove"
      size="compact-xs"
      variant="default"
      color="bad"
      act={remove}
      done="The plan is removed. Nothing was ordered by it."
    >
      Remove the plan <Name of={row.name} most={60} />? A buy that it became stays.
    </ConfirmButton>
  );
}
